"""What a switch sees around it: ports, neighbours, sessions; and who would notice a change."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rackproof.facts.models import BgpSession, LldpNeighbour, PortStatus


@dataclass(frozen=True, slots=True)
class Surroundings:
    """One look around."""

    ports: Mapping[str, PortStatus] = field(default_factory=dict)
    neighbours: Mapping[str, LldpNeighbour] = field(default_factory=dict)
    """Port to what it hears."""
    sessions: Mapping[str, BgpSession] = field(default_factory=dict)
    """Neighbour to its session."""

    def up(self, port: str) -> bool:
        """Whether a port is up."""
        return port in self.ports and self.ports[port].up

    def user_of(self, port: str) -> str:
        """Return who is at the other end of a port that is up."""
        heard = self.neighbours.get(port)
        return f"{heard.device if heard and heard.device else 'something'} on {port}"


@dataclass(frozen=True, slots=True)
class PlannedNeighbour:
    """What the plan puts at the other end of a port."""

    device: str
    port: str
    """As the other end announces it: a switch's port name; a server's port as the plan names it."""
    is_switch: bool
    """Whether Rackproof deploys the other end in the same way."""
