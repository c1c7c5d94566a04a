"""The answers of a server whose network is configured as planned.

Written in the shapes of the manuals that the fact modules name (iproute2, ethtool, mlnx_qos of mlnx-tools, dcb(8),
chronyc(1), Linux's net/sunrpc/stats.c); no such server was at hand. What a lab's guest says is in ``recordings``.
"""

from __future__ import annotations

import json
from ipaddress import IPv4Interface
from typing import TYPE_CHECKING, Any, Final

from rackproof.facts.fact import Answer
from rackproof.facts.hosts import dcb, interfaces, mounts, nccl, rdma, routes, services

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rackproof.plan.model.host import AddressedPort, HostIntent, HostRoce, NamedPort
    from rackproof.plan.model.plan import ServerPlan

Texts = dict[str, str]
"""Command to what it prints; a test changes one of them."""

MODULES: Final = (dcb, interfaces, mounts, nccl, rdma, routes, services)
MLNX_QOS: Final = """DCBX mode: OS controlled
Priority trust state: dscp
dscp2prio mapping:
\tprio:0 dscp:07,06,05,04,03,02,01,00,
\tprio:1 dscp:15,14,13,12,11,10,09,08,
\tprio:2 dscp:23,22,21,20,19,18,17,16,
\tprio:3 dscp:31,30,29,28,27,26,25,24,
\tprio:4 dscp:39,38,37,36,35,34,33,32,
\tprio:5 dscp:47,46,45,44,43,42,41,40,
\tprio:6 dscp:55,54,53,52,51,50,49,48,
\tprio:7 dscp:63,62,61,60,59,58,57,56,
default priority:
Receive buffer size (bytes): 19872,243072,0,0,0,0,0,0,max_buffer_size=2069280
Cable len: 7
PFC configuration:
\tpriority    0   1   2   3   4   5   6   7
\tenabled     0   0   0   1   0   0   0   0
\tbuffer      0   0   0   1   0   0   0   0
""" + "".join(
    f"tc: {number} ratelimit: unlimited, tsa: vendor\n\t priority:  {priority}\n"
    for number, priority in enumerate((1, 0, 2, 3, 4, 5, 6, 7))
)
DCB: Final = """pfc-cap 8 macsec-bypass off delay 0
prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off
willing off ets-cap 8 cbs off
tc-bw 0:50 1:50 2:0 3:0 4:0 5:0 6:0 7:0
pg-bw 0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0
tc-tsa 0:ets 1:ets 2:strict 3:strict 4:strict 5:strict 6:strict 7:strict
prio-tc 0:0 1:0 2:0 3:1 4:0 5:0 6:2 7:0
reco-tc-bw 0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0
reco-prio-tc 0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0
dgram-port-prio 4791:3
dscp-prio 26:3 48:6
"""
FEC: Final = "FEC parameters for {}:\nSupported/Configured FEC encodings: Auto\nActive FEC encoding: RS\n"
NO_BRIDGING: Final = "Attribute read: Operation not supported\n"
MOUNT: Final = """device {source} mounted on {path} with fstype nfs4 statvers=1.1
\topts:\trw,vers=4.1,rsize=1048576,wsize=1048576,namlen=255,acregmin=3,acregmax=60,hard,{proto},timeo=600,retrans=2,\
sec=sys,clientaddr=10.20.0.16,local_lock=none
\tage:\t4031
\tcaps:\tcaps=0xfffbffff,wtmult=512,dtsize=1048576,bsize=0,namlen=255
\tsec:\tflavor=1,pseudoflavor=1
\tevents:\t12 44 0 2 10 3 61 0 0 0 0 4 0 1 9 0 0 2 0 0 0 0 0 0 0 0 0
\tbytes:\t0 8388608 0 0 0 8388608 0 2048
\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)
{xprts}\tper-op statistics
\t        NULL: 1 1 0 44 24 0 0 0 0
"""
RDMA_TRANSPORT: Final = "\txprt:\trdma 0 0 1 0 12 61 61 0 61 0 61 0 0 0 0 0 0 0 0 0 0 0\n"
TCP_TRANSPORT: Final = "\txprt:\ttcp 812 1 1 0 12 61 61 0 61 0 2 0 0\n"
DEVINFO: Final = """hca_id:\t{}
\ttransport:\t\t\tInfiniBand (0)
\tfw_ver:\t\t\t\t28.45.1200
\t\tport:\t1
\t\t\tstate:\t\t\tPORT_ACTIVE (4)
\t\t\tmax_mtu:\t\t4096 (5)
\t\t\tactive_mtu:\t\t4096 (5)
\t\t\tlink_layer:\t\tEthernet

"""
TRACKING: Final = "C633647B,198.51.100.123,3,1763700000.1,-0.000012,0.00001,0.00002,1,0,0.1,0.02,0.001,64,Normal\n"


