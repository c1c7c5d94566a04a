"""What came of one pair: its measurement, beside what both hosts and both switch ports counted meanwhile."""

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
"""What `timeout`, as every shell, says of a command that is not there (timeout(1))."""

Failure = Literal["", "site", "unknown", "unable"]
"""None; the site is wrong; it could not be told; the host's tools cannot do it."""


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
    """What the trouble is."""
    nics: Mapping[End, NicCounters] = field(default_factory=dict)
    """What every rail port of the two hosts counted meanwhile."""
    ports: Mapping[LinkEnd, PortCounters] = field(default_factory=dict)
    """What the two switch ports counted meanwhile."""
    unread: str = ""
    """Why some counter is not known."""
    all_rails_busy: bool = False
    """Whether every rail of every host was busy on purpose."""
    alone: bool = False
    """Whether all other rails of its hosts had nothing to do on purpose."""
    busy: frozenset[End] = frozenset()
    """Rail ports that had a partner meanwhile."""
    software: bool = False
    """Whether software did what an adapter does: such a run says nothing of speed."""
    commands: tuple[str, ...] = ()
    """Of the listening side and of the other."""
    log: str = ""
    """What both printed."""


@dataclass(frozen=True)
class Readings:
    """Everything that was read around a round; each counter is compared once, however many pairs there are."""

    ports: Mapping[End, RailPort]
    devices: Mapping[End, RdmaDevice]
    """Of every rail port of the hosts that take part."""
    played: Mapping[str, HostResult]
    before: SwitchReading
    after: SwitchReading

    @cached_property
    def counted(self) -> Mapping[str, Mapping[End, NicCounters | str]]:
        """Host to what each of its rail ports counted meanwhile, or why that is not known."""
        found: dict[str, dict[End, NicCounters | str]] = {}
        for end, device in self.devices.items():
            if end.host in self.played:
                played = self.played[end.host]
                sides = played.before.get(device.name), played.after.get(device.name)
                found.setdefault(end.host, {})[end] = _grown(end, device.name, *sides)
        return found

    def of(self, run: PairRun, key: str) -> PairRun:
        """Return a run with what came of it; ``key`` names its two commands."""
        reader, listener = run.pair
        for host in (reader.host, listener.host):
            if self.played[host].error:
                return replace(run, failure="unknown", error=self.played[host].error)
        sent, heard = (self.played[end.host].results[f"{side}{key}"] for end, side in ((reader, "c"), (listener, "s")))
        log = f"# {listener}\n{heard.out}{heard.err}\n# {reader}\n{sent.out}{sent.err}"
        return self._with_counters(_measured(replace(run, log=log), sent, heard))

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


def _grown(
    end: End, device: str, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None
) -> NicCounters | str:
    if before is None or after is None:
        return f"{end}: {device} went away"
    try:
        return nic_counters(after).since(nic_counters(before))
    except ValueError as error:
        return f"{end}: {error}"


def _measured(run: PairRun, sent: JobResult, heard: JobResult) -> PairRun:
    """Return a run with its measurement, or with what is wrong."""
    tool = run.options.tool
    for outcome, end in ((sent, run.pair.one), (heard, run.pair.other)):
        if outcome.status == MISSING:
            return replace(run, failure="unknown", error=f"{end.host} has no {tool}: package perftest")
    if sent.status is None:
        return replace(run, failure="site", error=f"{tool} from {run.pair.one} to {run.pair.other} did not end in time")
    if sent.status != 0:
        said = last_line(sent.err or sent.out)
        return replace(run, failure="site", error=f"{tool} from {run.pair.one} to {run.pair.other} failed: {said}")
    try:
        return replace(run, measured=parse(tool, sent.out))
    except NotPerftestError as error:
        return replace(run, failure="unknown", error=str(error))
