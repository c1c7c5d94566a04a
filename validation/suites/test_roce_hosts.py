"""RoCE on servers: priorities, PFC, congestion control, GIDs and MTU of adapters match the fabric."""

from collections.abc import Iterator
from ipaddress import IPv4Interface
from typing import Final

from rackproof.facts.fact import FactError
from rackproof.facts.hosts.dcb import FACT as DCB
from rackproof.facts.hosts.dcb import PortQos, port_qos
from rackproof.facts.hosts.interfaces import FACT as INTERFACES
from rackproof.facts.hosts.interfaces import find_interface
from rackproof.facts.hosts.rdma import FACT as RDMA
from rackproof.facts.hosts.rdma import ROCE_V2, RdmaDevice, find_device
from rackproof.plan.model.host import HostRoce, RocePort
from validation.expected.fixtures import Judge, Server, applies_to
from validation.expected.server_ports import (
    fact_or_error,
    is_virtual_adapter,
    port_rail,
    port_subject,
    shares_rdma_device,
    up_remedy,
)

NO_BRIDGING: Final = "a virtual adapter of the lab has no data centre bridging"
PAYLOADS: Final = (256, 512, 1024, 2048, 4096)
"""MTUs of InfiniBand and RoCE, in bytes (InfiniBand Architecture, volume 1, 9.2: path MTU)."""
HEADERS_BYTES: Final = 96
"""What Linux keeps free for the headers of RoCE v2 (include/rdma/ib_addr.h: iboe_get_mtu)."""

pytestmark = applies_to(lambda server: server.intent.roce is not None)


def host_roce(server: Server) -> HostRoce:
    """Return what a server's adapters are meant to do.

    Raises
    ------
    FactError
        It has no RoCE, so that no check here applies to it.
    """
    if server.intent.roce is None:
        raise FactError(f"{server.name} has no RoCE")
    return server.intent.roce


def each_qos(server: Server, judge: Judge) -> Iterator[tuple[RocePort, PortQos]]:
    """Yield every port with what it makes of traffic; of those that do not tell, an error each."""
    found = server.fact(DCB)
    for port in host_roce(server).ports:
        subject = port_subject(server, port.name)
        if is_virtual_adapter(port.name, server):
            judge.skip(subject, NO_BRIDGING)
            continue
        qos = fact_or_error(judge, subject, port_qos, found, port.name)
        if qos is not None:
            yield port, qos


def each_device(server: Server, judge: Judge) -> Iterator[tuple[RocePort, RdmaDevice]]:
    """Yield every port with its RDMA device; of those that have none, an error each."""
    found = server.fact(RDMA)
    for port in host_roce(server).ports:
        subject = port_subject(server, port.name)
        if shares_rdma_device(server, port.name, found):
            continue
        device = fact_or_error(judge, subject, find_device, found, port.rdma_device)
        if device is not None:
            yield port, device


def test_dscp_has_the_lossless_priority(server: Server, judge: Judge) -> None:
    """Adapters trust DSCP, and the DSCP of RoCE maps to the lossless priority."""
    roce = host_roce(server)
    for port, qos in each_qos(server, judge):
        judge.expect_equal(
            port_subject(server, port.name),
            expected=f"DSCP {roce.dscp} has priority {roce.priority}",
            actual=priority_text(qos, roce.dscp) if qos.trusts_dscp else "DSCP is not trusted",
            rail=port.rail,
            remedy=up_remedy(server),
        )


def test_notifications_have_their_priority(server: Server, judge: Judge) -> None:
    """The DSCP of congestion notifications (CNPs) maps to their own priority.

    The RoCE suite checks whether the adapter trusts DSCP at all.
    """
    roce = host_roce(server)
    for port, qos in each_qos(server, judge):
        judge.expect_equal(
            port_subject(server, port.name),
            expected=f"DSCP {roce.cnp_dscp} has priority {roce.cnp_priority}",
            actual=priority_text(qos, roce.cnp_dscp),
            rail=port.rail,
            remedy=up_remedy(server),
        )


def priority_text(qos: PortQos, dscp: int) -> str:
    """Return the priority that an adapter gives a code point, in words."""
    priority = qos.dscp_priority.get(dscp)
    return f"DSCP {dscp} has no priority of its own" if priority is None else f"DSCP {dscp} has priority {priority}"


def test_pfc_is_on_for_the_lossless_priority_alone(server: Server, judge: Judge) -> None:
    """PFC is on for the lossless priority, and no other, on every RoCE port of a server."""
    roce = host_roce(server)
    for port, qos in each_qos(server, judge):
        judge.expect_equal(
            port_subject(server, port.name),
            expected=(roce.priority,),
            actual=qos.pfc,
            rail=port.rail,
            remedy=up_remedy(server),
        )


def test_lossless_priority_has_a_class_of_its_own(server: Server, judge: Judge) -> None:
    """The lossless priority has a traffic class of its own, with the planned share of the bandwidth."""
    roce = host_roce(server)
    for port, qos in each_qos(server, judge):
        number = qos.priority_class.get(roce.priority)
        sharing = [f"priority {other}" for other, its in sorted(qos.priority_class.items()) if its == number]
        share = qos.bandwidth_percent.get(number) if number is not None and roce.tool == "dcb" else None
        words = [*sharing, *([f"{share} % of the bandwidth"] if share is not None else [])]
        wanted = [f"{roce.bandwidth_percent} % of the bandwidth"] if roce.tool == "dcb" else []
        judge.expect_equal(
            port_subject(server, port.name),
            expected=(f"priority {roce.priority}", *wanted),
            actual=tuple(words),
            rail=port.rail,
            remedy=up_remedy(server),
        )


