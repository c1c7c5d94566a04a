"""The management controllers of a lab's servers: one Redfish service each on loopback, for as long as the lab runs."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from lab.errors import LabError
from lab.hosts.redfish.controller import OFF, Controller
from lab.hosts.redfish.server import RedfishServer
from lab.hosts.virtual_machine import VirtualMachine

_LOG: Final = logging.getLogger(__name__)
USER: Final = "rackproof"
KINDS: Final = ("iDRAC9",)
"""Controllers that the lab can fake, by their names in the catalogue."""


class Controllers:
    """They answer from `start` to `stop`; each follows the boots of its server, and resets it on request."""

    def __init__(self) -> None:
        self.by_server: dict[str, Controller] = {}
        self.services: dict[str, RedfishServer] = {}
        self._resets: set[asyncio.Task[None]] = set()

    async def start(self, machines: Iterable[VirtualMachine], password: str, folder: Path) -> None:
        """Start the controllers of servers.

        Parameters
        ----------
        machines
            Hosts of the lab; those whose controller the lab cannot fake are left out.
        password
            Password of `USER` on each.
        folder
            Folder for their certificates; created if needed.
        """
        await asyncio.to_thread(folder.mkdir, exist_ok=True)
        for machine in machines:
            if machine.spec.controller in KINDS:
                controller = Controller(machine.spec.name, USER, password)
                machine.on_boot = controller.restart
                controller.on_reset = self._resetter(machine)
                self.by_server[machine.spec.name] = controller
                self.services[machine.spec.name] = RedfishServer(controller, folder)

    async def stop(self) -> None:
        """Stop all controllers and cancel pending resets."""
        for service in self.services.values():
            service.close()
        self.services.clear()
        for doing in self._resets:
            doing.cancel()
        await asyncio.gather(*self._resets, return_exceptions=True)

    def _resetter(self, machine: VirtualMachine) -> Callable[[str], object]:
        """Return the function that resets a host; it is called in the thread of the service."""
        loop = asyncio.get_running_loop()
        return lambda kind: loop.call_soon_threadsafe(self._reset, machine, kind)

    def _reset(self, machine: VirtualMachine, kind: str) -> None:
        doing = asyncio.get_running_loop().create_task(_reset_host(machine, kind))
        self._resets.add(doing)
        doing.add_done_callback(self._resets.discard)


async def _reset_host(machine: VirtualMachine, kind: str) -> None:
    """Carry out a reset that the host's controller was asked for."""
    try:
        if kind in OFF:
            await machine.off()
        elif machine.power == "off":
            await machine.boot()
        else:
            await machine.control.execute("system_reset")
    except LabError as error:
        _LOG.warning("%s of %s: %s", kind, machine.spec.name, error.message)
