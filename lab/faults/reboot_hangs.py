"""A host that does not boot after a reboot."""

from typing import TYPE_CHECKING

from lab.hosts.virtual_machine import BOOT_S

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo


async def inject(lab: "RunningLab", host: str) -> "Undo":
    """Stop the next reboot of a host before it boots; when the fault is cleared, it boots."""
    stuck = lab.host(host)
    await stuck.control.execute("set-action", reboot="shutdown", shutdown="pause")

    async def undo() -> None:
        await stuck.control.execute("set-action", reboot="reset", shutdown="poweroff")
        if (await stuck.control.execute("query-status"))["status"] == "shutdown":
            await stuck.control.execute("system_reset")
            await stuck.control.execute("cont")
            await stuck.answers(BOOT_S)

    return undo
