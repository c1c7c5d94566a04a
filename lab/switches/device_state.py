"""The configured state of a switch that decides about its links: ports, BGP and the VXLAN overlay.

Every NOS of the lab parses its configuration into these types; a link comes up only when both ends agree.
"""

from collections.abc import Mapping
from dataclasses import dataclass

RS_FROM_MBPS = 200_000
"""Lanes of 50 Gb/s and more need RS-FEC (IEEE 802.3bs/ck), so ports from 200G use it when nothing is set."""


def default_fec(speed_mbps: int) -> str:
    """Return the FEC a port uses when none is configured."""
    return "rs" if speed_mbps >= RS_FROM_MBPS else "none"


@dataclass(frozen=True, slots=True)
class PortState:
    """A configured port."""

    name: str
    native_name: str
    admin_up: bool
    usable: bool
    """False for a port that is usable only after the next boot."""
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
    """Name of its port channel."""


@dataclass(frozen=True, slots=True)
class BgpPeer:
    """A configured BGP neighbour."""

    target: str
    """Name of an interface, or an IPv4 address."""
    remote: str
    """``internal``, ``external`` or an ASN; empty when none is configured."""
    families: frozenset[str]
    """Address families in use: ``ipv4 unicast``, ``l2vpn evpn``, ..."""
    shutdown: bool = False


@dataclass(frozen=True, slots=True)
class BgpSpeaker:
    """The configured BGP instance of a switch."""

    asn: int
    router_id: str
    peers: tuple[BgpPeer, ...]
    addresses: tuple[str, ...]
    """Addresses (without prefix length) of loopbacks and other interfaces without a cable."""
    networks: tuple[str, ...] = ()
    """Prefixes of the default VRF that it advertises."""


@dataclass(frozen=True, slots=True)
class Network:
    """A configured VNI: of a VLAN, or of a VRF."""

    number: int
    vlan: int | None = None
    vrf: str | None = None
    """The VRF of the VNI; for a VLAN: the VRF that routes it, None for the default VRF."""
    routed: bool = False
    """Whether the switch has a VLAN interface in it."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A configured Ethernet segment."""

    esi: str
    port: str
    """Name of the port channel."""
    members: tuple[str, ...]
    """Member ports."""
    preference: int


@dataclass(frozen=True, slots=True)
class Overlay:
    """The configured VXLAN overlay of a switch."""

    address: str
    """Address of its tunnel endpoint, without prefix length."""
    networks: tuple[Network, ...] = ()
    segments: tuple[Segment, ...] = ()

    @property
    def vlans(self) -> dict[int, int]:
        """VLAN to VNI."""
        return {network.vlan: network.number for network in self.networks if network.vlan is not None}


@dataclass(frozen=True, slots=True)
class DeviceState:
    """The configured state of a switch."""

    name: str
    """Host name, which LLDP announces."""
    ports: Mapping[str, PortState]
    bgp: BgpSpeaker | None
    chassis_mac: str
    description: str
    management_address: str | None = None
    overlay: Overlay | None = None
    """None without VXLAN."""
