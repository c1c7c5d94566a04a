"""The run of one pair: its measurement, and what both hosts and both switch ports counted meanwhile."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Literal

from rackproof.facts.fact import FactError
from rackproof.facts.models import PortCounters
from rackproof.measure.counters.nic_counters import NicCounters, nic_counters
from rackproof.measure.counters.port_counters import SwitchReading
from rackproof.measure.remote.runner import HostResult, JobResult
from rackproof.measure.traffic.pairs import End, Pair
from rackproof.measure.traffic.perftest import Measured, NotPerftestError, Options, last_line, parse
from rackproof.measure.traffic.rail_ports import RailPort, RdmaDevice
from rackproof.plan.model.plan import LinkEnd

MISSING: Final = 127
"""Exit status of `timeout`, as of every shell, for a missing command (timeout(1))."""

Failure = Literal["", "site", "unknown", "unable"]
"""No failure; a fault of the site; the run gave no result; the host's tools do not support it."""


@dataclass(frozen=True, slots=True)
class PairRun:
    """One run of one pair."""

    pair: Pair
    options: Options
    accelerators: bool = False
    """Whether the memory of accelerators was used."""
    measured: Measured | None = None
    failure: Failure = ""
    error: str = ""
    """Description of the failure."""
    nics: Mapping[End, NicCounters] = field(default_factory=dict)
    """Counters of every rail port of the two hosts during the run."""
    ports: Mapping[LinkEnd, PortCounters] = field(default_factory=dict)
    """Counters of the two switch ports during the run."""
    unread: str = ""
    """Why counters are missing."""
    all_rails_busy: bool = False
    """Whether every rail of every host was busy at the same time, as planned."""
    alone: bool = False
    """Whether all other rails of its hosts were idle, as planned."""
    busy: frozenset[End] = frozenset()
    """Rail ports with a partner in the same round."""
    software: bool = False
    """Whether software did RDMA; such a run proves no speed."""
    commands: tuple[str, ...] = ()
    """Of the listening side and of the other side."""
    log: str = ""
    """Output of both sides."""


@dataclass(frozen=True)
class Readings:
    """Everything read before and after a round; each counter is compared once, however many pairs run."""

    ports: Mapping[End, RailPort]
    devices: Mapping[End, RdmaDevice]
    """Of every rail port of the participants."""
    results: Mapping[str, HostResult]
    before: SwitchReading
    after: SwitchReading

    @cached_property
    def counted(self) -> Mapping[str, Mapping[End, NicCounters | str]]:
        """Return host to the counters of each of its rail ports during the round, or why they are not known."""
        found: dict[str, dict[End, NicCounters | str]] = {}
        for end, device in self.devices.items():
            if end.host in self.results:
                result = self.results[end.host]
                sides = result.before.get(device.name), result.after.get(device.name)
                found.setdefault(end.host, {})[end] = _difference(end, device.name, *sides)
        return found

    def completed(self, run: PairRun, key: str) -> PairRun:
        """Return a run with its measurement and counters; ``key`` names its two commands."""
        client, server = run.pair
        for host in (client.host, server.host):
            if self.results[host].error:
                return replace(run, failure="unknown", error=self.results[host].error)
        sent = self.results[client.host].results[f"c{key}"]
        listened = self.results[server.host].results[f"s{key}"]
        log = f"# {server}\n{listened.out}{listened.err}\n# {client}\n{sent.out}{sent.err}"
        return self._with_counters(_measured(replace(run, log=log), sent, listened))

    def _with_counters(self, run: PairRun) -> PairRun:
        unread: list[str] = []
        nics: dict[End, NicCounters] = {}
        for host in {end.host for end in run.pair}:
            for end, counted in self.counted.get(host, {}).items():
                if isinstance(counted, str):
                    unread.append(counted)
                else:
                    nics[end] = counted
        ports = dict(self._switch_ports(run.pair, unread))
        software = any(self.devices[end].software for end in run.pair)
        return replace(run, nics=nics, ports=ports, unread="; ".join(unread), software=software)

    def _switch_ports(self, pair: Pair, unread: list[str]) -> Iterator[tuple[LinkEnd, PortCounters]]:
        for at in dict.fromkeys(self.ports[end].at for end in pair):
            problem = self.before.errors.get(at.device) or self.after.errors.get(at.device)
            unread += [f"{at}: {problem}"] if problem else []
            if at in self.before.ports and at in self.after.ports:
                try:
                    yield at, self.after.ports[at].since(self.before.ports[at])
                except FactError as error:
                    unread.append(f"{at}: {error.message}")


def _difference(
    end: End, device: str, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None
) -> NicCounters | str:
    if before is None or after is None:
        return f"{end}: {device} went away"
    try:
        return nic_counters(after).since(nic_counters(before))
    except ValueError as error:
        return f"{end}: {error}"


def _measured(run: PairRun, sent: JobResult, listened: JobResult) -> PairRun:
    """Return a run with its measurement, or with its failure."""
    tool = run.options.tool
    for result, end in ((sent, run.pair.one), (listened, run.pair.other)):
        if result.status == MISSING:
            return replace(run, failure="unknown", error=f"{end.host} has no {tool}: package perftest")
    if sent.status is None:
        return replace(run, failure="site", error=f"{tool} from {run.pair.one} to {run.pair.other} did not end in time")
    if sent.status != 0:
        why = last_line(sent.err or sent.out)
        return replace(run, failure="site", error=f"{tool} from {run.pair.one} to {run.pair.other} failed: {why}")
    try:
        return replace(run, measured=parse(tool, sent.out))
    except NotPerftestError as error:
        return replace(run, failure="unknown", error=str(error))
