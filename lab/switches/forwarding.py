"""How a switch forwards packets: the types into which every NOS of the lab parses its configuration.

The fabric builds kernel interfaces, FRR and nftables from this and from nothing else, so that a line the switch has
accepted is a line that packets feel.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from lab.switches.device_state import BgpPeer, Overlay

CLASSES = range(8)
"""Traffic classes; the lab's switches have one queue for each."""


@dataclass(frozen=True, slots=True)
class QosState:
    """QoS of a port."""

    class_of: Mapping[int, int] = field(default_factory=dict)
    """DSCP to traffic class of received packets; without an entry class 0."""
    queue_of: Mapping[int, int] = field(default_factory=dict)
    """Traffic class to queue of sent packets; without an entry the queue of its number."""
    ecn: frozenset[int] = frozenset()
    """Queues that mark instead of drop while they can."""
    lossless: frozenset[int] = frozenset()
    """Traffic classes with PFC."""


@dataclass(frozen=True, slots=True)
class PortForwarding:
    """Forwarding of a port."""

    name: str
    mtu_bytes: int
    access_vlan: int | None = None
    """VLAN of packets without a tag."""
    tagged_vlans: frozenset[int] = frozenset()
    addresses: tuple[str, ...] = ()
    """IPv4, with prefix length."""
    ipv6_link_local: bool = False
    group: str | None = None
    """The port channel it belongs to; VLANs and addresses are then the port channel's."""
    vrf: str | None = None
    """None: the default one."""
    lldp: bool = True
    description: str = ""
    qos: QosState = QosState()


@dataclass(frozen=True, slots=True)
class VlanInterface:
    """The switch's own interface in a VLAN."""

    vlan: int
    mtu_bytes: int
    addresses: tuple[str, ...]
    anycast: tuple[str, ...] = ()
    """Anycast addresses, which other switches have too."""
    vrf: str | None = None


@dataclass(frozen=True, slots=True)
class RoutingPeer:
    """A BGP neighbor with its settings for a routing daemon."""

    peer: BgpPeer
    source: str | None = None
    """Source interface or address of the session."""
    hops: int | None = None
    """TTL of ebgp-multihop."""
    extended_next_hop: bool = False
    families: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Address family to further lines of FRR in it: ``next-hop-self``, ``allowas-in 1``."""


@dataclass(frozen=True, slots=True)
class Router:
    """BGP of the default VRF."""

    asn: int
    router_id: str | None
    peers: tuple[RoutingPeer, ...]
    redistribute: frozenset[str] = frozenset()
    """``connected``, ``static``."""
    networks: tuple[str, ...] = ()
    paths: int = 1
    """Routes of equal cost in use."""
    relax: bool = False
    """Whether routes over different ASNs are of equal cost."""
    advertises_vnis: bool = False
    """Whether it advertises its VNIs."""


@dataclass(frozen=True, slots=True)
class Forwarding:
    """Forwarding of a switch."""

    ports: Mapping[str, PortForwarding]
    vlans: tuple[VlanInterface, ...] = ()
    loopbacks: tuple[str, ...] = ()
    """Addresses with prefix length."""
    router: Router | None = None
    routes: Mapping[str, str] = field(default_factory=dict)
    """Static routes of the default VRF: prefix to next hop."""
    overlay: Overlay | None = None
    """None without VXLAN."""
    other_vrfs: frozenset[str] = frozenset()
    """VRFs beside the default and the management one."""
    bfd: bool = False
