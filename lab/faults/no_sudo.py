"""A host whose user has no sudo."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo


async def inject(lab: "RunningLab", host: str) -> "Undo":
    """Remove the right of a host's user to become root without a password."""
    strict = lab.host(host)
    await strict.run("mv /etc/sudoers.d/rackproof /etc/rackproof-lab/sudoers")

    async def undo() -> None:
        await strict.run("mv /etc/rackproof-lab/sudoers /etc/sudoers.d/rackproof")

    return undo
