"""A switch that is lost after a change until its return timer fires."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo


async def inject(lab: "RunningLab", switch: str, lines: int = 1, hold: bool = False) -> "Undo":  # noqa: FBT001, FBT002 by keyword
    """Lose the switch after changed lines until its return timer fires; hold=true: in lab time."""
    lost = lab.switch(switch)
    lost.fault_flags.lost_after_lines = lines
    lost.fault_flags.lost_in_lab_time = hold
    return lost.restore_reachability
