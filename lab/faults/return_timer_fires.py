"""A confirmation that never gets through."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.faults import Undo
    from lab.running import RunningLab


async def inject(lab: "RunningLab", switch: str) -> "Undo":
    """Lose the switch after its next change with a return timer armed, until the timer has fired."""
    behaviour = lab.switch(switch).behaviour
    behaviour.lost_after_change = True

    async def undo() -> None:
        behaviour.lost_after_change = False

    return undo
