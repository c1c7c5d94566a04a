"""Health of hosts during a long load: their facts before, meanwhile and after, compared."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any, Final, Protocol

from rackproof.connect.errors import DeviceError
from rackproof.connect.ssh import Target
from rackproof.errors import RackproofError
from rackproof.facts.fact import Answers, Fact
from rackproof.facts.hosts import gpus, interfaces, kernel_log
from rackproof.facts.hosts.gpus import Gpu
from rackproof.facts.hosts.interfaces import Interfaces
from rackproof.facts.hosts.kernel_log import KernelLog
from rackproof.gather.hosts import gather_facts

FACTS: Final[tuple[Fact[Any], ...]] = (interfaces.FACT, kernel_log.FACT, gpus.FACT)
COMMANDS: Final = tuple(dict.fromkeys(chain.from_iterable(fact.commands for fact in FACTS)))
EVERY_S: Final = 60.0
"""Interval of readings: a failed fan or power supply slows a clock down for minutes."""


class HealthReader(Protocol):
    """Reads the health of hosts."""

    async def read(self, hosts: frozenset[str]) -> Mapping[str, Answers | DeviceError]:
        """Return each host's answers to `COMMANDS`, or why there are none."""
        ...


class SshHealthReader:
    """Reads the health of hosts over SSH, all at the same time."""

    def __init__(self, target: Callable[[str], Target]) -> None:
        self._target = target

    async def read(self, hosts: frozenset[str]) -> Mapping[str, Answers | DeviceError]:
        """Return each host's answers to `COMMANDS`, or why there are none."""
        found: dict[str, Answers | DeviceError] = {}
        await gather_facts([self._target(name) for name in sorted(hosts)], COMMANDS, found.__setitem__)
        return found


@dataclass
class Health:
    """One host's health: its first and last reading, and the events in between."""

    ports: frozenset[str]
    """Interfaces of the plan, which are compared; those of containers come and go."""
    accelerators: bool
    """Whether the host has accelerators, which must be reported."""
    attempts: int = 0
    readings: int = 0
    """Attempts that succeeded; one that failed in between leaves a gap only."""
    _first_error: str = ""
    _last_error: str = ""
    _first: dict[str, int] = field(default_factory=dict)
    _last: dict[str, int] = field(default_factory=dict)
    _lines: dict[str, None] = field(default_factory=dict)
    _known: frozenset[str] = frozenset()
    _events: dict[str, str] = field(default_factory=dict)
    _uptime_s: float = 0.0

    def add(self, answers: Answers | DeviceError) -> None:
        """Add one reading."""
        self.attempts += 1
        try:
            if isinstance(answers, DeviceError):
                raise answers
            self._compare(answers)
            self._last_error = ""
        except (RackproofError, ValueError) as error:
            self._last_error = error.message if isinstance(error, RackproofError) else str(error)
            self._first_error = self._first_error if self.attempts > 1 else self._last_error

    @property
    def error(self) -> str:
        """Why the host cannot be compared: its first or last reading failed; empty: neither did."""
        return self._first_error or self._last_error

    def _compare(self, answers: Answers) -> None:
        found = interfaces.FACT.parse(answers)
        lines = tuple(_fault_lines(kernel_log.FACT.parse(answers)))
        accelerators = gpus.FACT.parse(answers).with_part("ecc") if self.accelerators else ()
        self._last = dict(chain(_links(found, self.ports), chain.from_iterable(map(_errors, accelerators))))
        if not self.readings:
            self._first, self._known = self._last, frozenset(lines)
        self._lines.update(dict.fromkeys(line for line in lines if line not in self._known))
        self._events.update({_name(gpu): f"slowed down: {', '.join(gpu.slowed)}" for gpu in accelerators if gpu.slowed})
        uptime_s = min((one.uptime_s for one in found.values()), default=0.0)
        if uptime_s < self._uptime_s:
            self._events["host"] = "restarted"
        self._uptime_s = uptime_s
        self.readings += 1

    def degradations(self) -> dict[str, str]:
        """Return what became worse from the first reading to the last, by its name."""
        last = self._last
        grown = {what: f"{last[what] - was:+d}" for what, was in self._first.items() if last.get(what, was) != was}
        gone = {what: "is not there any more" for what in self._first if what not in last}
        return {**grown, **gone, **self._events, **dict(zip(_numbered(), self._lines, strict=False))}


def _numbered() -> Iterator[str]:
    return (f"kernel log {number}" for number in count(1))


def _links(found: Interfaces, ports: frozenset[str]) -> Iterator[tuple[str, int]]:
    """Yield link losses and damaged packets of each port."""
    for name in sorted(ports & found.keys()):
        one = found[name]
        if one.carrier_losses is not None:
            yield f"{name}: link losses", one.carrier_losses
        yield f"{name}: damaged packets", one.rx_errors


def _errors(gpu: Gpu) -> Iterator[tuple[str, int]]:
    """Yield the error counters of an accelerator; those that it does not have are left out."""
    counted = {
        "memory errors not corrected": gpu.uncorrected,
        "cache errors not corrected": gpu.uncorrected_sram,
        "rows of memory replaced": gpu.rows.uncorrectable if gpu.rows else None,
        "NVLink errors": gpu.nvlink_errors,
    }
    yield from ((f"{_name(gpu)}: {what}", number) for what, number in counted.items() if number is not None)


def _name(gpu: Gpu) -> str:
    return f"gpu{gpu.index}"


def _fault_lines(log: KernelLog) -> Iterator[str]:
    """Yield every line of the kernel's log on faulty hardware."""
    yield from (xid.line for xid in log.xids)
    yield from (line for _, line in (*log.limited, *log.uncorrected))
    yield from (*log.hardware, *log.disks)


async def read_health(reader: HealthReader, healths: Mapping[str, Health]) -> None:
    """Add one reading of every host."""
    for host, answers in (await reader.read(frozenset(healths))).items():
        healths[host].add(answers)


async def watch_health(reader: HealthReader, healths: Mapping[str, Health]) -> None:
    """Add a reading of every host in each interval until this is cancelled."""
    while True:
        await asyncio.sleep(EVERY_S)
        await read_health(reader, healths)
