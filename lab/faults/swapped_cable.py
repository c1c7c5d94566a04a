"""Two swapped cables."""

from typing import TYPE_CHECKING

from lab.spec.models import LabEnd

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo


async def inject(lab: "RunningLab", switch: str, first: str, second: str) -> "Undo":
    """Swap the cables in two ports of a switch at their other ends."""
    ends = (LabEnd(lab.switch(switch).spec.name, first), LabEnd(switch, second))
    await lab.swap(*ends)

    async def undo() -> None:
        await lab.swap(*ends)

    return undo
