"""The management controllers of a lab's servers: one Redfish service each on loopback, for as long as the lab runs."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from lab.hosts.guest import Guest
from lab.hosts.redfish.controller import Controller
from lab.hosts.redfish.server import RedfishServer

USER: Final = "rackproof"
KINDS: Final = ("iDRAC9",)
"""Controllers that there is a double of, as the catalogue calls them."""


class Controllers:
    """They answer from `start` to `stop`; each sees its server start."""

    def __init__(self) -> None:
        self.by_server: dict[str, Controller] = {}
        self.services: dict[str, RedfishServer] = {}

    def start(self, guests: Iterable[Guest], password: str, folder: Path) -> None:
        """Let the controllers of servers answer.

        Parameters
        ----------
        guests
            Hosts of the lab; one whose controller has no double is left out.
        password
            Of `USER` on each.
        folder
            Where their certificates are written; made where it is not there.
        """
        folder.mkdir(exist_ok=True)
        for guest in guests:
            if guest.spec.controller in KINDS:
                controller = Controller(guest.spec.name, USER, password)
                guest.when_started = controller.restart
                self.by_server[guest.spec.name] = controller
                self.services[guest.spec.name] = RedfishServer(controller, folder)

    def stop(self) -> None:
        """Let none of them answer any more."""
        for service in self.services.values():
            service.close()
        self.services.clear()
