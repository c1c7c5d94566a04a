"""A switch of a consolidated pair: the fabrics it carries put together, a VRF each, and the routes that VRFs exchange.

VRFs, their VLANs and VNIs, and what leaks between them are NVIDIA's (enterprise-ras 3.0.0): in-band and out-of-band
hosts reach networks outside and not each other, GPUs reach GPUs only.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from ipaddress import IPv4Interface, IPv4Network
from typing import Final, TypeVar

from rackproof.plan.model.plan import (
    BgpIntent,
    DhcpRelayIntent,
    PortChannelIntent,
    PortIntent,
    PrefixRule,
    RouteMapRule,
    RoutingPolicy,
    SwitchIntent,
    TelemetryIntent,
    VlanIntent,
    VrfIntent,
)
from rackproof.plan.model.port_names import key_order
from rackproof.plan.network.addressing import FabricAddresses
from rackproof.plan.network.mtu import switch_mtu_bytes
from rackproof.plan.network.overlay import vlan_vni
from rackproof.plan.switches.oob_uplinks import OobUplink
from rackproof.site.derived import L3_VLANS

Key = TypeVar("Key")
Value = TypeVar("Value")

OOB: Final = "OOB"
INBAND: Final = "INBAND"
GPU: Final = "GPU"
EXIT: Final = "EXIT"
L3_VNI_OFFSET: Final = 2000
"""L3 VNI = L3 VLAN + 2000."""
ANYCAST_MAC: Final = "44:38:39:ff:00:ff"
"""From the range that Cumulus Linux keeps for gateways of a pair."""
LEARNED_OUTSIDE: Final = "11:11"
"""Community of what VRF EXIT took from the others: they do not take it back from there."""
COMMUNITY_LIST: Final = "11"
ADVERTISED_OUTSIDE: Final = "OUTBOUND_PREFIXES"
ANYTHING: Final = "0.0.0.0/0"


@dataclass(frozen=True, slots=True)
class PairContext:
    """What a switch of a pair is put together from, beside the intents of its fabrics."""

    number: int
    oob_uplinks: Sequence[OobUplink]
    own: FabricAddresses
    inband: FabricAddresses
    oob: Sequence[FabricAddresses]
    dhcp: tuple[str, ...]
    ports: dict[str, PortIntent]
    """Towards out-of-band switches."""
    channels: dict[int, PortChannelIntent]


def _vrf_loopback(addresses: FabricAddresses, place: int) -> str | None:
    """Return the ``place``-th address of a fabric's loopbacks, with its length; None: it has none."""
    subnet = next((subnet for subnet in addresses.subnets if subnet.name == "loopbacks"), None)
    return f"{IPv4Network(subnet.prefix)[1 + place]}/32" if subnet else None


def _loopbacks(context: PairContext) -> dict[str, str | None]:
    """Return VRF to loopback: in band, out of band and edge from the frontend's, GPU after the switches' own."""
    inband, number = context.inband, context.number
    return {
        OOB: _vrf_loopback(inband, number),
        INBAND: _vrf_loopback(inband, 2 + number),
        EXIT: _vrf_loopback(inband, 4 + number),
        GPU: _vrf_loopback(context.own, 2 + number),
    }


def _oob_vlans(context: PairContext) -> dict[int, VlanIntent]:
    """Return the VLANs of out-of-band fabrics that this switch routes for."""
    vlans = {}
    for uplink, addresses in zip(context.oob_uplinks, context.oob, strict=True):
        for subnet in addresses.subnets[:1]:
            net = IPv4Network(subnet.prefix)
            vlans[uplink.vlan] = VlanIntent(
                description=f"{uplink.oob.name} {subnet.name}",
                mtu_bytes=switch_mtu_bytes(uplink.oob),
                address=f"{net[2 + context.number]}/{net.prefixlen}",
                anycast_gateway=f"{net[1]}/{net.prefixlen}",
                vni=vlan_vni(uplink.pair, uplink.vlan),
                vrf=OOB,
            )
    return vlans


