"""The interface between switches and cables: link state, neighbors, sessions, routes and counters.

Two classes implement ``Links``: ``ComputedLinks`` computes them from the configuration of both ends, and ``LiveLinks``
of ``lab/fabric`` reads them from kernel and daemons.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from lab.spec.models import LabEnd, LabLink
from lab.switches.device_state import BgpPeer, BgpSpeaker, DeviceState, Network, Segment


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
    """Packets and bytes that one queue of a port has sent and dropped."""

    packets: int = 0
    bytes: int = 0
    drop_packets: int = 0
    drop_bytes: int = 0


@dataclass(frozen=True, slots=True)
class PortCounters:
    """Counters of a port since it was created."""

    in_packets: int = 0
    in_bytes: int = 0
    in_drops: int = 0
    out_packets: int = 0
    out_bytes: int = 0
    out_drops: int = 0
    ecn_marked: int = 0
    """Packets sent with CE (set by this port or received so)."""
    queues: Mapping[int, QueueCounters] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LabRoute:
    """A route in use."""

    prefix: str
    protocol: str
    """``bgp``, ``connected`` or ``static``."""
    ports: tuple[str, ...]
    """Egress ports of its ECMP paths, by the switch's own names."""


@dataclass(frozen=True, slots=True)
class LabNetwork:
    """A VNI of a switch, and the tunnel endpoints of the other switches that advertise it."""

    network: Network
    remote: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LabSegment:
    """An Ethernet segment of a switch, and the preferences of the other switches attached to it, by address."""

    segment: Segment
    up: bool
    remote: dict[str, int]
    forwards: bool
    """Whether it is the designated forwarder: highest preference, then lowest address (RFC 9785, section 4)."""


class Links(Protocol):
    """The cables of a lab as its switches see them, by name of the switch (``device``)."""

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
        """Return the LLDP neighbor of a port, or None."""
        ...

    def session_state(self, device: str, speaker: BgpSpeaker, peer: BgpPeer) -> str:
        """Return the state of a BGP session: ``Established``, or the state in which it stays."""
        ...

    def asn_behind(self, device: str, peer: BgpPeer) -> int | None:
        """Return the ASN of the peer of a session, or None when there is no peer."""
        ...

    def prefixes(self, device: str, peer: BgpPeer, family: str) -> int:
        """Return the number of prefixes received over an established session."""
        ...

    def macs(self, device: str, port: str) -> tuple[str, ...]:
        """Return the MAC addresses that were learned on a port."""
        ...

    def routes(self, device: str) -> tuple[LabRoute, ...]:
        """Return the routes that a switch has learned, and with a fabric also its other routes."""
        ...

    def networks(self, device: str) -> tuple[LabNetwork, ...]:
        """Return the VNIs of a switch, with the remote tunnel endpoints of each; always computed."""
        ...

    def segments(self, device: str) -> tuple[LabSegment, ...]:
        """Return the Ethernet segments of a switch, with the other attached switches; always computed."""
        ...

    def counters(self, device: str, port: str) -> PortCounters:
        """Return the counters of a port."""
        ...

    def changed(self, device: str) -> None:
        """Note that the configuration or the power state of a switch changed."""
        ...

    async def refresh(self, device: str) -> None:
        """Read the state of a switch again, so that the next queries return current values."""
        ...


class ConfiguredLinks(Protocol):
    """What routes, VNIs and segments are computed from where no packet is sent."""

    def state(self, device: str) -> DeviceState | None:
        """Return the configured state of a switch; None for a switch that is off and for any other device."""
        ...

    def is_up(self, device: str, port: str) -> bool:
        """Return whether the link of a port is up."""
        ...

    def peer_end(self, end: LabEnd) -> LabEnd | None:
        """Return the other end of the cable in a port, or None."""
        ...

    def session_state(self, device: str, speaker: BgpSpeaker, peer: BgpPeer) -> str:
        """Return the state of a BGP session: ``Established``, or the state in which it stays."""
        ...
