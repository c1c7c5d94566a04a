"""Which rounds of pairs each kind of run has on a site, by the plan alone."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal

from rackproof.measure.traffic.pairs import End, Pair, Round, across_rails, all_at_once, along_rails
from rackproof.measure.traffic.participants import TrafficSite

Kind = Literal[
    "one way", "back", "both ways", "latency", "alone", "accelerators", "across rails", "all at once", "incast"
]
"""Alone: one rail at a time, while all the others of the same hosts have nothing to do."""

INCAST_SENDERS: Final = 2
"""Fewest that congest a port: two at full speed want twice what it carries."""


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
    """One matching of the hosts is enough: what is looked at is what else they do meanwhile."""
    pairs = next(iter(_along(site)), ())
    return (tuple(pair for pair in pairs if pair.one.rail == rail) for rail in site.rails)


def _with_accelerators(site: TrafficSite) -> Iterable[Round]:
    """Each vendor's are a round of their own."""
    vendors = sorted(set(site.accelerators.values()))
    return (
        tuple(pair for pair in pairs if site.vendor(pair) == vendor) for pairs in _along(site) for vendor in vendors
    )


def _across(site: TrafficSite) -> Iterable[Round]:
    return (tuple(pair for pair in pairs if site.joined(*pair)) for pairs in across_rails(site.rails, site.seed))


def _leaves(site: TrafficSite) -> dict[End, str]:
    return {end: port.at.device for end, port in site.ports.items()}


def _all_at_once(site: TrafficSite) -> Iterable[Round]:
    return [all_at_once(_leaves(site), site.seed)]


def incast_rounds(ends: Mapping[End, str]) -> tuple[Round, ...]:
    """Return a round for each leaf: everybody on one rail there sends to the first of them.

    One rail of a leaf at a time: what is looked at is one congested port.
    """
    rows: dict[tuple[str, int], list[End]] = {}
    for end, leaf in sorted(ends.items()):
        rows.setdefault((leaf, end.rail), []).append(end)
    chosen: dict[str, list[End]] = {}
    for (leaf, _), row in sorted(rows.items()):
        if len(row) > INCAST_SENDERS:
            chosen.setdefault(leaf, row)
    return tuple(tuple(Pair(sender, row[0]) for sender in row[1:]) for row in chosen.values())