def planned_texts(intent: HostIntent, server: ServerPlan, *, dns: tuple[str, ...], ntp: tuple[str, ...]) -> Texts:
    """Return what each command prints."""
    sources = (f"^,{'+' if n else '*'},{one},2,6,377,32,0.00001,0.000012,0.0004\n" for n, one in enumerate(ntp))
    return {
        **interface_texts(intent, server),
        **rdma_texts(intent),
        **qos_texts(intent),
        **route_texts(intent),
        mounts.LOOK: "device proc mounted on /proc with fstype proc\n" + "".join(mount_texts(intent)),
        services.NAME_SERVERS: "".join(f"{one} 0\n" for one in dns),
        services.CLOCK: "Timezone=Etc/UTC\nLocalRTC=no\nCanNTP=yes\nNTP=yes\nNTPSynchronized=yes\n",
        services.TRACKING: TRACKING,
        services.SOURCES: "".join(sources),
        nccl.FILES: "".join(nccl_lines(intent)),
    }


def planned_answers(texts: Texts) -> dict[str, Answer]:
    """Return the answers of a server; what is not there could not be run, as on a server without the command."""
    commands = {command for module in MODULES for command in module.FACT.commands}
    return {one: Answer(texts[one], 0) if one in texts else Answer("", 127, "not found") for one in commands}


def interface_texts(intent: HostIntent, server: ServerPlan) -> Texts:
    """Return what ip, sysfs and ethtool say."""
    bonds = {member: bond.name for bond in intent.addresses for member in bond.members}
    links = [link(port.name, intent, bonds.get(port.name)) for port in intent.ports]
    links += [link(bond, intent, None) for bond in dict.fromkeys(bonds.values())]
    files = []
    for port in intent.ports:
        files.append(f"/sys/class/net/{port.name}/speed:{server.ports[port.name].speed_gbps * 1000}\n")
        files.append(f"/sys/class/net/{port.name}/carrier_down_count:1\n")
    return {
        interfaces.ADDRESSES: json.dumps(links),
        interfaces.FILES: "".join(files),
        interfaces.UPTIME: "86400.51 172000.12\n",
        interfaces.FEC: "".join(f"== {port.name}\n{FEC.format(port.name)}" for port in intent.ports),
    }


def link(name: str, intent: HostIntent, master: str | None) -> dict[str, Any]:
    """Return an interface as ``ip -json -statistics address show`` prints it."""
    mine = [port for port in intent.addresses if port.name == name or name in port.members]
    own = [IPv4Interface(port.address) for port in mine if port.name == name]
    known = [{"family": "inet", "local": str(one.ip), "prefixlen": one.network.prefixlen} for one in own]
    return {
        "ifname": name,
        "flags": ["BROADCAST", "MULTICAST", "UP", "LOWER_UP"],
        "mtu": next((port.mtu_bytes for port in mine), 1500),
        "operstate": "UP",
        "link_type": "ether",
        "address": "b8:3f:d2:00:00:01",
        **({"master": master} if master else {}),
        "addr_info": [*known, {"family": "inet6", "local": "fe80::ba3f:d2ff:fe00:1", "prefixlen": 64}],
        "stats64": {
            "rx": {"bytes": 91234567890, "packets": 12345678, "errors": 0, "dropped": 3},
            "tx": {"bytes": 91234567890, "packets": 12345678, "errors": 0, "dropped": 0},
        },
    }


def rdma_texts(intent: HostIntent) -> Texts:
    """Return what rdma, sysfs, configfs and ibv_devinfo say."""
    ports = [port for port in intent.ports if port.rdma_device]
    addresses = {name: one for one in intent.addresses for name in (one.name, *one.members[:1])}
    links = [
        {"ifindex": number, "ifname": port.rdma_device, "port": 1, "state": "ACTIVE", "physical_state": "LINK_UP",
         "netdev": port.name, "netdev_index": number + 2}
        for number, port in enumerate(ports)
    ]  # fmt: skip
    layers = (f"/sys/class/infiniband/{port.rdma_device}/ports/1/link_layer:Ethernet\n" for port in ports)
    return {
        rdma.LINKS: json.dumps(links),
        rdma.GIDS: "".join(line for port in ports for line in gid_lines(port, addresses.get(port.name))),
        rdma.FILES: "".join(layers),
        rdma.MARKS: "".join(line for port in ports for line in mark_lines(port, intent.roce)),
        rdma.MTUS: "".join(DEVINFO.format(port.rdma_device) for port in ports),
    }


def gid_lines(port: NamedPort, address: AddressedPort | None) -> Iterator[str]:
    """Yield the GIDs of a device: link-local and IPv4, each for RoCE v1 and v2, as adapters have them."""
    folder = f"/sys/class/infiniband/{port.rdma_device}/ports/1"
    gids = ["fe80:0000:0000:0000:ba3f:d2ff:fe00:0001"] * 2
    if address is not None:
        octets = IPv4Interface(address.address).ip.packed
        gids += [f"0000:0000:0000:0000:0000:ffff:{octets[:2].hex()}:{octets[2:].hex()}"] * 2
    for index, gid in enumerate(gids):
        yield f"{folder}/gid_attrs/types/{index}:{('IB/RoCE v1', 'RoCE v2')[index % 2]}\n"
        yield f"{folder}/gid_attrs/ndevs/{index}:{address.name if address else port.name}\n"
        yield f"{folder}/gids/{index}:{gid}\n"


