"""What a lab switch is told about its ports: the part that is computed from both ends, or read from real packets."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from lab.spec.models import LabLink
from lab.switches.computed_routes import LabRoute
from lab.switches.device_state import BgpPeer, BgpSpeaker
from lab.switches.evpn_state import LabNetwork, LabSegment


@dataclass(frozen=True, slots=True)
class Neighbor:
    """The device at the other end of a live link, as LLDP shows it."""

    device: str
    port: str
    port_description: str
    chassis_mac: str
    description: str
    management_address: str | None
    is_host: bool


@dataclass(frozen=True, slots=True)
class QueueCounters:
    """What one queue of a port has sent and dropped."""

    packets: int = 0
    bytes: int = 0
    drop_packets: int = 0
    drop_bytes: int = 0


@dataclass(frozen=True, slots=True)
class PortCounters:
    """What a port has counted since it was made."""

    in_packets: int = 0
    in_bytes: int = 0
    in_drops: int = 0
    out_packets: int = 0
    out_bytes: int = 0
    out_drops: int = 0
    ecn_marked: int = 0
    """Packets sent with CE that this port set or passed on."""
    queues: Mapping[int, QueueCounters] = field(default_factory=dict)


class Links(Protocol):
    """The cables of a lab as its switches see them."""

    def ports(self, device: str) -> tuple[str, ...]:
        """Return the front panel ports of a switch that have a cable."""
        ...

    def cable(self, device: str, port: str) -> LabLink | None:
        """Return the cable in a port, or None."""
        ...

    def is_up(self, device: str, port: str) -> bool:
        """Return whether the link of a port is up."""
        ...

    def neighbor(self, device: str, port: str) -> Neighbor | None:
        """Return what LLDP shows on a port, or None."""
        ...

    def session_state(self, device: str, speaker: BgpSpeaker, peer: BgpPeer) -> str:
        """Return the state of a BGP session: ``Established``, or what keeps it from being so."""
        ...

    def asn_behind(self, device: str, peer: BgpPeer) -> int | None:
        """Return the ASN of the device that a session leads to, or None where none answers."""
        ...

    def prefixes(self, device: str, peer: BgpPeer, family: str) -> int:
        """Return how many routes an established session has brought."""
        ...

    def macs(self, device: str, port: str) -> tuple[str, ...]:
        """Return the MAC addresses that were learned on a port."""
        ...

    def routes(self, device: str) -> tuple[LabRoute, ...]:
        """Return the routes that a switch has learned, and with real packets all it has."""
        ...

    def networks(self, device: str) -> tuple[LabNetwork, ...]:
        """Return the networks that a switch stretches, with the other ends of each; always computed."""
        ...

    def segments(self, device: str) -> tuple[LabSegment, ...]:
        """Return the Ethernet segments of a switch, with the other ends of each; always computed."""
        ...

    def counters(self, device: str, port: str) -> PortCounters:
        """Return what a port has counted."""
        ...

    def changed(self, device: str) -> None:
        """Take note that a switch is configured differently, or has got or lost its power."""
        ...

    async def refresh(self, device: str) -> None:
        """Look again, so that what is asked next is as new as a person at the switch would see it."""
        ...
