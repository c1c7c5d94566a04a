"""Operational state of a switch: its ports, LLDP neighbours and BGP sessions."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rackproof.facts.models import BgpSession, LldpNeighbour, PortStatus


@dataclass(frozen=True, slots=True)
class OperationalState:
    """Ports, LLDP neighbours and BGP sessions of one switch at one moment."""

    ports: Mapping[str, PortStatus] = field(default_factory=dict)
    neighbours: Mapping[str, LldpNeighbour] = field(default_factory=dict)
    """Port to its LLDP neighbour."""
    sessions: Mapping[str, BgpSession] = field(default_factory=dict)
    """BGP neighbour to its session."""

    def up(self, port: str) -> bool:
        """Whether a port is up."""
        return port in self.ports and self.ports[port].up

    def port_user(self, port: str) -> str:
        """Return the device at the other end of a port that is up, with the port: ``gpu-001 on Eth1/3/1``."""
        heard = self.neighbours.get(port)
        return f"{heard.device if heard and heard.device else 'something'} on {port}"


@dataclass(frozen=True, slots=True)
class PlannedNeighbour:
    """The planned peer end of a port."""

    device: str
    port: str
    """As the peer announces it in LLDP: a switch's port name; a server's port as the plan names it."""
    is_switch: bool
    """Whether Rackproof deploys the peer as a switch."""
