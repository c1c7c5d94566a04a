"""What every NOS tells the lab about its ports and BGP, so that links come up only when both ends agree."""

from collections.abc import Mapping
from dataclasses import dataclass

from lab.switches.evpn_state import Overlay

RS_FROM_MBPS = 200_000
"""Lanes of 50 Gb/s and more need RS-FEC (IEEE 802.3bs/ck), so ports from 200G use it when nothing is set."""


def default_fec(speed_mbps: int) -> str:
    """Return the FEC a port uses when none is configured."""
    return "rs" if speed_mbps >= RS_FROM_MBPS else "none"


@dataclass(frozen=True, slots=True)
class PortState:
    """A port as it is configured."""

    name: str
    native_name: str
    admin_up: bool
    usable: bool
    """False for a port that comes into use at the next boot only."""
    speed_mbps: int
    fec: str
    mtu_bytes: int
    description: str
    lldp: bool
    ipv6_link_local: bool
    addresses: tuple[str, ...]
    """IPv4 addresses with prefix length."""
    autonegotiation: bool = False
    group: str | None = None
    """The port channel it belongs to."""


@dataclass(frozen=True, slots=True)
class BgpPeer:
    """A BGP neighbour as it is configured."""

    target: str
    """Name of an interface, or an IPv4 address."""
    remote: str
    """``internal``, ``external`` or an ASN; empty when nothing is said."""
    families: frozenset[str]
    """Address families in use: ``ipv4 unicast``, ``l2vpn evpn``, ..."""
    shutdown: bool = False


@dataclass(frozen=True, slots=True)
class BgpSpeaker:
    """BGP of one switch as it is configured."""

    asn: int
    router_id: str
    peers: tuple[BgpPeer, ...]
    addresses: tuple[str, ...]
    """Addresses (without prefix length) of loopbacks and other interfaces without a cable."""
    networks: tuple[str, ...] = ()
    """Prefixes of the default VRF that it tells others of."""


@dataclass(frozen=True, slots=True)
class DeviceState:
    """A switch as it is configured."""

    name: str
    """Host name, which LLDP announces."""
    ports: Mapping[str, PortState]
    bgp: BgpSpeaker | None
    chassis_mac: str
    description: str
    management_address: str | None = None
    overlay: Overlay | None = None
    """None: it stretches nothing."""
