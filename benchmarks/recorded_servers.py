"""Recordings of the servers of a site in which everything is as planned.

Answers common to all servers are held once; each server has its own serial number, MAC addresses and network answers.
"""

from __future__ import annotations

import base64
from functools import cached_property
from typing import TYPE_CHECKING, Final

from rackproof.facts.fact import Answer
from rackproof.facts.hosts import pci, system
from rackproof.plan.from_file import host_sources
from rackproof.plan.hosts.intent import host_intent
from rackproof.plan.hosts.sources import HostSources
from rackproof.site.as_built import AsBuilt, AsBuiltPort, AsBuiltServer, load_as_built
from tests.validation.as_planned import planned_answers, planned_texts
from tests.validation.recorded import RECORDINGS, recorded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rackproof.facts.fact import Answers
    from rackproof.plan.from_file import PlannedSite

SERIAL: Final = b"7XK9QW3"
MAC: Final = "a0:88:c2:"
"""Serial number, and beginning of the MAC addresses, of the recorded server."""


class RecordedServers:
    """The recordings of a planned site of XE9680 with H200 and B3140H.

    Parameters
    ----------
    planned
        The site.
    """

    def __init__(self, planned: PlannedSite) -> None:
        self.planned = planned
        self.names = tuple(planned.plan.servers)
        self._alike = recorded("xe9680-h200.json")
        self._table = base64.b64decode(self._alike[system.SMBIOS].output)
        self._ports: Mapping[str, AsBuiltPort] = load_as_built(RECORDINGS / "as-built.yaml").servers["gpu-001"].ports

    @cached_property
    def as_built(self) -> AsBuilt:
        """The record that discovery would write."""
        found = {name: self._found(place, name) for place, name in enumerate(self.names)}
        return AsBuilt(servers=found)

    @cached_property
    def _sources(self) -> HostSources:
        return host_sources(self.planned, self.as_built)

    def answers(self, name: str) -> Answers:
        """Return what a server answers."""
        place, plan = self.names.index(name), self.planned.plan.servers[name]
        external = self.planned.loaded.site.external
        dns, ntp = (tuple(map(str, addresses)) for addresses in (external.dns, external.ntp))
        texts = planned_texts(host_intent(self._sources, name), plan, dns=dns, ntp=ntp)
        table = base64.b64encode(self._table.replace(SERIAL, serial(place).encode())).decode()
        ports = self._alike[pci.PORTS].output.replace(MAC, mac(place))
        own = {system.SMBIOS: Answer(table, 0), pci.PORTS: Answer(ports, 0)}
        return {**planned_answers(texts), **self._alike, **own}

    def _found(self, place: int, name: str) -> AsBuiltServer:
        own = self.planned.plan.servers[name].ports
        ports = {
            port: known.model_copy(update={"mac_address": (known.mac_address or "").replace(MAC, mac(place))})
            for port, known in self._ports.items()
            if port in own
        }
        return AsBuiltServer(serial=serial(place), ports=ports)


def serial(place: int) -> str:
    """Return the serial number of a server, as long as the recorded one."""
    return f"B{place:06d}"


def mac(place: int) -> str:
    """Return the beginning of a server's MAC addresses."""
    return f"a2:{place >> 8:02x}:{place & 255:02x}:"
