"""A cold start: everything restarts at once and has to come back by itself; what is proven after that holds then."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Protocol

from msgspec import Struct

from rackproof.connect.errors import DeviceError
from rackproof.connect.ssh import Target
from rackproof.errors import RackproofError
from rackproof.facts.fact import Answers
from rackproof.facts.switches import SwitchFacts
from rackproof.gather.switches import AskedSwitch, gather_switches
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
"""Until a device that was restarted is through with its start."""
SETTLE_S: Final = 300.0
"""Until switches hear and talk to everybody again: ports are taught anew, LLDP speaks every 30 s (IEEE 802.1AB,
msgTxInterval), and BGP tries again every 120 s (RFC 4271, section 10, ConnectRetryTimer), both twice over."""
AGAIN_S: Final = 5.0

Adjacencies = Mapping[str, frozenset[str]]
"""Switch to whom it hears and talks to."""


class Recovery(Struct, frozen=True, omit_defaults=True):
    """How a device came back."""

    seconds: float | None = None
    """None: it was not back in time."""
    error: str = ""
    """Why it was not restarted at all."""
    lost: tuple[str, ...] = ()
    """Whom a switch heard or talked to before, and does not any more."""


class AdjacencyReader(Protocol):
    """Says whom switches hear and talk to."""

    async def talks(self) -> Adjacencies:
        """Return it, of every switch that answers."""
        ...


class SshAdjacencyReader:
    """Asks switches over SSH.

    Parameters
    ----------
    target
        Device to how it is reached.
    nos
        Switch to the name of its NOS.
    """

    def __init__(self, target: Callable[[str], Target], nos: Mapping[str, str]) -> None:
        self._target = target
        self._nos = nos

    async def talks(self) -> Adjacencies:
        """Return whom switches hear and talk to, of every switch that answers."""
        asked = [
            AskedSwitch(self._target(name), nos, subjects=("neighbours", "sessions")) for name, nos in self._nos.items()
        ]
        return {name: adjacencies(self._nos[name], said) for name, said in (await gather_switches(asked)).items()}


def adjacencies(nos: str, said: Answers | DeviceError) -> frozenset[str]:
    """Return whom a switch hears by LLDP and talks BGP to; nobody, where it does not say."""
    if isinstance(said, DeviceError):
        return frozenset()
    facts = SwitchFacts(nos, said)
    try:
        heard = {f"{one.device} at {port}" for port, one in facts.neighbours().items()}
        return frozenset(heard | {f"BGP with {name}" for name, one in facts.sessions().items() if one.established})
    except RackproofError:
        return frozenset()


def restart_waves(plan: Plan, devices: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what is told to restart first, and the switches of the way there, which are told last."""
    way = {name for fabric in plan.fabrics.values() if fabric.role == "oob" for name in fabric.switches}
    known = tuple(devices)
    return tuple(name for name in known if name not in way), tuple(name for name in known if name in way)


async def cold_start(
    device_control: DeviceControl, adjacency_reader: AdjacencyReader, told: Sequence[Sequence[str]]
) -> dict[str, Recovery]:
    """Restart devices, wave after wave without waiting for any, and return how each came back."""
    before = await adjacency_reader.talks()
    starts: dict[str, str | RackproofError] = {}
    for wave in told:
        starts.update(
            zip(wave, await asyncio.gather(*(_restarted(device_control, name) for name in wave)), strict=True)
        )
    recoveries = dict(
        zip(starts, await asyncio.gather(*(_back(device_control, *one) for one in starts.items())), strict=True)
    )
    lost = await _settled(adjacency_reader, {name: talks for name, talks in before.items() if name in starts})
    return {name: Recovery(back.seconds, back.error, lost.get(name, ())) for name, back in recoveries.items()}


async def _restarted(device_control: DeviceControl, device: str) -> str | RackproofError:
    try:
        return await device_control.restart(device)
    except RackproofError as error:
        return error


async def _back(device_control: DeviceControl, device: str, start: str | RackproofError) -> Recovery:
    if isinstance(start, RackproofError):
        return Recovery(error=start.message)
    return Recovery(await device_control.back(device, start, RESTART_S))


async def _settled(adjacency_reader: AdjacencyReader, before: Adjacencies) -> dict[str, tuple[str, ...]]:
    """Wait until switches hear and talk to everybody they did before; return whom each does not, in the end."""
    loop = asyncio.get_running_loop()
    until = loop.time() + SETTLE_S
    while lost := dict(_lost(before, await adjacency_reader.talks())):
        if loop.time() > until:
            break
        await asyncio.sleep(AGAIN_S)
    return lost


def _lost(before: Adjacencies, now: Adjacencies) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, talks in before.items():
        if missing := talks - now.get(name, frozenset()):
            yield name, tuple(sorted(missing))
