"""Two adapters that sit in each other's slot."""

from dataclasses import replace
from typing import TYPE_CHECKING

from lab.hosts.machine import HostNic

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo


async def inject(lab: "RunningLab", host: str, first: str, second: str) -> "Undo":
    """Swap the slots of the adapters of two ports; the host boots anew, which takes half a minute."""
    changed = lab.host(host)
    before = changed.spec
    one, two = before.nic(first), before.nic(second)
    await changed.rebuild(replace(before, nics=tuple(_seated(nic, one, two) for nic in before.nics)))

    async def undo() -> None:
        await changed.rebuild(before)

    return undo


def _seated(nic: HostNic, one: HostNic, two: HostNic) -> HostNic:
    """A port of either adapter is in the other's slot now."""
    place = {one.slot: two, two.slot: one}.get(nic.slot)
    return nic if place is None else replace(nic, slot=place.slot, bus=place.bus)
