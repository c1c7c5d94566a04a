"""A cable that was pulled: a rail that is down."""

from typing import TYPE_CHECKING

from lab.hosts.qemu import device_of

if TYPE_CHECKING:
    from lab.faults import Undo
    from lab.running import RunningLab


async def inject(lab: "RunningLab", host: str, port: str) -> "Undo":
    """Pull the cable of a host's port: the host and the switch lose the link."""
    guest = lab.host(host)
    nic = guest.spec.nic(port)

    async def plug(*, up: bool) -> None:
        await guest.control.execute("set_link", name=device_of(nic), up=up)
        if lab.fabric is not None:
            await lab.fabric.set_carrier(nic.end, up)

    await plug(up=False)

    async def undo() -> None:
        await plug(up=True)

    return undo
