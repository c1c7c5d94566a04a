"""A tree of NVUE words back to the intent; what the intent cannot express is left to the comparison."""

from __future__ import annotations

from itertools import chain, count
from typing import TYPE_CHECKING, Final

from rackproof.plan.model.plan import (
    BgpIntent,
    EthernetSegmentIntent,
    PortChannelIntent,
    PortIntent,
    PrefixRule,
    RouteMapRule,
    RoutingPolicy,
    SwitchIntent,
    VlanIntent,
    VrfIntent,
    VxlanIntent,
)
from rackproof.render.nos.cumulus import qos, system, telemetry
from rackproof.render.nos.cumulus.interfaces import BRIDGE, OWN_DF_PREFERENCE, OWN_MTU_BYTES
from rackproof.render.nos.cumulus.names import NUMBERED, natural
from rackproof.render.nos.cumulus.peers import UNICAST, read_peers
from rackproof.render.nos.cumulus.ports import (
    WORDS_OF_FEC,
    port_names,
    port_natures,
    read_breakouts,
    speed_gbps,
)
from rackproof.render.nos.cumulus.routing import ANYWHERE, DEFAULT, NVE, OWN_PATHS
from rackproof.render.nos.cumulus.tree import below, is_on, whole, word

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rackproof.hardware.models import NosModel, SwitchModel
    from rackproof.render.config_tree import ConfigTree


MEMBERS: Final = ("bond", "member")
SEGMENT: Final = ("evpn", "multihoming", "segment")


def switch_intent(nos: NosModel, model: SwitchModel, tree: ConfigTree, dialect: str | None) -> SwitchIntent:
    """Return the intent that a tree in the words of the base release states.

    What the tree lacks is empty or 0 in the intent; nothing is guessed.
    """
    breakouts = read_breakouts(nos, model, tree)
    key_of = port_names(nos, model, breakouts).key_of
    bgp = _bgp(tree, key_of)
    return SwitchIntent(
        hostname=word(tree, "system", "hostname") or "",
        management=system.read_management(tree),
        ntp=system.read_servers(tree, "service", "ntp", system.MANAGEMENT_VRF, "server"),
        dns=system.read_servers(tree, "service", "dns", system.MANAGEMENT_VRF, "server"),
        syslog=system.read_servers(tree, *system.SYSLOG),
        breakouts=breakouts,
        ports=dict(_ports(model, tree, breakouts, key_of)),
        port_channels=dict(_bonds(tree)),
        vlans=dict(_vlans(tree)),
        loopback=word(tree, "interface", "lo", "ip", "address"),
        anycast_mac=word(tree, "system", "global", "anycast-mac"),
        bgp=bgp,
        vxlan=_vxlan(tree),
        roce=qos.read_roce(tree),
        telemetry=telemetry.read_telemetry(tree),
        lldp=word(tree, "service", "lldp", "state") != "disabled",
        vrfs={name: _vrf(vrf, key_of) for name, vrf in below(tree, "vrf").items() if name != DEFAULT},
        policy=_policy(below(tree, "router", "policy")),
        dhcp_relays=system.read_relays(tree, key_of),
        default_route=word(tree, "vrf", DEFAULT, "router", "static", ANYWHERE, "via"),
        dialect=dialect,
    )


# --- Interfaces ---------------------------------------------------------------------------------------------------


