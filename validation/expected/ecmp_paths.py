"""Where the plan has routes lead: to every prefix that another switch serves, over all shortest ways."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rackproof.plan.model.plan import SwitchIntent
from validation.expected.subjects import SiteUnderTest


class EcmpPaths(NamedTuple):
    """How packets get to a prefix."""

    distance: int
    """Switches on the way to who serves it."""
    ports: frozenset[str]
    """By which they leave."""


def expected_paths(site: SiteUnderTest, name: str) -> Iterator[tuple[str, Mapping[str, EcmpPaths]]]:
    """Yield every switch that sessions over cables lead to, with its prefixes and the ways to each.

    A route that has been through an ASN does not come back to it (RFC 4271, 9.1.2): two switches with one ASN have
    routes to each other only over a session of their own. Of several that serve a prefix, the nearest count.
    """
    intents = site.plan.intents()
    near = {far for _, far in adjacent_switches(site, name)}
    reached = {
        far: ways
        for far, ways in _reached(site, name).items()
        if far in near or asn(intents[far]) != asn(intents[name])
    }
    served = site.advertised_prefixes
    own, best = served[name], dict[str, EcmpPaths]()
    for far, ways in reached.items():
        for prefix in served[far] - own:
            known = best.get(prefix, EcmpPaths(ways.distance, frozenset()))
            if known.distance == ways.distance:
                best[prefix] = known._replace(ports=known.ports | ways.ports)
    for far in reached:
        found = {prefix: best[prefix] for prefix in sorted(served[far] - own)}
        if found:
            yield far, found


def _reached(site: SiteUnderTest, name: str) -> dict[str, EcmpPaths]:
    """Return the switches that sessions over cables lead to, the nearest first."""
    found = {name: EcmpPaths(0, frozenset())}
    edge = [name]
    while edge:
        further: dict[str, EcmpPaths] = {}
        for here in edge:
            for port, far in adjacent_switches(site, here):
                if far not in found:
                    before = further.get(far, EcmpPaths(found[here].distance + 1, frozenset()))
                    ports = frozenset({port}) if here == name else found[here].ports
                    further[far] = before._replace(ports=before.ports | ports)
        found.update(further)
        edge = list(further)
    return {far: ways for far, ways in found.items() if far != name}


def adjacent_switches(site: SiteUnderTest, name: str) -> Iterator[tuple[str, str]]:
    """Yield the ports of a switch over which it has a session with another switch, and that switch."""
    switches = site.plan.switches
    for port, cable in site.cables.get(name, {}).items():
        intents = (switches[one].intent for one in (name, cable.there.device) if cable.joins_switches)
        if cable.joins_switches and all(intent is not None and asn(intent) for intent in intents):
            yield port, cable.there.device


def asn(intent: SwitchIntent) -> int | None:
    """Return a switch's ASN."""
    return None if intent.bgp is None else intent.bgp.asn
