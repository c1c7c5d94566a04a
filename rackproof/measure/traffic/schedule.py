"""The rounds of pairs of each kind of run on a site, from the plan alone."""

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Final, Literal

from rackproof.measure.traffic.pairs import End, Pair, Round, across_rails, all_at_once, along_rails
from rackproof.measure.traffic.participants import TrafficSite

Kind = Literal[
    "one way", "back", "both ways", "latency", "alone", "accelerators", "across rails", "all at once", "incast"
]
"""Alone: one rail at a time, while all other rails of the same hosts are idle."""

INCAST_SENDERS: Final = 2
"""Fewest that congest a port: two at full speed send twice what it carries."""


def planned_rounds(site: TrafficSite, kind: Kind) -> tuple[Round, ...]:
    """Return the rounds of a kind; one without pairs is left out."""
    makers: Mapping[Kind, Callable[[TrafficSite], Iterable[Round]]] = {
        "back": _back,
        "alone": _alone,
        "accelerators": _with_accelerators,
        "across rails": _across,
        "all at once": _all_at_once,
        "incast": lambda site: incast_rounds(_leaves(site)),
    }
    return tuple(pairs for pairs in makers.get(kind, _along)(site) if pairs)


def _along(site: TrafficSite) -> tuple[Round, ...]:
    return along_rails(site.rails, site.seed)


def _back(site: TrafficSite) -> Iterable[Round]:
    return (tuple(pair.back for pair in pairs) for pairs in _along(site))


def _alone(site: TrafficSite) -> Iterable[Round]:
    """One round is enough: the check reads the other rails of the same hosts."""
    pairs = next(iter(_along(site)), ())
    return (tuple(pair for pair in pairs if pair.one.rail == rail) for rail in site.rails)


def _with_accelerators(site: TrafficSite) -> Iterable[Round]:
    """Yield rounds whose hosts have accelerators of one vendor."""
    vendors = sorted(set(site.accelerators.values()))
    for pairs, vendor in product(_along(site), vendors):
        yield tuple(pair for pair in pairs if site.vendor(pair) == vendor)


def _across(site: TrafficSite) -> Iterable[Round]:
    return (tuple(pair for pair in pairs if site.joined(*pair)) for pairs in across_rails(site.rails, site.seed))


def _leaves(site: TrafficSite) -> dict[End, str]:
    return {end: port.at.device for end, port in site.ports.items()}


def _all_at_once(site: TrafficSite) -> Iterable[Round]:
    return [all_at_once(_leaves(site), site.seed)]


def incast_rounds(ends: Mapping[End, str]) -> tuple[Round, ...]:
    """Return a round for each leaf: all hosts of one rail there send to the first of them.

    One rail of a leaf at a time: the check reads one congested port.
    """
    rows: dict[tuple[str, int], list[End]] = {}
    for end, leaf in sorted(ends.items()):
        rows.setdefault((leaf, end.rail), []).append(end)
    chosen: dict[str, list[End]] = {}
    for (leaf, _), row in sorted(rows.items()):
        if len(row) > INCAST_SENDERS:
            chosen.setdefault(leaf, row)
    return tuple(tuple(Pair(sender, row[0]) for sender in row[1:]) for row in chosen.values())
