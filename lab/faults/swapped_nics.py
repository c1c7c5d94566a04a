"""Two adapters in each other's slot."""

from dataclasses import replace
from typing import TYPE_CHECKING

from lab.hosts.machine import HostNic

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo


async def inject(lab: "RunningLab", host: str, first: str, second: str) -> "Undo":
    """Swap the slots of the adapters of two ports; the host reboots, which takes half a minute."""
    changed = lab.host(host)
    before = changed.spec
    one, two = before.nic(first), before.nic(second)
    await changed.rebuild(replace(before, nics=tuple(_in_swapped_slot(nic, one, two) for nic in before.nics)))

    async def undo() -> None:
        await changed.rebuild(before)

    return undo


def _in_swapped_slot(nic: HostNic, one: HostNic, two: HostNic) -> HostNic:
    """Return a port with the slot and bus of the other adapter, if it belongs to one of the two."""
    place = {one.slot: two, two.slot: one}.get(nic.slot)
    return nic if place is None else replace(nic, slot=place.slot, bus=place.bus)
