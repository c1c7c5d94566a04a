"""A host that hangs."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo


async def inject(lab: "RunningLab", host: str) -> "Undo":
    """Stop the processor of a host: connections stay open without answers."""
    hung = lab.host(host)
    await hung.control.execute("stop")
    hung.power = "hung"

    async def undo() -> None:
        await hung.control.execute("cont")
        hung.power = "up"

    return undo
