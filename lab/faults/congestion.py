"""A congested switch port."""

from typing import TYPE_CHECKING

from lab.fabric.qos import Congestion
from lab.spec.models import LabEnd

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo


async def inject(lab: "RunningLab", switch: str, port: str, drop_percent: int = 20, mark_percent: int = 20) -> "Undo":
    """Congest a port: queues without PFC drop packets, queues with ECN mark them; needs a lab with hosts."""
    end = LabEnd(lab.switch(switch).spec.name, port)
    await lab.congest(end, Congestion(drop_percent, mark_percent))

    async def undo() -> None:
        await lab.congest(end, None)

    return undo
