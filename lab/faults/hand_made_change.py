"""A manual configuration change on a switch."""

from typing import TYPE_CHECKING

from lab.errors import LabError

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo


async def inject(lab: "RunningLab", switch: str, lines: tuple[str, ...]) -> "Undo":
    """Type configuration lines at the console; lines are separated by ";". Clearing the fault does not remove them."""
    refused = await lab.edit(switch, lines)
    if refused:
        raise LabError(f"{switch} refused: {'; '.join(refused)}")

    async def undo() -> None:
        """Do nothing: typed lines stay in the configuration."""

    return undo
