"""The host key of a host differs from the recorded one."""

from typing import TYPE_CHECKING

import asyncssh

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo


async def inject(lab: "RunningLab", host: str) -> "Undo":
    """Give a host another host key, as after a new installation."""
    changed = lab.host(host)
    before = changed.identity.host_key
    await changed.use_host_key(asyncssh.generate_private_key("ssh-ed25519"))

    async def undo() -> None:
        await changed.use_host_key(before)

    return undo