def _in_vrf(vlans: Mapping[int, VlanIntent], vrf: str) -> dict[int, VlanIntent]:
    return {number: replace(vlan, vrf=vrf) for number, vlan in vlans.items()}


def _interface_prefixes(vlans: Iterable[VlanIntent]) -> list[IPv4Interface]:
    return [IPv4Interface(vlan.address) for vlan in vlans if vlan.address]


def _rules(prefixes: Iterable[tuple[str, int]]) -> dict[int, PrefixRule]:
    """Return prefix rules numbered 10, 20, ..."""
    return {10 * place: PrefixRule(prefix, longest) for place, (prefix, longest) in enumerate(prefixes, start=1)}


def _policy(vlans: Mapping[int, VlanIntent], loopbacks: Mapping[str, str | None]) -> RoutingPolicy:
    """Return the policy of routes that VRFs import from each other and advertise to networks outside."""
    lists = {
        "ALL_PREFIXES": _rules([(ANYTHING, 32)]),
        "EXIT_LOCAL_IF": _rules([(str(loopbacks[EXIT]), 32)]),
    }
    advertised: list[tuple[str, int]] = []
    for vrf in (INBAND, OOB):
        interfaces = _interface_prefixes(vlan for vlan in vlans.values() if vlan.vrf == vrf)
        own = (str(loopbacks[vrf]), 32)
        lists[f"{vrf}_LOCAL_IF"] = _rules([own, *((f"{interface.ip}/32", 32) for interface in interfaces)])
        lists[f"{vrf}_PREFIXES"] = _rules([*((str(interface.network), 32) for interface in interfaces), own])
        advertised += [(str(interface.network), interface.network.prefixlen) for interface in interfaces]
    lists[ADVERTISED_OUTSIDE] = _rules(
        [*advertised, *((loopback, 32) for loopback in _advertised_loopbacks(loopbacks))]
    )
    return RoutingPolicy(
        prefix_lists=dict(sorted(lists.items())),
        community_lists={COMMUNITY_LIST: {100: LEARNED_OUTSIDE}},
        route_maps={
            "EXIT_FILTER": {
                10: RouteMapRule(permit=False, prefix_list="EXIT_LOCAL_IF"),
                20: RouteMapRule(permit=True, set_community=LEARNED_OUTSIDE),
            },
            "INBAND_FILTER": _filter(INBAND, OOB),
            "OOB_FILTER": _filter(OOB, INBAND),
            ADVERTISED_OUTSIDE: {10: RouteMapRule(permit=True, prefix_list=ADVERTISED_OUTSIDE)},
        },
    )


def _merged_policy(own: RoutingPolicy, edge: RoutingPolicy | None) -> RoutingPolicy:
    """Return the policy of a pair with the lists and maps of its uplinks."""
    if edge is None:
        return own
    return replace(
        own,
        prefix_lists={**own.prefix_lists, **edge.prefix_lists},
        route_maps={**own.route_maps, **edge.route_maps},
    )


def _advertised_loopbacks(loopbacks: Mapping[str, str | None]) -> list[str]:
    return [loopback for vrf in (OOB, INBAND, EXIT) if (loopback := loopbacks[vrf])]


def _filter(vrf: str, other: str) -> dict[int, RouteMapRule]:
    """Return what a VRF takes from EXIT: nothing that is its own or came from the other one."""
    return {
        5: RouteMapRule(permit=False, community_list=COMMUNITY_LIST),
        10: RouteMapRule(permit=False, prefix_list=f"{other}_PREFIXES"),
        15: RouteMapRule(permit=False, prefix_list=f"{vrf}_LOCAL_IF"),
        20: RouteMapRule(permit=True, prefix_list="ALL_PREFIXES"),
    }