def _ports(
    model: SwitchModel, tree: ConfigTree, breakouts: Mapping[str, str], key_of: Mapping[str, str]
) -> Iterator[tuple[str, PortIntent]]:
    """Yield the ports in use: those that are up, and those that are down with the settings of a port in use."""
    interfaces = below(tree, "interface")
    bonds: dict[str, int] = {}
    for name, number in _bond_numbers(interfaces).items():
        bonds |= dict.fromkeys(below(interfaces, name, *MEMBERS), number)
    unnumbered = _unnumbered(tree)
    natures = port_natures(model, key_of.values(), breakouts)
    for name, key in key_of.items():
        interface = interfaces.get(name)
        carries = name in bonds or name in unnumbered
        if interface is None or (not carries and is_unused_port(interface)):
            continue
        speed = word(interface, "link", "speed")
        nature = natures[key]
        speed_now = speed_gbps(speed) if speed else nature.speed_gbps
        fec = word(interface, "link", "fec")
        lossless = qos.is_lossless(interface)
        yield (
            key,
            PortIntent(
                description=word(interface, "description") or "",
                speed_gbps=speed_now,
                fec=WORDS_OF_FEC.get(fec or "") or nature.fec(speed_now) or "none",
                mtu_bytes=_mtu_bytes(interface),
                vlan=_untagged(interface),
                tagged_vlans=_tagged(interface),
                address=word(interface, "ip", "address"),
                unnumbered=name in unnumbered,
                port_channel=bonds.get(name),
                lossless=lossless,
                cable_length_m=qos.read_cable_length_m(tree, interface) if lossless else None,
                vrf=word(interface, "ip", "vrf"),
                adaptive_routing=is_on(interface, "router", "adaptive-routing", "enable"),
                multihoming_uplink=is_on(interface, "evpn", "multihoming", "uplink"),
            ),
        )


def is_unused_port(interface: ConfigTree) -> bool:
    """Return whether a port is down, and has nothing else but its type, speed and description."""
    link = interface.get("link", {})
    own = interface.keys() <= {"type", "link", "description"} and link.keys() <= {"state", "speed"}
    return own and "down" in link.get("state", {})


def _bond_numbers(interfaces: ConfigTree) -> dict[str, int]:
    """Return bond name to number: its own; of others the number of their segment, or the next free one."""
    numbers = dict(_numbered(interfaces, "bond"))
    taken = set(numbers.values())
    for name in sorted((name for name, block in interfaces.items() if word(block, "type") == "bond"), key=natural):
        if name not in numbers:
            wanted = whole(interfaces[name], *SEGMENT, "local-id")
            free = (number for number in count(1) if number not in taken)
            numbers[name] = wanted if wanted is not None and wanted not in taken else next(free)
            taken.add(numbers[name])
    return numbers


def _numbered(interfaces: ConfigTree, stem: str) -> Iterator[tuple[str, int]]:
    """Yield the interfaces that are called ``stem`` and a number."""
    for name in interfaces:
        match = NUMBERED.match(name)
        if match is not None and match["stem"] == stem and match["last"] is None:
            yield name, int(match["first"])


def _unnumbered(tree: ConfigTree) -> frozenset[str]:
    """Return the interfaces that a BGP session without addresses runs over."""
    vrfs = below(tree, "vrf").values()
    neighbors = chain.from_iterable(below(vrf, "router", "bgp", "neighbor").items() for vrf in vrfs)
    return frozenset(name for name, neighbor in neighbors if word(neighbor, "type") == "unnumbered")


def _mtu_bytes(interface: ConfigTree) -> int:
    found = whole(interface, "link", "mtu")
    return OWN_MTU_BYTES if found is None else found


def _untagged(interface: ConfigTree) -> int | None:
    access = whole(interface, *BRIDGE, "access")
    return access if access is not None else whole(interface, *BRIDGE, "untagged")


def _tagged(interface: ConfigTree) -> tuple[int, ...]:
    return tuple(sorted(int(vlan) for vlan in below(interface, *BRIDGE, "vlan")))


def _bonds(tree: ConfigTree) -> Iterator[tuple[int, PortChannelIntent]]:
    """Yield the bundles by number."""
    interfaces = below(tree, "interface")
    for name, number in _bond_numbers(interfaces).items():
        interface = interfaces[name]
        yield (
            number,
            PortChannelIntent(
                description=word(interface, "description") or "",
                mtu_bytes=_mtu_bytes(interface),
                vlan=_untagged(interface),
                tagged_vlans=_tagged(interface),
                address=word(interface, "ip", "address"),
                ethernet_segment=_segment(below(interface, *SEGMENT), number),
                lacp_bypass=is_on(interface, "bond", "lacp-bypass"),
            ),
        )


