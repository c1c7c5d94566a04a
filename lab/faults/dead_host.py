"""A host without power."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo


async def inject(lab: "RunningLab", host: str) -> "Undo":
    """Cut the power of a host; when the fault is cleared, it boots from its disk."""
    dead = lab.host(host)
    await dead.off()
    return dead.boot
