"""A change nobody planned."""

from typing import TYPE_CHECKING

from lab.errors import LabError

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo


async def inject(lab: "RunningLab", switch: str, lines: tuple[str, ...]) -> "Undo":
    """Type configuration lines at the console; lines are separated by ";". Clearing the fault leaves them there."""
    refused = await lab.edit(switch, lines)
    if refused:
        raise LabError(f"{switch} refused: {'; '.join(refused)}")

    async def undo() -> None:
        """What was typed stays until somebody types something else."""

    return undo
