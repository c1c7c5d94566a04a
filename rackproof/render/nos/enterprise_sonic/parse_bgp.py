"""BGP of a configuration tree."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from rackproof.plan.model.plan import BgpIntent, BgpNeighborIntent, PrefixRule, RouteMapRule, RoutingPolicy
from rackproof.render.config_tree import ConfigTree, blocks, value, values
from rackproof.render.nos.enterprise_sonic.parse_interfaces import number, optional_number
from rackproof.render.nos.enterprise_sonic.words import unquoted

if TYPE_CHECKING:
    from collections.abc import Mapping

UNICAST: Final = "address-family ipv4 unicast"
PREFIX: Final = re.compile(
    r"(?P<name>\S+) seq (?P<number>\d+) (?P<action>permit|deny) (?P<prefix>\S+/(?P<length>\d+))"
    r"(?: le (?P<longest>\d+))?"
)
ENTRY: Final = re.compile(r"(?P<name>\S+) (?P<action>permit|deny) (?P<number>\d+)")


def routing_policy(tree: ConfigTree) -> RoutingPolicy | None:
    """Return prefix lists and route maps; None: there are none."""
    lists: dict[str, dict[int, PrefixRule]] = {}
    for text in values(tree, "ip prefix-list"):
        if row := PREFIX.fullmatch(text):
            rule = PrefixRule(row["prefix"], int(row["longest"] or row["length"]), permit=row["action"] == "permit")
            lists.setdefault(row["name"], {})[int(row["number"])] = rule
    maps: dict[str, dict[int, RouteMapRule]] = {}
    for text, block in blocks(tree, "route-map"):
        if row := ENTRY.fullmatch(text):
            found = RouteMapRule(row["action"] == "permit", value(block, "match ip address prefix-list"))
            maps.setdefault(row["name"], {})[int(row["number"])] = found
    return RoutingPolicy(prefix_lists=lists, route_maps=maps) if lists or maps else None


def bgp_intent(tree: ConfigTree, keys: Mapping[str, str]) -> BgpIntent | None:
    """Return BGP of the default VRF."""
    for asn, block in blocks(tree, "router bgp"):
        if not asn.isdecimal():
            continue
        unicast = block.get(UNICAST, {})
        return BgpIntent(
            asn=int(asn),
            router_id=value(block, "router-id") or "",
            neighbors={_peer(name, keys): _neighbor(neighbor) for name, neighbor in blocks(block, "neighbor")},
            maximum_paths=number(value(unicast, "maximum-paths")),
        )
    return None


def _peer(name: str, keys: Mapping[str, str]) -> str:
    """Return the port key of a session over a port, else the peer's address as it stands."""
    port = name.removeprefix("interface ")
    return keys.get(port, port)


def _neighbor(block: ConfigTree) -> BgpNeighborIntent:
    """Return one session."""
    return BgpNeighborIntent(
        description=unquoted(value(block, "description") or ""),
        remote_asn=optional_number(value(block, "remote-as")),
        evpn="activate" in block.get("address-family l2vpn evpn", {}),
        bfd="bfd" in block,
        export_policy=_route_map(block, " out"),
        import_policy=_route_map(block, " in"),
        maximum_prefixes=optional_number(value(block.get(UNICAST, {}), "maximum-prefix")),
        internal=value(block, "remote-as") == "internal",
    )


def _route_map(block: ConfigTree, direction: str) -> str | None:
    """Return the route map of a session in a direction."""
    found = values(block.get(UNICAST, {}), "route-map")
    return next((text.removesuffix(direction) for text in found if text.endswith(direction)), None)
