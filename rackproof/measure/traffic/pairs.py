"""Rounds of pairs of rail ports, in which no port has two partners.

The rule, as it is written into the report: on a rail with up to `FULL_MESH` hosts every host meets every other; with
more, `SAMPLED_ROUNDS` rounds are drawn by a seed that follows from the plan, and each host has one partner in each
round. So every port is proven as often on a site of 16 hosts as on one of 2,000, and a faulty port fails with every
partner.
"""

import hashlib
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Final, NamedTuple

FULL_MESH: Final = 8
"""Hosts up to which every host meets every other: a rack or two; 7 rounds."""
SAMPLED_ROUNDS: Final = 7
"""Rounds of a larger rail: as many partners as a host has in the largest full mesh."""


class End(NamedTuple):
    """A rail port of a host."""

    host: str
    rail: int

    def __str__(self) -> str:
        return f"{self.host}:rail{self.rail}"


class Pair(NamedTuple):
    """Two rail ports of different hosts."""

    one: End
    other: End

    def __str__(self) -> str:
        return f"{self.one} > {self.other}"

    @property
    def back(self) -> "Pair":
        """The same two ports in the other direction."""
        return Pair(self.other, self.one)


Round = tuple[Pair, ...]
"""Pairs that run at the same time; no port is in two of them."""


def pair_seed(*words: str) -> int:
    """Return a seed that follows from words alone: the same plan gives the same pairs, on any machine."""
    return int.from_bytes(hashlib.sha256("\0".join(words).encode()).digest()[:8], "big")


def rule(hosts: int) -> str:
    """Return a sentence on the pairs of a rail with so many hosts."""
    if hosts <= FULL_MESH:
        return f"{hosts} hosts on a rail: everybody with everybody"
    return (
        f"{hosts} hosts on a rail: {SAMPLED_ROUNDS} rounds drawn by the plan's seed, everybody with one partner in each"
    )


def matchings(hosts: Sequence[str], seed: int) -> tuple[tuple[tuple[str, str], ...], ...]:
    """Return rounds of partners: all rounds of a small set, some of a large one.

    The circle method (Kirkman 1847): of n places one is fixed and the others rotate; after n - 1 rounds every host has
    met every other once. With an odd number one host is idle in each round.
    """
    places: list[str | None] = [*sorted(hosts)]
    chance = random.Random(seed)  # noqa: S311 a draw that is meant to be repeatable
    chance.shuffle(places)
    if len(places) % 2:
        places.append(None)
    turns = max(len(places) - 1, 0)
    chosen = range(turns) if len(hosts) <= FULL_MESH else sorted(chance.sample(range(turns), SAMPLED_ROUNDS))
    return tuple(tuple(_turn(places, turn)) for turn in chosen)


def _turn(places: Sequence[str | None], turn: int) -> Iterator[tuple[str, str]]:
    """Yield the partners of one turn of the circle."""
    fixed, circle = places[0], places[1:]
    size = len(circle)
    ring = [fixed, *(circle[(turn + step) % size] for step in range(size))]
    for step in range(len(ring) // 2):
        one, other = ring[step], ring[-1 - step]
        if one is not None and other is not None:
            yield one, other


def along_rails(rails: Mapping[int, Iterable[str]], seed: int) -> tuple[Round, ...]:
    """Return rounds of pairs within rails; all rails run at the same time.

    Parameters
    ----------
    rails
        Rail to the hosts that are on it.
    seed
        See `pair_seed`.
    """
    by_rail = {rail: matchings(sorted(set(hosts)), seed + rail) for rail, hosts in sorted(rails.items())}
    turns = max((len(rounds) for rounds in by_rail.values()), default=0)
    return tuple(tuple(_rail_pairs(by_rail, turn)) for turn in range(turns))


def _rail_pairs(by_rail: Mapping[int, Sequence[Iterable[tuple[str, str]]]], turn: int) -> Iterator[Pair]:
    """Yield the pairs of all rails in one turn; rails with fewer rounds are idle in the last ones."""
    for rail, rounds in by_rail.items():
        if turn < len(rounds):
            yield from (Pair(End(one, rail), End(other, rail)) for one, other in rounds[turn])


def across_rails(rails: Mapping[int, Iterable[str]], seed: int) -> tuple[Round, ...]:
    """Return rounds of pairs between different rails of different hosts.

    Two partners meet with a shift: rail i of the one with rail i + shift of the other, and so every port of both has
    one partner. On a small site every two partners meet with every shift; on a large one each round takes one, and
    the rounds together take them in turn.
    """
    members = {rail: set(hosts) for rail, hosts in rails.items()}
    order = sorted(members)
    hosts = sorted(set().union(*members.values())) if members else []
    shifts = range(1, len(order))
    rounds = matchings(hosts, seed)
    everything = list(product(rounds, shifts))
    if len(hosts) > FULL_MESH and shifts:
        everything = [(turn, shifts[number % len(shifts)]) for number, turn in enumerate(rounds)]
    found = (tuple(_shifted(turn, shift, order, members)) for turn, shift in everything)
    return tuple(pairs for pairs in found if pairs)


def _shifted(
    partners: Iterable[tuple[str, str]], shift: int, order: Sequence[int], members: Mapping[int, set[str]]
) -> Iterator[Pair]:
    for one, other in partners:
        for place, rail in enumerate(order):
            peer_rail = order[(place + shift) % len(order)]
            if one in members[rail] and other in members[peer_rail]:
                yield Pair(End(one, rail), End(other, peer_rail))


def all_at_once(ends: Mapping[End, str], seed: int) -> Round:
    """Return one round in which every port has a partner on its rail, on another switch where possible.

    Parameters
    ----------
    ends
        Every rail port to its switch.
    seed
        Decides between equal choices of partners.

    Ports of a rail are put in the order of their switches and each meets the one half the row away: as long as no
    switch has more than half of them, every pair is on two switches, so that all of it crosses the spines.
    """
    pairs: list[Pair] = []
    for rail in sorted({end.rail for end in ends}):
        row = [end for end in sorted(ends) if end.rail == rail]
        random.Random(seed + rail).shuffle(row)  # noqa: S311 a draw that is meant to be repeatable
        row.sort(key=lambda end: ends[end])
        half = len(row) // 2
        # With an odd number the port in the middle is idle: no port is half a row away from it.
        pairs += [Pair(row[place], row[len(row) - half + place]) for place in range(half)]
    return tuple(pairs)
