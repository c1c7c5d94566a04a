"""A session that drops during a change."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo


async def inject(lab: "RunningLab", switch: str, lines: int = 5) -> "Undo":
    """Drop the session once after a number of configuration lines."""
    fault_flags = lab.switch(switch).fault_flags
    fault_flags.lines_until_cut = lines

    async def undo() -> None:
        fault_flags.lines_until_cut = None

    return undo
