"""A cold start: all devices restart at once and have to recover without help, before the site is validated."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, Protocol

from msgspec import Struct

from rackproof.connect.errors import DeviceError
from rackproof.connect.ssh import Target
from rackproof.errors import RackproofError
from rackproof.facts.fact import Answers
from rackproof.facts.switches import SwitchFacts
from rackproof.gather.switches import SwitchQuery, gather_switches
from rackproof.measure.remote.device_control import DeviceControl
from rackproof.plan.model.plan import Plan
from rackproof.results import Threshold

RESTART_S: Final = 900.0
RECOVERY_LIMIT: Final = Threshold(
    value=RESTART_S,
    unit="s",
    comparison="at most",
    source="assumed: a server with two terabytes of memory takes about ten minutes to start",
    formula="half as much again",
)
"""Longest restart of a device, with all its units."""
SETTLE_S: Final = 300.0
"""Longest until switches have all neighbors and sessions again: ports are trained again, LLDP sends every 30 s (IEEE
802.1AB, msgTxInterval), and BGP retries every 120 s (RFC 4271, section 10, ConnectRetryTimer), both twice over."""
POLL_S: Final = 5.0

Adjacencies = Mapping[str, frozenset[str]]
"""Switch to the names of its LLDP neighbors and established BGP sessions."""


class Recovery(Struct, frozen=True, omit_defaults=True):
    """How a device recovered."""

    seconds: float | None = None
    """None: not within the limit."""
    error: str = ""
    """Why the device was not restarted."""
    lost: tuple[str, ...] = ()
    """Neighbors and sessions that a switch had before and no longer has."""


class AdjacencyReader(Protocol):
    """Reads the adjacencies of switches."""

    async def adjacencies(self) -> Adjacencies:
        """Return the adjacencies of every switch; empty for one that does not answer."""
        ...


class SshAdjacencyReader:
    """Reads the adjacencies of switches over SSH.

    Parameters
    ----------
    target
        Device to its address and credentials.
    nos
        Switch to the name of its NOS.
    """

    def __init__(self, target: Callable[[str], Target], nos: Mapping[str, str]) -> None:
        self._target = target
        self._nos = nos

    async def adjacencies(self) -> Adjacencies:
        """Return the adjacencies of every switch; empty for one that does not answer."""
        queries = [
            SwitchQuery(self._target(name), nos, subjects=("neighbours", "sessions")) for name, nos in self._nos.items()
        ]
        answers = await gather_switches(queries)
        return {name: switch_adjacencies(self._nos[name], found) for name, found in answers.items()}


def switch_adjacencies(nos: str, answers: Answers | DeviceError) -> frozenset[str]:
    """Return the names of a switch's LLDP neighbors and established BGP sessions; empty where it gives no answer."""
    if isinstance(answers, DeviceError):
        return frozenset()
    facts = SwitchFacts(nos, answers)
    try:
        neighbors = {f"{one.device} at {port}" for port, one in facts.neighbours().items()}
        sessions = {f"BGP with {name}" for name, one in facts.sessions().items() if one.established}
    except RackproofError:
        return frozenset()
    return frozenset(neighbors | sessions)


def restart_waves(plan: Plan, devices: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the devices to restart first, and the out-of-band switches on their path, which restart last."""
    fabrics = [fabric.switches for fabric in plan.fabrics.values() if fabric.role == "oob"]
    oob = frozenset(chain.from_iterable(fabrics))
    known = tuple(devices)
    return tuple(name for name in known if name not in oob), tuple(name for name in known if name in oob)


async def cold_start(
    control: DeviceControl, reader: AdjacencyReader, waves: Sequence[Sequence[str]]
) -> dict[str, Recovery]:
    """Restart devices, wave after wave without waiting for any, and return how each recovered."""
    before = await reader.adjacencies()
    boots: dict[str, str | RackproofError] = {}
    for wave in waves:
        boots.update(zip(wave, await asyncio.gather(*(_restarted(control, name) for name in wave)), strict=True))
    recovered = await asyncio.gather(*(_recovery(control, *one) for one in boots.items()))
    lost = await _settled(reader, {name: own for name, own in before.items() if name in boots})
    recoveries = zip(boots, recovered, strict=True)
    return {name: Recovery(one.seconds, one.error, lost.get(name, ())) for name, one in recoveries}


async def _restarted(control: DeviceControl, device: str) -> str | RackproofError:
    try:
        return await control.restart(device)
    except RackproofError as error:
        return error


async def _recovery(control: DeviceControl, device: str, boot: str | RackproofError) -> Recovery:
    if isinstance(boot, RackproofError):
        return Recovery(error=boot.message)
    return Recovery(await control.wait_restarted(device, boot, RESTART_S))


async def _settled(reader: AdjacencyReader, before: Adjacencies) -> dict[str, tuple[str, ...]]:
    """Wait until switches have their adjacencies again; return those that each still lacks at the limit."""
    loop = asyncio.get_running_loop()
    until = loop.time() + SETTLE_S
    while lost := dict(_lost(before, await reader.adjacencies())):
        if loop.time() > until:
            break
        await asyncio.sleep(POLL_S)
    return lost


def _lost(before: Adjacencies, now: Adjacencies) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, adjacencies in before.items():
        if missing := adjacencies - now.get(name, frozenset()):
            yield name, tuple(sorted(missing))