def _segment(segment: ConfigTree, bond: int) -> EthernetSegmentIntent | None:
    """Return the Ethernet segment of a bundle; its number is given only where it differs from the bundle's."""
    if not segment:
        return None
    preference, number = whole(segment, "df-preference"), whole(segment, "local-id")
    return EthernetSegmentIntent(
        system_mac=word(segment, "mac-address") or "",
        df_preference=OWN_DF_PREFERENCE if preference is None else preference,
        number=None if number == bond else number,
    )


def _vlans(tree: ConfigTree) -> Iterator[tuple[int, VlanIntent]]:
    """Yield the VLANs by number."""
    for vlan, mapped in below(tree, *BRIDGE, "vlan").items():
        interface = below(tree, "interface", f"vlan{vlan}")
        yield (
            int(vlan),
            VlanIntent(
                description=word(interface, "description") or "",
                mtu_bytes=_mtu_bytes(interface),
                address=word(interface, "ip", "address"),
                anycast_gateway=word(interface, "ip", "vrr", "address"),
                vni=whole(mapped, "vni"),
                vrf=word(interface, "ip", "vrf"),
            ),
        )


# --- Routing ------------------------------------------------------------------------------------------------------


def _bgp(tree: ConfigTree, key_of: Mapping[str, str]) -> BgpIntent | None:
    """Return BGP of the default VRF."""
    if not is_on(tree, "router", "bgp", "enable"):
        return None
    block = below(tree, "vrf", DEFAULT, "router", "bgp")
    paths = whole(block, *UNICAST, "multipaths", "ebgp")
    return BgpIntent(
        asn=whole(tree, "router", "bgp", "autonomous-system") or 0,
        router_id=word(tree, "router", "bgp", "router-id") or "",
        neighbors=read_peers(block, key_of),
        maximum_paths=OWN_PATHS if paths is None else paths,
    )


def _vxlan(tree: ConfigTree) -> VxlanIntent | None:
    """Return the tunnel end point."""
    if not is_on(tree, *NVE, "enable"):
        return None
    return VxlanIntent(word(tree, *NVE, "source", "address") or "")


def _vrf(vrf: ConfigTree, key_of: Mapping[str, str]) -> VrfIntent:
    """Return one VRF."""
    bgp = below(vrf, "router", "bgp")
    imports = below(bgp, *UNICAST, "route-import", "from-vrf")
    return VrfIntent(
        l3_vlan=whole(vrf, "evpn", "vlan"),
        l3_vni=whole(vrf, "evpn", "vni"),
        loopback=word(vrf, "loopback", "ip", "address"),
        route_distinguisher=word(bgp, "rd"),
        neighbors=read_peers(bgp, key_of),
        imports=tuple(sorted(below(imports, "list"))),
        import_policy=word(imports, "route-map"),
    )


def _policy(policy: ConfigTree) -> RoutingPolicy | None:
    """Return prefix lists, community lists and route maps."""
    if not policy:
        return None
    return RoutingPolicy(
        prefix_lists={name: dict(_prefixes(rules)) for name, rules in below(policy, "prefix-list").items()},
        community_lists={
            name: {int(number): word(rule, "community") or "" for number, rule in below(rules, "rule").items()}
            for name, rules in below(policy, "community-list").items()
        },
        route_maps={
            name: {int(number): _route_map_rule(rule) for number, rule in below(rules, "rule").items()}
            for name, rules in below(policy, "route-map").items()
        },
    )


def _prefixes(rules: ConfigTree) -> Iterator[tuple[int, PrefixRule]]:
    """Yield the rules of a prefix list by number."""
    for number, rule in below(rules, "rule").items():
        prefix = word(rule, "match") or ""
        longest = whole(rule, "match", prefix, "max-prefix-len")
        length = int(prefix.partition("/")[2] or 0)
        yield int(number), PrefixRule(prefix, length if longest is None else longest, word(rule, "action") == "permit")


def _route_map_rule(rule: ConfigTree) -> RouteMapRule:
    """Return one rule of a route map."""
    return RouteMapRule(
        permit=word(rule, "action") == "permit",
        prefix_list=word(rule, "match", "ip-prefix-list"),
        community_list=word(rule, "match", "community-list"),
        set_community=word(rule, "set", "community"),
    )
