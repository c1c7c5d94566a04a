"""The campaign: which rounds are run on a site; each kind is run once, when the first check asks for it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeVar

from rackproof.deploy.live.live_site import LiveSite
from rackproof.deploy.live.pairs import End, Pair, Round, across_rails, all_at_once, along_rails
from rackproof.deploy.live.perftest import (
    BANDWIDTH_BYTES,
    LATENCY_BYTES,
    LATENCY_MESSAGES,
    QUEUE_PAIRS,
    Options,
)
from rackproof.deploy.live.port_counters import SwitchReader
from rackproof.deploy.live.rounds import Cast, Rounds
from rackproof.deploy.live.runs import PairRun
from rackproof.deploy.live.stage import Theatre

SECONDS: Final = 2.0
"""Of traffic a run at full speed: a thousand times the time that DCQCN takes to settle, and short for hundreds."""
SOFTWARE_BYTES: Final = 65_536
SOFTWARE_MESSAGES: Final = 100
"""Where software does what an adapter does: 25 MB, about a second. What is shown is that packets pass and how they are
counted, never how fast."""
SOFTWARE_LATENCY_MESSAGES: Final = 1_000

Kind = Literal["one way", "back", "both ways", "latency", "accelerators", "across rails", "all at once", "incast"]

T = TypeVar("T")


@dataclass
class Campaign:
    """Runs on a site, each kind once.

    Parameters
    ----------
    site
        Who takes part.
    theatre, switches
        Where commands run, and who counts.
    on_round
        Told of each round before it begins.
    """

    site: LiveSite
    theatre: Theatre
    switches: SwitchReader
    on_round: Callable[[str], object] = lambda _text: None
    _done: dict[str, object] = field(default_factory=dict, init=False)

    def runs(self, kind: Kind) -> tuple[PairRun, ...]:
        """Return what came of a kind of run; the first to ask waits for it."""
        return self.once(kind, self._all_rounds(kind))

    def once(self, name: str, work: Callable[[], Awaitable[T]]) -> T:
        """Do something once and keep what came of it."""
        if name not in self._done:

            async def kept() -> T:
                return await work()

            self._done[name] = asyncio.run(kept())
        return self._done[name]  # type: ignore[return-value]  # kept under its own name

    def rounds_of(self, kind: Kind) -> tuple[Round, ...]:
        """Return the rounds of a kind, by the plan alone."""
        site = self.site
        if kind == "across rails":
            rounds = across_rails(site.rails, site.seed)
            return _kept(tuple(pair for pair in pairs if site.joined(*pair)) for pairs in rounds)
        if kind == "all at once":
            return _kept([all_at_once({end: port.at.device for end, port in site.ports.items()}, site.seed)])
        if kind == "incast":
            return incast_rounds({end: port.at.device for end, port in site.ports.items()})
        rounds = along_rails(site.rails, site.seed)
        if kind == "back":
            return tuple(tuple(pair.back for pair in pairs) for pairs in rounds)
        if kind == "accelerators":
            return _kept(tuple(pair for pair in pairs if self._vendor(pair)) for pairs in rounds)
        return rounds

    def _vendor(self, pair: Pair) -> str:
        """Return the vendor of the accelerators that both hosts have; empty: none, or different ones."""
        one, other = (self.site.accelerators.get(end.host, "") for end in pair)
        return one if one == other else ""

    def _all_rounds(self, kind: Kind) -> Callable[[], Awaitable[tuple[PairRun, ...]]]:
        async def run() -> tuple[PairRun, ...]:
            rounds = Rounds(self.theatre, self.site.ports, self.switches)
            everything = self.rounds_of(kind)
            cast = await rounds.cast({end.host for pairs in everything for pair in pairs for end in pair})
            software = any(isinstance(host, Cast) and _software(host) for host in cast.values())
            done: list[PairRun] = []
            for number, pairs in enumerate(everything, start=1):
                self.on_round(f"RDMA {kind}: round {number} of {len(everything)}, {len(pairs)} pairs")
                for batch, options in self._batches(kind, pairs, software=software):
                    vendor = self._vendor(batch[0]) if kind == "accelerators" else ""
                    done += await rounds.run(batch, options, vendor)
            return tuple(done)

        return run

    def _batches(self, kind: Kind, pairs: Round, *, software: bool) -> Iterable[tuple[Sequence[Pair], Options]]:
        """Yield the pairs of a round with equal options: their fabrics may differ in marking, their ports in speed."""
        found: dict[Options, list[Pair]] = {}
        for pair in pairs:
            marking = self.site.marking(pair.one)
            speed = min(self.site.ports[end].speed_gbps for end in pair)
            dscp = marking.dscp if marking else 0
            found.setdefault(options_of(kind, speed, dscp, software=software), []).append(pair)
        return ((batch, options) for options, batch in found.items())


def _software(host: Cast) -> bool:
    return any(device.software for device in host.found.devices.values())


def _kept(rounds: Iterable[Round]) -> tuple[Round, ...]:
    return tuple(pairs for pairs in rounds if pairs)


def options_of(kind: Kind, speed_gbps: int, dscp: int, *, software: bool) -> Options:
    """Return how a pair of ports is measured in a kind of run."""
    if kind == "latency":
        return Options("ib_read_lat", LATENCY_BYTES, SOFTWARE_LATENCY_MESSAGES if software else LATENCY_MESSAGES, dscp)
    both = kind in {"both ways", "all at once"}
    if software:
        return Options("ib_write_bw", SOFTWARE_BYTES, SOFTWARE_MESSAGES, dscp, QUEUE_PAIRS, both)
    messages = int(speed_gbps * 1e9 / 8 * SECONDS / (BANDWIDTH_BYTES * QUEUE_PAIRS)) + 1
    return Options("ib_write_bw", BANDWIDTH_BYTES, messages, dscp, QUEUE_PAIRS, both)


def incast_rounds(ends: dict[End, str]) -> tuple[Round, ...]:
    """Return a round for each leaf and rail: everybody there sends to the first of them.

    It is run on one rail of a leaf at a time, because what is looked at is one congested port.
    """
    rows: dict[tuple[str, int], list[End]] = {}
    for end, leaf in sorted(ends.items()):
        rows.setdefault((leaf, end.rail), []).append(end)
    first_rail: dict[str, list[End]] = {}
    for (leaf, _), row in sorted(rows.items()):
        if len(row) > INCAST_SENDERS and leaf not in first_rail:
            first_rail[leaf] = row
    return tuple(tuple(Pair(sender, row[0]) for sender in row[1:]) for row in first_rail.values())


INCAST_SENDERS: Final = 2
"""Fewest that congest a port: two at full speed want twice what it carries."""