def mark_lines(port: NamedPort, roce: HostRoce | None) -> Iterator[str]:
    """Yield what connections of a device are marked with."""
    if roce is not None:
        folder = f"/sys/kernel/config/rdma_cm/{port.rdma_device}/ports/1"
        yield f"{folder}/default_roce_mode:RoCE v2\n"
        yield f"{folder}/default_roce_tos:{roce.dscp * 4}\n"


def qos_texts(intent: HostIntent) -> Texts:
    """Return what the tool that sets the adapters says, and what the other one says meanwhile."""
    if intent.roce is None:
        return {dcb.DCB: "", dcb.MLNX_QOS: "", dcb.FILES: "", dcb.OWNERS: ""}
    ports = [port.name for port in intent.roce.ports]
    nvidia = intent.roce.tool == "mlnx_qos"
    control = [line for port in ports for line in ecn_lines(port)] if nvidia else broadcom_lines(intent.roce)
    devices = (f"/sys/class/infiniband/{port.rdma_device}/device/net/{port.name}\n" for port in intent.roce.ports)
    return {
        dcb.DCB: "".join(f"== {port}\n{NO_BRIDGING if nvidia else DCB}" for port in ports),
        dcb.MLNX_QOS: "".join(f"== {port}\n{MLNX_QOS if nvidia else ''}" for port in ports),
        dcb.FILES: "".join(control),
        dcb.OWNERS: "".join(devices),
    }


def broadcom_lines(roce: HostRoce) -> Iterator[str]:
    """Yield the congestion control of Broadcom adapters."""
    for port in roce.ports:
        folder = f"/sys/kernel/config/bnxt_re/{port.rdma_device}/ports/1/cc"
        for name, value in {"roce_prio": 3, "cnp_prio": 6, "roce_dscp": 26, "cnp_dscp": 48, "ecn_enable": 1}.items():
            yield f"{folder}/{name}:{value:#x}\n"


def ecn_lines(port: str) -> Iterator[str]:
    """Yield the congestion control of an NVIDIA adapter: on for every priority, as its driver has it."""
    for role in ("roce_np", "roce_rp"):
        for priority in range(8):
            yield f"/sys/class/net/{port}/ecn/{role}/enable/{priority}:1\n"
    yield f"/sys/class/net/{port}/ecn/roce_np/cnp_dscp:48\n"
    yield f"/sys/class/net/{port}/ecn/roce_np/cnp_802p_prio:6\n"


def route_texts(intent: HostIntent) -> Texts:
    """Return what ip says of routes and rules, and which next hops answer."""
    rules: list[dict[str, object]] = [{"priority": 0, "src": "all", "table": "local"}]
    found: list[dict[str, object]] = []
    hops: list[str] = []
    for port in intent.addresses:
        own = IPv4Interface(port.address)
        way: dict[str, object] = {"gateway": port.gateway, "dev": port.name, "flags": []}
        found.append({"dst": str(own.network), "dev": port.name, "scope": "link", "prefsrc": str(own.ip), "flags": []})
        if port.table:
            rules.append({"priority": 1000 + port.table, "src": str(own.ip), "table": str(port.table)})
            found += [{"dst": to, "table": str(port.table), **way} for to in port.to]
        if port.default_route:
            found.append({"dst": "default", "protocol": "static", **way})
        if port.gateway and (port.to or port.default_route):
            hops.append(f"{port.name} {port.gateway} answers\n")
    rules.append({"priority": 32766, "src": "all", "table": "main"})
    return {routes.ROUTES: json.dumps(found), routes.RULES: json.dumps(rules), routes.NEXT_HOPS: "".join(hops)}


def mount_texts(intent: HostIntent) -> Iterator[str]:
    """Yield what mountstats says of each file system."""
    for mount in intent.mounts:
        over_rdma = mount.protocol == "nfs-rdma"
        yield MOUNT.format(
            source=f"{mount.servers[0]}:{mount.export}",
            path=mount.path,
            proto="proto=rdma,port=20049" if over_rdma else "proto=tcp,nconnect=8",
            xprts=RDMA_TRANSPORT if over_rdma else TCP_TRANSPORT * 8,
        )


def nccl_lines(intent: HostIntent) -> Iterator[str]:
    """Yield what NCCL is told."""
    if intent.roce is not None:
        devices = ",".join(port.rdma_device for port in intent.roce.ports if port.rail is not None)
        yield f"/etc/nccl.conf:NCCL_IB_TC={intent.roce.dscp * 4}\n"
        yield f"/etc/nccl.conf:NCCL_IB_HCA=={devices}\n"
