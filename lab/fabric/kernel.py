"""The kernel's side of a switch: wanted interfaces, bridges, addresses and routes, and the commands that set them."""

import asyncio
import json
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lab.fabric.command import run
from lab.spec.kernel_names import bridge_name, kernel_name, tunnel_name
from lab.spec.models import LabEnd, port_mac
from lab.switches.device_state import Overlay
from lab.switches.forwarding import Forwarding, PortForwarding
from lab.switches.links import PortCounters

_VXLAN_PORT = 4789
"""RFC 7348, section 5."""
_LONGEST_BYTES = 9216
"""Of a VLAN without an interface, and of every tunnel: its ports say what is shorter."""

IsUp = Callable[[str], bool]
"""Whether the link of a port, by the NOS's name, is to be up."""


@dataclass(frozen=True, slots=True)
class KernelPort:
    """Wanted state of a front panel port."""

    up: bool
    mtu_bytes: int
    bridge: str | None
    addresses: frozenset[str]
    link_local: bool


@dataclass(frozen=True, slots=True)
class KernelBridge:
    """Wanted state of a VLAN: one plain bridge, whose own port is the VLAN interface."""

    mtu_bytes: int
    mac: str
    addresses: frozenset[str]


@dataclass(frozen=True, slots=True)
class KernelTunnel:
    """Wanted state of a VNI: a port of its VLAN's bridge that leads to all remote tunnel endpoints."""

    vni: int
    address: str
    """Address of the local tunnel endpoint."""
    bridge: str


@dataclass(frozen=True, slots=True)
class KernelState:
    """Interfaces of a switch's namespace."""

    ports: Mapping[str, KernelPort]
    bridges: Mapping[str, KernelBridge]
    tunnels: Mapping[str, KernelTunnel]
    loopbacks: frozenset[str]
    routes: Mapping[str, str]


def wanted(
    switch: str, forwarding: Forwarding, carried: Container[str], blocked: Container[str], is_up: IsUp
) -> KernelState:
    """Return the interfaces that follow from a switch's configuration.

    Parameters
    ----------
    switch
        Its name, from which the MAC addresses of its bridges are derived.
    forwarding
        Its configured forwarding.
    carried
        Kernel names of the existing ports.
    blocked
        Ports kept out of their bridge, because they would close a loop.
    is_up
        Whether a link is to be up.
    """
    ports = {
        kernel_name(name): _port(port, blocked=name in blocked, up=is_up(name))
        for name, port in forwarding.ports.items()
        if kernel_name(name) in carried
    }
    tunnels = {} if forwarding.overlay is None else dict(_tunnels(forwarding.overlay))
    stretched = frozenset[int]() if forwarding.overlay is None else frozenset(forwarding.overlay.vlans)
    used = {port.access_vlan for port in forwarding.ports.values() if port.access_vlan is not None} | stretched
    interfaces = {interface.vlan: interface for interface in forwarding.vlans}
    bridges = {}
    for vlan in sorted(used | set(interfaces)):
        own = interfaces.get(vlan)
        routed = own is not None and own.vrf is None
        addresses = frozenset((*own.addresses, *own.anycast)) if own is not None and routed else frozenset[str]()
        mac = port_mac(LabEnd(switch, bridge_name(vlan)))
        bridges[bridge_name(vlan)] = KernelBridge(own.mtu_bytes if own else _LONGEST_BYTES, mac, addresses)
    return KernelState(ports, bridges, tunnels, frozenset(forwarding.loopbacks), dict(forwarding.routes))


def _tunnels(overlay: Overlay) -> Iterator[tuple[str, KernelTunnel]]:
    for vlan, vni in overlay.vlans.items():
        yield tunnel_name(vni), KernelTunnel(vni, overlay.address, bridge_name(vlan))


def _port(port: PortForwarding, *, blocked: bool, up: bool) -> KernelPort:
    bridge = None if port.access_vlan is None or blocked else bridge_name(port.access_vlan)
    routed = port.access_vlan is None and port.vrf is None
    return KernelPort(
        up=up,
        mtu_bytes=port.mtu_bytes,
        bridge=bridge,
        addresses=frozenset(port.addresses) if routed else frozenset(),
        link_local=port.ipv6_link_local and routed,
    )


# --- commands ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Found:
    """Present state of an interface in the kernel."""

    up: bool
    carrier: bool
    mtu_bytes: int
    master: str | None
    addresses: frozenset[str]
    link_local: bool
    kind: str
    """``bridge``, ``vxlan``, ``veth``, ``tun``; empty for what came with the namespace."""
    local: str | None
    """Address of the local tunnel endpoint."""
    counters: PortCounters


async def read(namespace: str) -> dict[str, Found]:
    """Return the interfaces of a namespace."""
    # Only the list of links says how link-local addresses are made, and only the other list has addresses.
    links, addresses = await asyncio.gather(
        run("ip", "-n", namespace, "-s", "-d", "-j", "link"), run("ip", "-n", namespace, "-4", "-j", "address")
    )
    held = {row["ifname"]: row.get("addr_info", []) for row in _rows(addresses)}
    return {row["ifname"]: _found(row, held.get(row["ifname"], [])) for row in _rows(links)}


