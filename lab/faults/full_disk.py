"""A full disk on a switch."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo


async def inject(lab: "RunningLab", switch: str) -> "Undo":
    """Let every write on a switch fail with "No space left on device"."""
    files = lab.switch(switch).files
    files.full = True

    async def undo() -> None:
        files.full = False

    return undo
