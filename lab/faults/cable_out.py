"""A rail port without link."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo


async def inject(lab: "RunningLab", host: str, port: str) -> "Undo":
    """Pull the cable of a host's port; the host and the switch lose the link."""
    end = lab.host(host).spec.nic(port).end

    async def plug(*, up: bool) -> None:
        if lab.fabric is not None:
            await lab.fabric.set_carrier(end, up)

    await plug(up=False)

    async def undo() -> None:
        await plug(up=True)

    return undo
