"""Reads what switch ports have counted, all switches at once, once the switches have caught up."""

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
from rackproof.gather.switches import AskedSwitch, gather_switches
from rackproof.plan.model.plan import LinkEnd

CAUGHT_UP_S: Final = 12.0
"""Until a switch has counted what it has sent: SONiC reads queues from the chip every 10 s (counterpoll, QUEUE_STAT
10000 ms by default), and ports every second."""
AGAIN_S: Final = 1.0


class SwitchReading(Struct, frozen=True):
    """What switches said at one moment."""

    ports: Mapping[LinkEnd, PortCounters]
    errors: Mapping[str, str]
    """Switch to why it does not say all."""


Enough = Callable[[SwitchReading], bool]


class SwitchReader(Protocol):
    """Reads counters of ports."""

    async def read(self, ends: Collection[LinkEnd], enough: Enough | None = None) -> SwitchReading:
        """Return what ports have counted until now.

        Parameters
        ----------
        ends
            The ports.
        enough
            Whether what was sent has been counted; it is read again for some seconds until it is. None: once will do.
        """
        ...


class SshSwitchReader:
    """The switches of a site, over SSH.

    Parameters
    ----------
    target
        Device to how it is reached.
    nos
        Switch to the name of its NOS; of others, such as unmanaged ones, nothing is read.
    """

    def __init__(self, target: Callable[[str], Target], nos: Mapping[str, str]) -> None:
        self._target = target
        self._nos = nos

    async def read(self, ends: Collection[LinkEnd], enough: Enough | None = None) -> SwitchReading:
        """Return what ports have counted until now; see `SwitchReader`."""
        loop = asyncio.get_running_loop()
        until = loop.time() + CAUGHT_UP_S
        reading = await self._once(ends)
        while enough is not None and not enough(reading) and loop.time() < until:
            await asyncio.sleep(AGAIN_S)
            reading = await self._once(ends)
        return reading

    async def _once(self, ends: Collection[LinkEnd]) -> SwitchReading:
        known = [end for end in ends if end.device in self._nos]
        of: dict[str, list[str]] = {}
        for end in known:
            of.setdefault(end.device, []).append(end.port)
        asked = [
            AskedSwitch(self._target(device), self._nos[device], tuple(ports), ("traffic", "pauses"))
            for device, ports in of.items()
        ]
        found = await gather_switches(asked)
        return switch_reading({device: found[device] for device in of}, self._nos, known)


def switch_reading(
    answers: Mapping[str, Answers | DeviceError], nos: Mapping[str, str], ends: Collection[LinkEnd]
) -> SwitchReading:
    """Return what switches have answered; what one of them does not say is an error beside what it does say."""
    counted: dict[str, Mapping[str, PortCounters]] = {}
    errors: dict[str, str] = {}
    for device, said in answers.items():
        try:
            if isinstance(said, DeviceError):
                raise said
            facts = SwitchFacts(nos[device], said)
            counted[device] = facts.traffic()  # what is known stays where PFC is not told
            counted[device] = facts.counters()
        except RackproofError as error:
            errors[device] = error.message
    ports = {end: counted[end.device][end.port] for end in ends if end.port in counted.get(end.device, {})}
    silent = {end.device: f"it counts nothing of {end.port}" for end in ends if end not in ports}
    return SwitchReading(ports, {**silent, **errors})