def _vrfs(bgp: BgpIntent, edge: BgpIntent | None, loopbacks: Mapping[str, str | None]) -> dict[str, VrfIntent]:
    imports = {EXIT: (INBAND, OOB), INBAND: (EXIT,), OOB: (EXIT,), GPU: ()}
    outside = (
        {peer: replace(one, export_policy=ADVERTISED_OUTSIDE) for peer, one in edge.neighbors.items()} if edge else {}
    )
    return {
        vrf: VrfIntent(
            l3_vlan=L3_VLANS[vrf],
            l3_vni=L3_VLANS[vrf] + L3_VNI_OFFSET,
            loopback=loopbacks[vrf],
            route_distinguisher=f"{bgp.router_id}:{L3_VLANS[vrf] + L3_VNI_OFFSET}",
            neighbors=outside if vrf == EXIT else {},
            imports=imports[vrf],
            import_policy=f"{vrf}_FILTER" if imports[vrf] else None,
        )
        for vrf in sorted(L3_VLANS)
    }


def _relays(context: PairContext, edge_ports: Sequence[str], oob: Iterable[int]) -> dict[str, DhcpRelayIntent]:
    """Return the relays: requests from out of band leave through the edge, and answers come back there."""
    if not context.dhcp:
        return {}
    return {
        EXIT: DhcpRelayIntent(context.dhcp, tuple(edge_ports), (L3_VLANS[EXIT],)),
        OOB: DhcpRelayIntent(context.dhcp, (), tuple(sorted({*oob, L3_VLANS[OOB]}))),
    }


def consolidate(context: PairContext, own: SwitchIntent, frontend: SwitchIntent | None) -> SwitchIntent:
    """Return a switch of a pair with everything it carries.

    Parameters
    ----------
    own, frontend
        Intents of its backend and of the frontend that shares its switches.
    """
    parts = [own, *([frontend] if frontend else [])]
    edge = frontend.bgp if frontend else None
    every = _merged(part.ports for part in parts)
    routed = {key for key, port in every.items() if port.unnumbered or port.address}
    outside = routed - set(own.bgp.neighbors if own.bgp else ())
    every |= context.ports
    ports = {key: replace(port, vrf=EXIT) if key in outside else port for key, port in every.items()}
    oob_vlans = _oob_vlans(context)
    vlans = _in_vrf(own.vlans, GPU) | _in_vrf(frontend.vlans if frontend else {}, INBAND) | oob_vlans
    channels = _merged(part.port_channels for part in parts) | context.channels
    loopbacks = _loopbacks(context)
    return replace(
        own,
        breakouts=_breakouts(context, parts),
        ports={key: ports[key] for key in sorted(ports, key=key_order)},
        port_channels=dict(sorted(channels.items())),
        vlans=dict(sorted(vlans.items())),
        anycast_mac=ANYCAST_MAC,
        telemetry=replace(own.telemetry or TelemetryIntent(None), histograms=True),
        vrfs=_vrfs(own.bgp, edge, loopbacks) if own.bgp else {},
        policy=_merged_policy(_policy(vlans, loopbacks), frontend.policy if frontend else None),
        dhcp_relays=_relays(context, sorted(outside, key=key_order), oob_vlans),
    )


def _breakouts(context: PairContext, parts: Sequence[SwitchIntent]) -> dict[str, str]:
    """Return how the cages of the switch are split, whatever fabric they belong to."""
    uplinks = (uplink.view.breakouts(context.number) for uplink in context.oob_uplinks)
    modes = _merged([*(part.breakouts for part in parts), *uplinks])
    return {port: modes[port] for port in sorted(modes, key=int)}


def _merged(mappings: Iterable[Mapping[Key, Value]]) -> dict[Key, Value]:
    """Return the entries of several mappings; the last one wins."""
    merged: dict[Key, Value] = {}
    for mapping in mappings:
        merged |= mapping
    return merged
