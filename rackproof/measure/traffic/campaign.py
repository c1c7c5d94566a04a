"""The campaign: which rounds are run on a site; each kind is run once, when the first check asks for it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, TypeVar

from rackproof.measure.counters.host_health import Health, HealthReader, look, watch
from rackproof.measure.counters.port_counters import SwitchReader
from rackproof.measure.remote.commands import HostCommands, run_commands
from rackproof.measure.remote.device_control import DeviceControl
from rackproof.measure.remote.runner import HostResult, RemoteRunner
from rackproof.measure.traffic.pair_runner import PairRunner, Participant
from rackproof.measure.traffic.pairs import Pair, Round
from rackproof.measure.traffic.participants import TrafficSite
from rackproof.measure.traffic.perftest import BANDWIDTH_BYTES, LATENCY_BYTES, LATENCY_MESSAGES, QUEUE_PAIRS, Options
from rackproof.measure.traffic.ping import probes, reached
from rackproof.measure.traffic.results import PairRun
from rackproof.measure.traffic.schedule import Kind, planned_rounds
from rackproof.measure.traffic.soak import HOUR_S, Soak, grown_counters

SECONDS: Final = 2.0
"""Of traffic a run at full speed: a thousand times the time that DCQCN takes to settle, and short for hundreds."""
SOFTWARE_BYTES: Final = 65_536
SOFTWARE_MESSAGES: Final = 100
"""Where software does what an adapter does: 25 MB, about a second. What is shown is that packets pass and how they are
counted, never how fast."""
MESSAGES_MIN: Final = 5
"""Of perftest (src/perftest_parameters.h, MIN_ITER)."""
SOFTWARE_LATENCY_MESSAGES: Final = 1_000

T = TypeVar("T")


@dataclass
class Campaign:
    """Runs on a site, each kind once.

    Parameters
    ----------
    site
        Who takes part.
    theatre, switches, hands, health
        Where commands run, who counts, who interrupts devices, and who asks hosts how they are.
    soak_hours
        How long a soak lasts; 0: there is none.
    on_round
        Told of each round before it begins.
    """

    site: TrafficSite
    runner: RemoteRunner
    switches: SwitchReader
    device_control: DeviceControl
    health: HealthReader
    soak_hours: float = 0.0
    on_round: Callable[[str], object] = lambda _text: None
    _done: dict[str, object] = field(default_factory=dict, init=False)

    def runs(self, kind: Kind) -> tuple[PairRun, ...]:
        """Return what came of a kind of run; the first to ask waits for it."""
        return self.run_once(kind, self._all_rounds(kind))

    def reachability(self) -> dict[Pair, bool | str]:
        """Return whether every rail port of a host reaches the rail ports of the next host, or why it is not known."""
        pairs = probes(self.site.ports)
        return self.run_once("reach", lambda: reached(self.runner, self.site.ports, pairs))

    def inventories(self) -> Mapping[str, Participant | str]:
        """Return what every host shows of its RDMA devices, or why that is not known."""
        hosts = {end.host for end in self.site.ports}
        return self.run_once("looks", lambda: self._pair_runner.cast(hosts))

    def run_commands(self, name: str, asked: HostCommands, limit_s: float) -> Mapping[str, HostResult]:
        """Return what came of commands on hosts; ``name`` says which they are."""
        return self.run_once(name, lambda: run_commands(self.runner, asked, limit_s))

    def soak(self) -> Soak:
        """Keep all rails busy for the stated hours, and look at the hosts meanwhile; without hours nothing is done."""
        return self.run_once("soak", self._soak)

    async def _soak(self) -> Soak:
        if not self.soak_hours:
            return Soak((), {})
        ports = {host: frozenset(self.site.plan.servers[host].ports) for host in {end.host for end in self.site.ports}}
        healths = {host: Health(own, host in self.site.accelerators) for host, own in ports.items()}
        await look(self.health, healths)
        watching = asyncio.create_task(watch(self.health, healths))
        try:
            runs = await self._busy()
        finally:
            watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching
        await look(self.health, healths)
        return Soak(runs, healths)

    async def _busy(self) -> tuple[PairRun, ...]:
        """Run all rails at once, again and again for the stated hours."""
        loop = asyncio.get_running_loop()
        until, kept = loop.time() + self.soak_hours * HOUR_S, dict[Pair, PairRun]()
        while not kept or loop.time() < until:
            runs = await self._all_rounds("all at once")()
            kept.update({run.pair: run for run in runs if run.pair not in kept or not _unwell(kept[run.pair])})
            if not runs:
                break
        return tuple(kept.values())

    def run_once(self, name: str, work: Callable[[], Awaitable[T]]) -> T:
        """Do something once and keep what came of it."""
        if name not in self._done:
            self._done[name] = self._loop.run(_awaited(work))
        return self._done[name]  # type: ignore[return-value]  # kept under its own name

    def close(self) -> None:
        """Let go of the hosts; the campaign is over."""
        self._loop.run(self.runner.close())
        self._loop.close()

    @cached_property
    def _loop(self) -> asyncio.Runner:
        """One event loop for all runs: connections stay open between them."""
        return asyncio.Runner()

    @cached_property
    def _pair_runner(self) -> PairRunner:
        """Looks at each host once for all kinds."""
        return PairRunner(self.runner, self.site.ports, self.switches)

    def _all_rounds(self, kind: Kind) -> Callable[[], Awaitable[tuple[PairRun, ...]]]:
        rounds = self._pair_runner

        async def run() -> tuple[PairRun, ...]:
            everything = planned_rounds(self.site, kind)
            cast = await rounds.cast({end.host for pairs in everything for pair in pairs for end in pair})
            software = any(isinstance(host, Participant) and _software(host) for host in cast.values())
            done: list[PairRun] = []
            for number, pairs in enumerate(everything, start=1):
                self.on_round(f"RDMA {kind}: round {number} of {len(everything)}, {len(pairs)} pairs")
                for batch, options in self._batches(kind, pairs, software=software):
                    vendor = self.site.vendor(batch[0]) if kind == "accelerators" else ""
                    runs = await rounds.run(batch, options, vendor)
                    done += [replace(run, all_rails_busy=kind == "all at once", alone=kind == "alone") for run in runs]
            return tuple(done)

        return run

    def _batches(self, kind: Kind, pairs: Round, *, software: bool) -> Iterable[tuple[Sequence[Pair], Options]]:
        """Yield the pairs of a round with equal options: their fabrics may differ in marking, their ports in speed."""
        found: dict[Options, list[Pair]] = {}
        for pair in pairs:
            marking = self.site.marking(pair.one)
            speed = min(self.site.ports[end].speed_gbps for end in pair)
            dscp = marking.dscp if marking else 0
            share = speed / len(pairs) if kind == "incast" else speed
            found.setdefault(run_options(kind, share, dscp, software=software), []).append(pair)
        return ((batch, options) for options, batch in found.items())


async def _awaited(work: Callable[[], Awaitable[T]]) -> T:
    return await work()


def _unwell(run: PairRun) -> bool:
    return bool(run.failure or grown_counters(run))


def _software(host: Participant) -> bool:
    return any(device.software for device in host.found.devices.values())


def run_options(kind: Kind, speed_gbps: float, dscp: int, *, software: bool) -> Options:
    """Return how a pair of ports is measured in a kind of run."""
    if kind == "latency":
        return Options("ib_read_lat", LATENCY_BYTES, SOFTWARE_LATENCY_MESSAGES if software else LATENCY_MESSAGES, dscp)
    both = kind in {"both ways", "all at once"}
    if software:
        return Options("ib_write_bw", SOFTWARE_BYTES, SOFTWARE_MESSAGES, dscp, QUEUE_PAIRS, both)
    messages = int(speed_gbps * 1e9 / 8 * SECONDS / (BANDWIDTH_BYTES * QUEUE_PAIRS)) + MESSAGES_MIN
    return Options("ib_write_bw", BANDWIDTH_BYTES, messages, dscp, QUEUE_PAIRS, both)