def test_congestion_control_is_on(server: Server, judge: Judge) -> None:
    """Congestion control (DCQCN) is on for RoCE, and CNPs have the planned DSCP."""
    roce = host_roce(server)
    for port, qos in each_qos(server, judge):
        subject = port_subject(server, port.name)
        if qos.notifies is None and qos.cnp_dscp is None:
            judge.skip(subject, f"its driver ({port.driver}) reports no congestion control")
            continue
        found = {"sends for": qos.notifies, "reacts on": qos.reacts, "DSCP": qos.cnp_dscp, "priority": qos.cnp_priority}
        wanted = {
            "sends for": (roce.priority,),
            "reacts on": (roce.priority,),
            "DSCP": roce.cnp_dscp,
            "priority": roce.cnp_priority,
        }
        told = [name for name, value in found.items() if value is not None]
        judge.expect_equal(
            subject,
            expected={name: wanted[name] for name in told},
            actual={name: among(found[name], roce.priority) for name in told},
            rail=port.rail,
            remedy=up_remedy(server),
        )


def among(found: tuple[int, ...] | int | None, priority: int) -> tuple[int, ...] | int | None:
    """Return the one priority that matters of those that something is on for: drivers have it on for others too."""
    return (priority,) if isinstance(found, tuple) and priority in found else found


def test_connections_are_marked(server: Server, judge: Judge) -> None:
    """The RDMA connection manager uses RoCE v2 and the DSCP of the fabric."""
    roce = host_roce(server)
    for port, device in each_device(server, judge):
        tos = "no ToS is set" if device.cm_tos is None else f"ToS {device.cm_tos} (DSCP {device.cm_tos >> 2})"
        judge.expect_equal(
            port_subject(server, port.name),
            expected=(ROCE_V2, f"ToS {roce.dscp << 2} (DSCP {roce.dscp})"),
            actual=(device.cm_mode or "no mode is set", tos),
            rail=port.rail,
            values={"forced traffic class": device.forced_traffic_class} if device.forced_traffic_class else None,
            remedy=up_remedy(server),
        )


def test_gid_of_the_address_is_found(server: Server, judge: Judge) -> None:
    """Every address that carries RoCE has a RoCE v2 GID.

    A routed fabric carries RoCE v2 only.
    """
    devices = {port.name: device for port, device in each_device(server, judge)}
    for port in server.intent.addresses:
        mine = [devices[name] for name in (port.members or (port.name,)) if name in devices]
        address = str(IPv4Interface(port.address).ip)
        gids = [gid for device in mine for gid in device.gids_for(address)]
        if mine:
            judge.expect_equal(
                port_subject(server, port.name),
                expected=(f"{address} over {port.name}",),
                actual=tuple(dict.fromkeys(f"{address} over {gid.interface or port.name}" for gid in gids)),
                rail=port.rail,
                values={"GID index": ", ".join(str(gid.index) for gid in gids) or "none"},
                remedy="does the port have its address? see addressing; `show_gids` or `ibv_devinfo -v` list them",
            )


def test_gid_index_is_the_same_on_every_rail(server: Server, judge: Judge) -> None:
    """The GID index of the address is the same on every rail.

    Programs take one index for all rails.
    """
    addresses = {port.name: str(IPv4Interface(port.address).ip) for port in server.intent.addresses}
    found = {
        port.name: device.gids_for(addresses[port.name])[0].index
        for port, device in each_device(server, judge)
        if port.rail is not None and port.name in addresses and device.gids_for(addresses[port.name])
    }
    if not found:
        judge.error(
            server.name,
            "no rail has a RoCE v2 GID for its address",
            "see the check roce_hosts/gid-of-the-address-is-found",
        )
    # Of several that are as frequent, the lowest: addresses that are added raise it.
    usual = min(found.values(), key=lambda index: (-list(found.values()).count(index), index), default=0)
    for name, index in found.items():
        judge.expect_equal(
            port_subject(server, name),
            expected=f"GID index {usual}",
            actual=f"GID index {index}",
            rail=port_rail(server, name),
            remedy="`ip address` and `ibv_devinfo -v`: compare the order of the addresses; a reboot restores it",
        )


def test_rdma_mtu_is_the_largest_that_fits(server: Server, judge: Judge) -> None:
    """The RDMA MTU is the largest that fits into the MTU of the fabric."""
    interfaces = server.fact(INTERFACES)
    wanted = {port.name: port.mtu_bytes for port in server.intent.addresses}
    for port, device in each_device(server, judge):
        subject = port_subject(server, port.name)
        found = fact_or_error(judge, subject, find_interface, interfaces, port.name)
        if found is None:
            continue
        if device.active_mtu_bytes is None:
            judge.error(subject, "`ibv_devinfo` reports no RDMA MTU", "is ibverbs-utils installed?")
            continue
        judge.expect_equal(
            subject,
            expected=rdma_payload_bytes(wanted.get(port.name) or found.mtu_bytes),
            actual=device.active_mtu_bytes,
            unit="bytes",
            rail=port_rail(server, port.name),
            values={"MTU of the port": f"{found.mtu_bytes} bytes"},
            remedy=f"set the port's MTU first: {up_remedy(server)}",
        )


def rdma_payload_bytes(mtu_bytes: int) -> int:
    """Return the largest RDMA payload for the MTU of a port, in bytes."""
    return max((size for size in PAYLOADS if size <= mtu_bytes - HEADERS_BYTES), default=PAYLOADS[0])
