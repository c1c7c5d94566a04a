"""Routes that a switch exchanges with networks outside: its sessions, and the prefix lists over them."""

from collections.abc import Iterable
from ipaddress import IPv4Network
from typing import Final

from rackproof.plan.fabric.draft import FabricDraft
from rackproof.plan.model.plan import BgpNeighborIntent, PrefixRule, RouteMapRule, RoutingPolicy
from rackproof.plan.network.addressing import FabricAddresses
from rackproof.site.models import Site, Uplink

DEFAULT_ROUTE: Final = (IPv4Network("0.0.0.0/0"),)
"""What is taken from outside unless the site says otherwise."""
LOOPBACKS: Final = "loopbacks"
HOST_LENGTH: Final = 32
STEP: Final = 10
"""Between the numbers of rules, as vendors' examples count (RFC 8212 asks for policies, not for numbers)."""


def import_name(uplink: str) -> str:
    """Return the name of the route map, and of its prefix list, over the routes that are taken from an uplink."""
    return f"{uplink}-in"


def export_name(uplink: str) -> str:
    """Return the name of the route map, and of its prefix list, over the routes that are advertised to an uplink."""
    return f"{uplink}-out"


def edge_session(draft: FabricDraft, name: str, uplink: Uplink) -> BgpNeighborIntent:
    """Return the session to a network outside; a consolidated pair filters what it advertises in a map of its own."""
    consolidated = draft.layout.consolidated or draft.asked.shares is not None
    return BgpNeighborIntent(
        name,
        uplink.asn,
        bfd=uplink.bfd,
        export_policy=None if consolidated else export_name(name),
        import_policy=None if consolidated and uplink.accept is None else import_name(name),
        maximum_prefixes=uplink.maximum_prefixes,
    )


def edge_policy(site: Site, addresses: FabricAddresses, sessions: Iterable[BgpNeighborIntent]) -> RoutingPolicy | None:
    """Return the prefix lists and route maps of a switch's sessions to networks outside; None: it has none.

    What no rule permits is refused (RFC 8212): a route map ends with an implicit deny.
    """
    lists: dict[str, dict[int, PrefixRule]] = {}
    named = {name for one in sessions for name in (one.import_policy, one.export_policy) if name}
    for name, uplink in sorted(site.external.uplinks.items()):
        if import_name(name) in named:
            accepted = DEFAULT_ROUTE if uplink.accept is None else uplink.accept
            lists[import_name(name)] = rules((prefix, prefix.prefixlen) for prefix in accepted)
        if export_name(name) in named:
            own = own_prefixes(addresses)
            given = own if uplink.advertise is None else [(one, one.prefixlen) for one in uplink.advertise]
            lists[export_name(name)] = rules(given)
    if not lists:
        return None
    maps = {name: {STEP: RouteMapRule(permit=True, prefix_list=name)} for name in lists}
    return RoutingPolicy(prefix_lists=lists, route_maps=maps)


def own_prefixes(addresses: FabricAddresses) -> list[tuple[IPv4Network, int]]:
    """Return the prefixes of a fabric, each with the longest prefix length that is advertised of it."""
    subnets = [(IPv4Network(one.prefix), one.name) for one in addresses.subnets]
    return sorted((prefix, HOST_LENGTH if name == LOOPBACKS else prefix.prefixlen) for prefix, name in subnets)


def rules(prefixes: Iterable[tuple[IPv4Network, int]]) -> dict[int, PrefixRule]:
    """Return prefix rules numbered 10, 20, ..."""
    return {STEP * place: PrefixRule(str(prefix), longest) for place, (prefix, longest) in enumerate(prefixes, start=1)}
