"""PFC is disabled on a switch port."""

from typing import TYPE_CHECKING

from lab.errors import LabError

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo


async def inject(lab: "RunningLab", switch: str, port: str) -> "Undo":
    """Disable PFC on a port of a switch, as from its console."""
    nos = lab.switch(switch).nos
    found = nos.forwarding.ports.get(port)
    if found is None or not found.qos.lossless:
        raise LabError(f"{switch} has no PFC on {port}", "`rackproof up` enables it where the plan has RoCE")
    off, on = nos.pfc_lines(port)
    await _typed(lab, switch, off)

    async def undo() -> None:
        await _typed(lab, switch, on)

    return undo


async def _typed(lab: "RunningLab", switch: str, lines: tuple[str, ...]) -> None:
    refused = await lab.edit(switch, lines)
    if refused:
        raise LabError(f"{switch} refused: {'; '.join(refused)}")
