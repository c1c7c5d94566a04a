"""The host key of a switch differs from the recorded one."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo


async def inject(lab: "RunningLab", switch: str) -> "Undo":
    """Let a switch answer with another host key."""
    endpoint = lab.endpoints[lab.switch(switch).spec.name]
    before = endpoint.host_key
    await endpoint.renew_host_key()

    async def undo() -> None:
        await endpoint.use_host_key(before)

    return undo
