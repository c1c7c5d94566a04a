"""A switch without power, or one that accepts connections and does not answer."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo


async def inject(lab: "RunningLab", switch: str, silent: bool = False) -> "Undo":  # noqa: FBT001, FBT002 given by keyword
    """Cut the power of a switch; silent=true: it accepts connections and does not answer."""
    dead = lab.switch(switch)
    dead.power_off()
    if silent and dead.endpoint is not None:
        dead.fault_flags.silent = True
        await dead.endpoint.open()

    async def undo() -> None:
        dead.fault_flags.silent = False
        await dead.start()

    return undo
