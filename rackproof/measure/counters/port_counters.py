"""Reads the counters of switch ports, all switches at once, and waits until they have been updated."""

import asyncio
from collections.abc import Callable, Collection, Mapping
from typing import Final, Protocol

from msgspec import Struct

from rackproof.connect.errors import DeviceError
from rackproof.connect.ssh import Target
from rackproof.errors import RackproofError
from rackproof.facts.fact import Answers
from rackproof.facts.models import PortCounters
from rackproof.facts.switches import SwitchFacts
from rackproof.gather.switches import SwitchQuery, gather_switches
from rackproof.plan.model.plan import LinkEnd

UPDATED_S: Final = 12.0
"""Longest until a switch has updated its counters: SONiC reads queues from the chip every 10 s (counterpoll, QUEUE_STAT
10000 ms by default), and ports every second."""
POLL_S: Final = 1.0


class SwitchReading(Struct, frozen=True):
    """The counters of switch ports at one moment."""

    ports: Mapping[LinkEnd, PortCounters]
    errors: Mapping[str, str]
    """Switch to why some of its counters are missing."""


Enough = Callable[[SwitchReading], bool]


class SwitchReader(Protocol):
    """Reads counters of ports."""

    async def read(self, ends: Collection[LinkEnd], enough: Enough | None = None) -> SwitchReading:
        """Return the counters of ports.

        Parameters
        ----------
        ends
            The ports.
        enough
            Whether a reading has all packets of a run; it is repeated for some seconds until it has. None: read once.
        """
        ...


class SshSwitchReader:
    """The switches of a site, over SSH.

    Parameters
    ----------
    target
        Device to its address and credentials.
    nos
        Switch to the name of its NOS; other switches, such as unmanaged ones, are not read.
    """

    def __init__(self, target: Callable[[str], Target], nos: Mapping[str, str]) -> None:
        self._target = target
        self._nos = nos

    async def read(self, ends: Collection[LinkEnd], enough: Enough | None = None) -> SwitchReading:
        """Return the counters of ports; see `SwitchReader`."""
        loop = asyncio.get_running_loop()
        until = loop.time() + UPDATED_S
        reading = await self._once(ends)
        while enough is not None and not enough(reading) and loop.time() < until:
            await asyncio.sleep(POLL_S)
            reading = await self._once(ends)
        return reading

    async def _once(self, ends: Collection[LinkEnd]) -> SwitchReading:
        known = [end for end in ends if end.device in self._nos]
        ports: dict[str, list[str]] = {}
        for end in known:
            ports.setdefault(end.device, []).append(end.port)
        queries = [
            SwitchQuery(self._target(device), self._nos[device], tuple(own), ("traffic", "pauses"))
            for device, own in ports.items()
        ]
        found = await gather_switches(queries)
        return switch_reading({device: found[device] for device in ports}, self._nos, known)


def switch_reading(
    answers: Mapping[str, Answers | DeviceError], nos: Mapping[str, str], ends: Collection[LinkEnd]
) -> SwitchReading:
    """Return the counters in switches' answers; a missing subject is an error beside the counters that there are."""
    counted: dict[str, Mapping[str, PortCounters]] = {}
    errors: dict[str, str] = {}
    for device, found in answers.items():
        try:
            if isinstance(found, DeviceError):
                raise found
            facts = SwitchFacts(nos[device], found)
            counted[device] = facts.traffic()  # stays where PFC is not read
            counted[device] = facts.counters()
        except RackproofError as error:
            errors[device] = error.message
    ports = {end: counted[end.device][end.port] for end in ends if end.port in counted.get(end.device, {})}
    uncounted = {end.device: f"it counts nothing of {end.port}" for end in ends if end not in ports}
    return SwitchReading(ports, {**uncounted, **errors})
