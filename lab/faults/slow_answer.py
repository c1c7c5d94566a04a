"""A switch that answers slowly."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo


async def inject(lab: "RunningLab", switch: str, seconds: float = 2.0) -> "Undo":
    """Delay every answer of a switch; the seconds are real."""
    fault_flags = lab.switch(switch).fault_flags
    fault_flags.answer_delay_s = seconds

    async def undo() -> None:
        fault_flags.answer_delay_s = 0.0

    return undo
