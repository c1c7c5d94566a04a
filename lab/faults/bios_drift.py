"""A BIOS attribute differs from the planned value."""

from typing import TYPE_CHECKING

from lab.errors import LabError
from lab.hosts.redfish.bios import BIOS, refused

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo


async def inject(
    lab: "RunningLab", host: str, attribute: str = "SysProfile", value: str = "PerfPerWattOptimizedDapc"
) -> "Undo":
    """Change a BIOS attribute of a server, as from its console."""
    name = lab.host(host).spec.name
    controller = lab.controllers.by_server.get(name)
    if controller is None:
        raise LabError(f"{host} has no management controller in this lab")
    wrong = refused(BIOS, {attribute: value})
    if wrong:
        raise LabError(f"BIOS of {host}: {', '.join(wrong)}")
    before = controller.bios[attribute]
    controller.bios[attribute] = value

    async def undo() -> None:
        controller.bios[attribute] = before

    return undo
