"""What switches say, whatever their NOS; each NOS's module reads its own text into these."""

from typing import NamedTuple


class LldpNeighbour(NamedTuple):
    """What a port hears from the other end of its cable."""

    port: str
    """Our port, as the NOS names it."""
    device: str
    """Host name the other end announces; empty: none."""
    remote_port: str
    """Its port as it announces it: a port name, or a MAC address; empty: none."""


class PortStatus(NamedTuple):
    """State of one port."""

    port: str
    up: bool
    reason: str
    """Why, in the NOS's word, such as ``admin-down``."""
    speed_mbps: int | None
    mtu_bytes: int | None


class BgpSession(NamedTuple):
    """State of one BGP neighbour."""

    neighbour: str
    """Address, or interface of an unnumbered neighbour, as the NOS names it."""
    remote_asn: int | None
    established: bool
    prefixes: int
    """Prefixes received; 0 while it is not established."""
