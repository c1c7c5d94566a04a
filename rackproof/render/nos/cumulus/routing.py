"""BGP, VRFs, the overlay and route policies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rackproof.render.nos.cumulus.grouping import neighbor_path
from rackproof.render.nos.cumulus.peers import write_peers
from rackproof.render.nos.cumulus.tree import put

if TYPE_CHECKING:
    from rackproof.plan.model.plan import BgpIntent, RouteMapRule, RoutingPolicy, SwitchIntent, VrfIntent
    from rackproof.render.config_tree import ConfigTree
    from rackproof.render.nos.cumulus.grouping import Groups
    from rackproof.render.nos.cumulus.ports import PortNames

DEFAULT: Final = "default"
UNICAST: Final = ("address-family", "ipv4-unicast")
EVPN: Final = ("address-family", "l2vpn-evpn")
OWN_PATHS: Final = 64
"""Paths of equal cost by default (NVUE reference, BGP: multipaths)."""

NVE: Final = ("nve", "vxlan")
ANYWHERE: Final = "0.0.0.0/0"


def write_bgp(tree: ConfigTree, groups: Groups, intent: SwitchIntent, names: PortNames) -> None:
    """Add BGP of the default VRF."""
    bgp = intent.bgp
    if bgp is None:
        return
    put(tree, "router", "bgp", "enable", "on")
    put(tree, "router", "bgp", "autonomous-system", str(bgp.asn))
    put(tree, "router", "bgp", "router-id", bgp.router_id)
    block = _bgp_block(tree, DEFAULT)
    _families(block, evpn=intent.vxlan is not None or any(neighbor.evpn for neighbor in bgp.neighbors.values()))
    if crosses_asns(bgp):
        put(block, "path-selection", "multipath", "aspath-ignore", "on")
    if bgp.maximum_paths != OWN_PATHS:
        for kind in ("ebgp", "ibgp"):
            put(block, *UNICAST, "multipaths", kind, str(bgp.maximum_paths))
    groups[neighbor_path(DEFAULT)] = write_peers(block, bgp.neighbors, names)


def crosses_asns(bgp: BgpIntent) -> bool:
    """Return whether paths lead through other ASNs: those of one length are then of equal cost."""
    return any(not neighbor.internal for neighbor in bgp.neighbors.values())


def _bgp_block(tree: ConfigTree, vrf: str) -> ConfigTree:
    """Return the block of a VRF's BGP, switched on."""
    block = tree.setdefault("vrf", {}).setdefault(vrf, {}).setdefault("router", {}).setdefault("bgp", {})
    put(block, "enable", "on")
    return block


def _families(block: ConfigTree, *, evpn: bool) -> None:
    """Add what a VRF's BGP carries: its connected routes, and the overlay's where there is one."""
    put(block, *UNICAST, "enable", "on")
    put(block, *UNICAST, "redistribute", "connected", "enable", "on")
    if evpn:
        put(block, *EVPN, "enable", "on")


def write_vrfs(tree: ConfigTree, groups: Groups, intent: SwitchIntent, names: PortNames) -> None:
    """Add the VRFs besides the default one."""
    for name, vrf in intent.vrfs.items():
        at = ("vrf", name)
        put(tree, *at)
        if vrf.loopback:
            put(tree, *at, "loopback", "ip", "address", vrf.loopback)
        if vrf.l3_vni is not None:
            put(tree, *at, "evpn", "enable", "on")
            put(tree, *at, "evpn", "vni", str(vrf.l3_vni))
        if vrf.l3_vlan is not None:
            put(tree, *at, "evpn", "vlan", str(vrf.l3_vlan))
        if intent.bgp is not None:
            block = _bgp_block(tree, name)
            _vrf_bgp(block, intent.bgp, vrf)
            groups[neighbor_path(name)] = write_peers(block, vrf.neighbors, names)


def _vrf_bgp(block: ConfigTree, bgp: BgpIntent, vrf: VrfIntent) -> None:
    """Add BGP of one VRF."""
    put(block, "autonomous-system", str(bgp.asn))
    put(block, "router-id", bgp.router_id)
    _families(block, evpn=vrf.l3_vni is not None)
    if vrf.l3_vni is not None:
        put(block, *UNICAST, "route-export", "to-evpn", "enable", "on")
    if vrf.route_distinguisher:
        put(block, "rd", vrf.route_distinguisher)
    for other in vrf.imports:
        put(block, *UNICAST, "route-import", "from-vrf", "enable", "on")
        put(block, *UNICAST, "route-import", "from-vrf", "list", other)
    if vrf.import_policy:
        put(block, *UNICAST, "route-import", "from-vrf", "route-map", vrf.import_policy)


def write_overlay(tree: ConfigTree, intent: SwitchIntent) -> None:
    """Add EVPN and the VXLAN tunnel end point; the DSCP of what hosts send is kept on both ways."""
    if intent.vxlan is None:
        return
    put(tree, "evpn", "enable", "on")
    if any(channel.ethernet_segment for channel in intent.port_channels.values()):
        put(tree, "evpn", "multihoming", "enable", "on")
    put(tree, *NVE, "enable", "on")
    put(tree, *NVE, "source", "address", intent.vxlan.source_address)
    put(tree, *NVE, "arp-nd-suppress", "on")
    put(tree, *NVE, "encapsulation", "dscp", "action", "copy")
    put(tree, *NVE, "decapsulation", "dscp", "action", "preserve")
    put(tree, *NVE, "flooding", "enable", "on")
    put(tree, *NVE, "flooding", "head-end-replication", "evpn")


def write_policy(tree: ConfigTree, policy: RoutingPolicy | None) -> None:
    """Add prefix lists, community lists and route maps."""
    if policy is None:
        return
    at = ("router", "policy")
    for name, prefixes in policy.prefix_lists.items():
        for number, prefix in prefixes.items():
            rule = (*at, "prefix-list", name, "rule", str(number))
            put(tree, *rule, "action", "permit" if prefix.permit else "deny")
            put(tree, *rule, "match", prefix.prefix)
            if prefix.longest:
                put(tree, *rule, "match", prefix.prefix, "max-prefix-len", str(prefix.longest))
    for name, communities in policy.community_lists.items():
        for number, community in communities.items():
            rule = (*at, "community-list", name, "rule", str(number))
            put(tree, *rule, "action", "permit")
            put(tree, *rule, "community", community)
    for name, rules in policy.route_maps.items():
        for number, route in rules.items():
            _route_map_rule(tree, (*at, "route-map", name, "rule", str(number)), route)


def _route_map_rule(tree: ConfigTree, at: tuple[str, ...], rule: RouteMapRule) -> None:
    """Add one rule of a route map."""
    put(tree, *at, "action", "permit" if rule.permit else "deny")
    if rule.prefix_list:
        put(tree, *at, "match", "type", "ipv4")
        put(tree, *at, "match", "ip-prefix-list", rule.prefix_list)
    if rule.community_list:
        put(tree, *at, "match", "community-list", rule.community_list)
    if rule.set_community:
        put(tree, *at, "set", "community", rule.set_community)


def write_default_route(tree: ConfigTree, intent: SwitchIntent) -> None:
    """Add the way out of the default VRF."""
    if intent.default_route:
        at = ("vrf", DEFAULT, "router", "static", ANYWHERE)
        put(tree, *at, "address-family", "ipv4-unicast")
        put(tree, *at, "via", intent.default_route, "type", "ipv4-address")
