"""Health of hosts while they are busy for long: what their facts say before, meanwhile and after, side by side."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
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
COMMANDS: Final = tuple(dict.fromkeys(command for fact in FACTS for command in fact.commands))
EVERY_S: Final = 60.0
"""From one look to the next: a clock is slowed down for minutes where a fan or a power supply fails."""


class HealthReader(Protocol):
    """Asks hosts how they are."""

    async def read(self, hosts: frozenset[str]) -> Mapping[str, Answers | DeviceError]:
        """Return what each host answers to `COMMANDS`, or why it does not."""
        ...


class SshHealthReader:
    """Asks hosts over SSH, each once, all at the same time."""

    def __init__(self, target: Callable[[str], Target]) -> None:
        self._target = target

    async def read(self, hosts: frozenset[str]) -> Mapping[str, Answers | DeviceError]:
        """Return what each host answers to `COMMANDS`, or why it does not."""
        found: dict[str, Answers | DeviceError] = {}
        await gather_facts([self._target(name) for name in sorted(hosts)], COMMANDS, found.__setitem__)
        return found


@dataclass
class Health:
    """What one host said from look to look: the first, the last, and what was seen on the way."""

    ports: frozenset[str]
    """Interfaces that count: those of the plan. Those of containers come and go."""
    accelerators: bool
    """Whether it must tell of accelerators."""
    asked: int = 0
    looks: int = 0
    """Those of them that succeeded; one in between that did not leaves a gap, and no more."""
    _first_error: str = ""
    _last_error: str = ""
    _first: dict[str, int] = field(default_factory=dict)
    _last: dict[str, int] = field(default_factory=dict)
    _lines: dict[str, None] = field(default_factory=dict)
    _known: frozenset[str] = frozenset()
    _seen: dict[str, str] = field(default_factory=dict)
    _uptime_s: float = 0.0

    def take(self, said: Answers | DeviceError) -> None:
        """Take one look."""
        self.asked += 1
        try:
            if isinstance(said, DeviceError):
                raise said
            self._compare(said)
            self._last_error = ""
        except (RackproofError, ValueError) as error:
            self._last_error = error.message if isinstance(error, RackproofError) else str(error)
            self._first_error = self._first_error if self.asked > 1 else self._last_error

    @property
    def error(self) -> str:
        """Why it cannot be told what became worse: the first or the last look failed; empty: neither did."""
        return self._first_error or self._last_error

    def _compare(self, said: Answers) -> None:
        found = interfaces.FACT.parse(said)
        lines = tuple(_lines_of(kernel_log.FACT.parse(said)))
        accelerators = gpus.FACT.parse(said).that_say("ecc") if self.accelerators else ()
        self._last = dict((*_links(found, self.ports), *(one for gpu in accelerators for one in _errors(gpu))))
        if not self.looks:
            self._first, self._known = self._last, frozenset(lines)
        self._lines.update(dict.fromkeys(line for line in lines if line not in self._known))
        self._seen.update({_name(gpu): f"slowed down: {', '.join(gpu.slowed)}" for gpu in accelerators if gpu.slowed})
        uptime_s = min((one.uptime_s for one in found.values()), default=0.0)
        if uptime_s < self._uptime_s:
            self._seen["host"] = "restarted"
        self._uptime_s = uptime_s
        self.looks += 1

    def worse(self) -> dict[str, str]:
        """Return what has become worse from the first look to the last, by what it is."""
        last = self._last
        grown = {what: f"{last[what] - was:+d}" for what, was in self._first.items() if last.get(what, was) != was}
        gone = {what: "is not there any more" for what in self._first if what not in last}
        return {**grown, **gone, **self._seen, **dict(zip(_numbered(), self._lines, strict=False))}


def _numbered() -> Iterator[str]:
    return (f"kernel log {number}" for number in count(1))


def _links(found: Interfaces, ports: frozenset[str]) -> Iterator[tuple[str, int]]:
    """Yield how often links were lost and packets were damaged, of each port that counts it."""
    for name in sorted(ports & found.keys()):
        one = found[name]
        if one.carrier_losses is not None:
            yield f"{name}: link losses", one.carrier_losses
        yield f"{name}: damaged packets", one.rx_errors


def _errors(gpu: Gpu) -> Iterator[tuple[str, int]]:
    """Yield what an accelerator counts of errors; what it does not count is left out."""
    counted = {
        "memory errors not corrected": gpu.uncorrected,
        "cache errors not corrected": gpu.uncorrected_sram,
        "rows of memory replaced": gpu.rows.uncorrectable if gpu.rows else None,
        "NVLink errors": gpu.nvlink_errors,
    }
    yield from ((f"{_name(gpu)}: {what}", number) for what, number in counted.items() if number is not None)


def _name(gpu: Gpu) -> str:
    return f"gpu{gpu.index}"


def _lines_of(log: KernelLog) -> Iterator[str]:
    """Yield every line that tells of broken hardware."""
    yield from (xid.line for xid in log.xids)
    yield from (line for _, line in (*log.limited, *log.uncorrected))
    yield from (*log.hardware, *log.disks)


async def look(reader: HealthReader, healths: Mapping[str, Health]) -> None:
    """Look at hosts once."""
    for host, said in (await reader.read(frozenset(healths))).items():
        healths[host].take(said)


async def watch(reader: HealthReader, healths: Mapping[str, Health]) -> None:
    """Look at hosts again and again until this is cancelled."""
    while True:
        await asyncio.sleep(EVERY_S)
        await look(reader, healths)