def _rows(text: str) -> list[dict[str, Any]]:
    return [row for row in json.loads(text or "[]") if "ifname" in row]


def _found(row: dict[str, Any], held: list[dict[str, Any]]) -> Found:
    flags, info = row["flags"], row.get("linkinfo", {})
    return Found(
        up="UP" in flags,
        carrier="LOWER_UP" in flags and "UP" in flags,
        mtu_bytes=row["mtu"],
        master=row.get("master"),
        addresses=frozenset(f"{one['local']}/{one['prefixlen']}" for one in held),
        link_local=row.get("inet6_addr_gen_mode") != "none",
        kind=info.get("info_kind", ""),
        local=info.get("info_data", {}).get("local"),
        counters=_counters(row.get("stats64", {})),
    )


def _counters(row: dict[str, Any]) -> PortCounters:
    received, sent = row.get("rx", {}), row.get("tx", {})
    return PortCounters(
        in_packets=received.get("packets", 0),
        in_bytes=received.get("bytes", 0),
        in_drops=received.get("dropped", 0),
        out_packets=sent.get("packets", 0),
        out_bytes=sent.get("bytes", 0),
        out_drops=sent.get("dropped", 0),
    )


def steps(found: Mapping[str, Found], state: KernelState) -> Iterator[str]:
    """Yield the ``ip`` commands from the present to the wanted state; none when they are equal."""
    addresses = {name: tunnel.address for name, tunnel in state.tunnels.items()}
    bridges = (name for name, one in found.items() if one.kind == "bridge" and name not in state.bridges)
    tunnels = (name for name, one in found.items() if one.kind == "vxlan" and one.local != addresses.get(name))
    yield from (f"link del {name}" for name in (*bridges, *tunnels))
    for name, bridge in state.bridges.items():
        yield from _bridge_steps(name, bridge, found.get(name))
    for name, tunnel in state.tunnels.items():
        yield from _tunnel_steps(name, tunnel, found.get(name))
    for name, port in state.ports.items():
        if name in found:
            yield from _port_steps(name, port, found[name])
    yield from _address_steps("lo", state.loopbacks, found["lo"].addresses - {"127.0.0.1/8"})


def _bridge_steps(name: str, bridge: KernelBridge, found: Found | None) -> Iterator[str]:
    if found is None:
        # There is no multicast querier; without snooping no group has to time out.
        yield f"link add {name} address {bridge.mac} type bridge mcast_snooping 0"
        yield f"link set {name} addrgenmode none"
    if found is None or found.mtu_bytes != bridge.mtu_bytes:
        yield f"link set {name} mtu {bridge.mtu_bytes}"
    if found is None or not found.up:
        yield f"link set {name} up"
    yield from _address_steps(name, bridge.addresses, found.addresses if found else frozenset())


def _tunnel_steps(name: str, tunnel: KernelTunnel, found: Found | None) -> Iterator[str]:
    if found is None or found.local != tunnel.address:
        # Remote MAC addresses come from EVPN only; packets above the MTU are dropped, as an ASIC does.
        words = f"id {tunnel.vni} local {tunnel.address} dstport {_VXLAN_PORT} nolearning df set"
        yield f"link add {name} mtu {_LONGEST_BYTES} type vxlan {words}"
        yield f"link set {name} addrgenmode none"
        found = None
    if found is None or found.master != tunnel.bridge:
        yield f"link set {name} master {tunnel.bridge}"
        yield f"link set {name} type bridge_slave learning off"
    if found is None or not found.up:
        yield f"link set {name} up"


def _port_steps(name: str, port: KernelPort, found: Found) -> Iterator[str]:
    if found.up and not port.up:
        yield f"link set {name} down"
    if found.link_local != port.link_local:
        yield f"link set {name} addrgenmode {'eui64' if port.link_local else 'none'}"
        if not port.link_local:
            yield f"address flush dev {name} scope link"
        elif found.up and port.up:
            yield f"link set {name} down"
            yield f"link set {name} up"
    if found.mtu_bytes != port.mtu_bytes:
        yield f"link set {name} mtu {port.mtu_bytes}"
    if found.master != port.bridge:
        yield f"link set {name} nomaster" if port.bridge is None else f"link set {name} master {port.bridge}"
    yield from _address_steps(name, port.addresses, found.addresses)
    if port.up and not found.up:
        yield f"link set {name} up"


def _address_steps(name: str, wanted_: frozenset[str], found: frozenset[str]) -> Iterator[str]:
    yield from (f"address del {address} dev {name}" for address in sorted(found - wanted_))
    yield from (f"address add {address} dev {name}" for address in sorted(wanted_ - found))


def route_steps(found: Mapping[str, str], state: KernelState) -> Iterator[str]:
    """Yield the ``ip`` commands from the former static routes to the wanted ones."""
    yield from (f"route del {prefix} proto static" for prefix in found if prefix not in state.routes)
    for prefix, gateway in state.routes.items():
        if found.get(prefix) != gateway:
            via = "blackhole " if gateway == "blackhole" else ""
            yield f"route replace {via}{prefix}{'' if via else f' via {gateway}'} proto static"
