"""Who is seen at a switch's ports: by LLDP, or by a MAC address that discovery recorded."""

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

from rackproof.deploy.switch.cabling_check import full_name
from rackproof.facts.fact import FactError
from rackproof.facts.models import LldpNeighbour
from rackproof.plan.model.plan import LinkEnd
from validation.expected.subjects import Switch


class SeenNeighbor(NamedTuple):
    """Who is seen at a port."""

    end: LinkEnd
    how: str


class SeenNeighbors:
    """Looks at the ports of one switch.

    Parameters
    ----------
    switch
        The switch; its MAC address table is read only for a port without an LLDP neighbour.
    """

    def __init__(self, switch: Switch) -> None:
        self._switch = switch
        self._heard = switch.facts.neighbours()
        self._devices = frozenset(switch.site.cables)

    def at(self, port: str, planned: LinkEnd) -> SeenNeighbor | None:
        """Return the neighbour seen at a port; None: no known device.

        Parameters
        ----------
        port
            The port.
        planned
            Who should be there: of several who were learned there, it counts.
        """
        if port in self._heard:
            return SeenNeighbor(self._announced(self._heard[port]), "LLDP")
        if planned.device not in self._switch.site.plan.servers:
            return None
        ends = [self._recorded[mac] for mac in self._learned.get(port, ()) if mac in self._recorded]
        return SeenNeighbor(planned if planned in ends else ends[0], "MAC address") if ends else None

    def _announced(self, heard: LldpNeighbour) -> LinkEnd:
        """Return who announces this; adapters with LLDP of their own give MAC addresses only."""
        known = self._recorded.get(heard.remote_port.lower())
        if known is not None:
            return known
        owner = self._recorded.get(heard.chassis)
        name = full_name(heard.device, self._devices) or heard.device or (owner.device if owner else heard.chassis)
        return LinkEnd(name, heard.remote_port)

    @cached_property
    def _recorded(self) -> Mapping[str, LinkEnd]:
        """MAC address to the port of a server that has it."""
        ports: dict[str, LinkEnd] = {}
        for server, record in self._switch.site.as_built.servers.items():
            known = {port: found.mac_address for port, found in record.ports.items() if found.mac_address is not None}
            ports |= {mac_address: LinkEnd(server, port) for port, mac_address in known.items()}
        return ports

    @cached_property
    def _learned(self) -> Mapping[str, tuple[str, ...]]:
        try:
            return self._switch.facts.macs()
        except FactError:
            return {}
