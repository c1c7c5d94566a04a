"""The campaign: the runs of a site, each kind run once, when the first check reads its results."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Final, TypeVar

from rackproof.measure.counters.host_health import Health, HealthReader, read_health, watch_health
from rackproof.measure.counters.port_counters import SwitchReader
from rackproof.measure.remote.commands import HostCommands, run_commands
from rackproof.measure.remote.device_control import DeviceControl
from rackproof.measure.remote.runner import HostResult, RemoteRunner
from rackproof.measure.traffic.pair_runner import PairRunner, Participant
from rackproof.measure.traffic.pairs import Pair, Round
from rackproof.measure.traffic.participants import TrafficSite
from rackproof.measure.traffic.perftest import BANDWIDTH_BYTES, LATENCY_BYTES, LATENCY_MESSAGES, QUEUE_PAIRS, Options
from rackproof.measure.traffic.ping import ping_results, probes
from rackproof.measure.traffic.results import PairRun
from rackproof.measure.traffic.schedule import Kind, planned_rounds
from rackproof.measure.traffic.soak import HOUR_S, Soak, grown_counters

SECONDS: Final = 2.0
"""Of traffic in a run at full speed: a thousand times the settling time of DCQCN, and short for hundreds of runs."""
SOFTWARE_BYTES: Final = 65_536
SOFTWARE_MESSAGES: Final = 100
"""Where software does RDMA: 25 MB, about a second. It proves that packets pass and are counted, never their speed."""
MESSAGES_MIN: Final = 5
"""Fewest that perftest accepts (src/perftest_parameters.h, MIN_ITER)."""
SOFTWARE_LATENCY_MESSAGES: Final = 1_000

T = TypeVar("T")


@dataclass
class Campaign:
    """Runs on a site, each kind once.

    Parameters
    ----------
    site
        The rail ports that take part.
    runner, switches, device_control, health
        Run commands on hosts, read switch ports, restart devices, and read the health of hosts.
    soak_hours
        Duration of the soak; 0: no soak.
    on_round
        Called with a sentence on each round before it starts.
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
        """Return the runs of a kind; the first call runs them."""
        return self.run_once(kind, lambda: self._run_kind(kind))

    def reachability(self) -> dict[Pair, bool | str]:
        """Return whether each rail port of a host reaches the rail ports of the next host, or why it is not known."""
        pairs = probes(self.site.ports)
        return self.run_once("reach", lambda: ping_results(self.runner, self.site.ports, pairs))

    def inventories(self) -> Mapping[str, Participant | str]:
        """Return the RDMA devices of every host, or why they are not known."""
        hosts = {end.host for end in self.site.ports}
        return self.run_once("inventories", lambda: self._pair_runner.participants(hosts))

    def run_commands(self, name: str, commands: HostCommands, limit_s: float) -> Mapping[str, HostResult]:
        """Return the results of commands on hosts; ``name`` identifies them."""
        return self.run_once(name, lambda: run_commands(self.runner, commands, limit_s))

    def soak(self) -> Soak:
        """Keep all rails busy for the stated hours, and read the health of hosts; without hours do nothing."""
        return self.run_once("soak", self._soak)

    async def _soak(self) -> Soak:
        if not self.soak_hours:
            return Soak((), {})
        ports = {host: frozenset(self.site.plan.servers[host].ports) for host in {end.host for end in self.site.ports}}
        healths = {host: Health(own, host in self.site.accelerators) for host, own in ports.items()}
        await read_health(self.health, healths)
        watching = asyncio.create_task(watch_health(self.health, healths))
        try:
            runs = await self._busy()
        finally:
            watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching
        await read_health(self.health, healths)
        return Soak(runs, healths)

    async def _busy(self) -> tuple[PairRun, ...]:
        """Run all rails at once for the stated hours; return each pair's first unhealthy run, else its last."""
        loop = asyncio.get_running_loop()
        until, kept = loop.time() + self.soak_hours * HOUR_S, dict[Pair, PairRun]()
        while not kept or loop.time() < until:
            runs = await self._run_kind("all at once")
            kept.update({run.pair: run for run in runs if run.pair not in kept or not _unhealthy(kept[run.pair])})
            if not runs:
                break
        return tuple(kept.values())

    def run_once(self, name: str, work: Callable[[], Awaitable[T]]) -> T:
        """Await work once and keep its result under a name."""
        if name not in self._done:
            self._done[name] = self._loop.run(_awaited(work))
        return self._done[name]  # type: ignore[return-value]  # kept under the name of this work

    def close(self) -> None:
        """Close the connections to the hosts."""
        self._loop.run(self.runner.close())
        self._loop.close()

    @cached_property
    def _loop(self) -> asyncio.Runner:
        """One event loop for all runs: connections stay open between them."""
        return asyncio.Runner()

    @cached_property
    def _pair_runner(self) -> PairRunner:
        """One for all kinds, so that each host's inventory is read once."""
        return PairRunner(self.runner, self.site.ports, self.switches)

    async def _run_kind(self, kind: Kind) -> tuple[PairRun, ...]:
        """Run all rounds of a kind, one after the other."""
        rounds = planned_rounds(self.site, kind)
        pairs_of_rounds = chain.from_iterable(rounds)
        participants = await self._pair_runner.participants({end.host for end in chain.from_iterable(pairs_of_rounds)})
        software = any(isinstance(one, Participant) and _software(one) for one in participants.values())
        done: list[PairRun] = []
        for number, pairs in enumerate(rounds, start=1):
            self.on_round(f"RDMA {kind}: round {number} of {len(rounds)}, {len(pairs)} pairs")
            for batch, options in self._batches(kind, pairs, software=software):
                vendor = self.site.vendor(batch[0]) if kind == "accelerators" else ""
                runs = await self._pair_runner.run(batch, options, vendor)
                done += [replace(run, all_rails_busy=kind == "all at once", alone=kind == "alone") for run in runs]
        return tuple(done)

    def _batches(self, kind: Kind, pairs: Round, *, software: bool) -> Iterable[tuple[Sequence[Pair], Options]]:
        """Yield the pairs of a round with equal options: fabrics may differ in marking, ports in speed."""
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


def _unhealthy(run: PairRun) -> bool:
    return bool(run.failure or grown_counters(run))


def _software(host: Participant) -> bool:
    return any(device.software for device in host.inventory.devices.values())


def run_options(kind: Kind, speed_gbps: float, dscp: int, *, software: bool) -> Options:
    """Return the options of perftest for a pair of ports in a kind of run."""
    if kind == "latency":
        return Options("ib_read_lat", LATENCY_BYTES, SOFTWARE_LATENCY_MESSAGES if software else LATENCY_MESSAGES, dscp)
    both = kind in {"both ways", "all at once"}
    if software:
        return Options("ib_write_bw", SOFTWARE_BYTES, SOFTWARE_MESSAGES, dscp, QUEUE_PAIRS, both)
    messages = int(speed_gbps * 1e9 / 8 * SECONDS / (BANDWIDTH_BYTES * QUEUE_PAIRS)) + MESSAGES_MIN
    return Options("ib_write_bw", BANDWIDTH_BYTES, messages, dscp, QUEUE_PAIRS, both)
