"""The vendor-neutral intent of one switch: the part of the plan that templates render.

Fields with a default came later than the others; a NOS that cannot say one of them refuses it (render/extensions.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rackproof.types import Fec


@dataclass(frozen=True, slots=True)
class ManagementIntent:
    """The management interface."""

    address: str
    """With prefix length: 10.30.0.16/18."""
    gateway: str | None


@dataclass(frozen=True, slots=True)
class PortIntent:
    """A front panel port in use; every port that is not named is shut down."""

    description: str
    speed_gbps: int
    fec: Fec
    mtu_bytes: int
    vlan: int | None = None
    """Untagged VLAN."""
    tagged_vlans: tuple[int, ...] = ()
    address: str | None = None
    """Routed: IPv4 address with prefix length."""
    unnumbered: bool = False
    """Routed over IPv6 link-local addresses."""
    port_channel: int | None = None
    lossless: bool = False
    """Carries RoCE: gets maps, PFC, watchdog, ECN and headroom of the switch's RoCE intent."""
    cable_length_m: int | None = None
    """Length class for the headroom, as the NOS takes it; only with ``lossless``."""
    vrf: str | None = None
    """Of a routed port; None: the default one."""
    adaptive_routing: bool = False
    """Routed: spreads packets, not flows, over the paths that this port is one of."""
    multihoming_uplink: bool = False
    """Routed: while every port marked so is down, the switch takes the links of its Ethernet segments down."""


@dataclass(frozen=True, slots=True)
class EthernetSegmentIntent:
    """EVPN multihoming of a port channel: the same segment on both switches of a pair (RFC 7432)."""

    system_mac: str
    df_preference: int
    number: int | None = None
    """Number of a segment that shares its MAC with others; None: the number of the port channel."""


@dataclass(frozen=True, slots=True)
class PortChannelIntent:
    """An LACP bundle; its members name it in ``PortIntent.port_channel``."""

    description: str
    mtu_bytes: int
    vlan: int | None = None
    tagged_vlans: tuple[int, ...] = ()
    address: str | None = None
    ethernet_segment: EthernetSegmentIntent | None = None
    lacp_bypass: bool = False
    """Carries traffic of a host that does not speak LACP yet, one that boots from the network for instance."""


@dataclass(frozen=True, slots=True)
class VlanIntent:
    """A VLAN, its gateway and its VNI."""

    description: str
    mtu_bytes: int
    address: str | None = None
    """The switch's own address in it, with prefix length."""
    anycast_gateway: str | None = None
    """The address both switches of a pair answer for, with prefix length."""
    vni: int | None = None
    vrf: str | None = None
    """None: the default one."""


@dataclass(frozen=True, slots=True)
class BgpNeighborIntent:
    """A BGP session over a port (unnumbered) or to an address."""

    description: str
    remote_asn: int | None
    """None: any ASN but our own (``external``), for unnumbered neighbours inside the site."""
    evpn: bool = False
    bfd: bool = False
    internal: bool = False
    """The peer has our own ASN; ``remote_asn`` is None then."""
    ttl_security_hops: int | None = None
    """Packets of a peer that is further away are dropped (RFC 5082)."""
    export_policy: str | None = None
    """Route map over the routes that are advertised to the peer."""
    import_policy: str | None = None
    """Route map over the routes that are taken from the peer."""
    maximum_prefixes: int | None = None
    """The session is torn down when the peer sends more prefixes; None: no limit."""


@dataclass(frozen=True, slots=True)
class BgpIntent:
    """BGP in the default VRF."""

    asn: int
    router_id: str
    neighbors: Mapping[str, BgpNeighborIntent]
    """Port key ("49" or "1/2") of an unnumbered session, or IPv4 address of the peer."""
    maximum_paths: int = 64


@dataclass(frozen=True, slots=True)
class VrfIntent:
    """A VRF; its BGP has the ASN and the router ID of the default one."""

    l3_vlan: int | None = None
    """VLAN that stands for the VRF in the overlay, and its VNI (symmetric routing, RFC 9135)."""
    l3_vni: int | None = None
    loopback: str | None = None
    """Address with prefix length /32."""
    route_distinguisher: str | None = None
    """None: the switch derives one."""
    neighbors: Mapping[str, BgpNeighborIntent] = field(default_factory=dict)
    """As in ``BgpIntent``."""
    imports: tuple[str, ...] = ()
    """VRFs whose routes it takes, in order of their names."""
    import_policy: str | None = None
    """Route map over the routes that it imports."""


@dataclass(frozen=True, slots=True)
class VxlanIntent:
    """The VXLAN tunnel end point."""

    source_address: str
    """The loopback's address, without prefix length."""


@dataclass(frozen=True, slots=True)
class LosslessIntent:
    """A lossless class: priority = traffic class = priority group = queue."""

    dscp: tuple[int, ...]
    ecn_kmin_bytes: int
    ecn_kmax_bytes: int
    ecn_probability_percent: int
    bandwidth_percent: int


@dataclass(frozen=True, slots=True)
class PfcWatchdogIntent:
    """What happens to a queue paused for too long."""

    action: str
    detect_ms: int
    restore_ms: int
    poll_ms: int


@dataclass(frozen=True, slots=True)
class RoceIntent:
    """RoCE of one fabric, whatever the NOS; the same object goes to switches, NICs, NCCL and checks."""

    lossless: Mapping[int, LosslessIntent]
    """Priority to class."""
    cnp_dscp: int
    cnp_priority: int
    default_bandwidth_percent: int
    pfc_watchdog: PfcWatchdogIntent
    hash_queue_pair: bool
    lossless_buffer_percent: int | None = None
    """Share of the buffer that lossless traffic gets; None: what the NOS gives it."""


@dataclass(frozen=True, slots=True)
class TelemetryIntent:
    """What a collector may read."""

    gnmi_port: int | None
    """None: no gNMI server."""
    histograms: bool = False
    """Whether the switch counts how full its buffers are, bin by bin."""


@dataclass(frozen=True, slots=True)
class PrefixRule:
    """A prefix, and all within it up to a prefix length."""

    prefix: str
    longest: int
    permit: bool = True


@dataclass(frozen=True, slots=True)
class RouteMapRule:
    """What a route must be, and what becomes of it; without a match it is every route."""

    permit: bool
    prefix_list: str | None = None
    community_list: str | None = None
    set_community: str | None = None


@dataclass(frozen=True, slots=True)
class RoutingPolicy:
    """Lists and maps by name; rules by their number, the lowest first."""

    prefix_lists: Mapping[str, Mapping[int, PrefixRule]] = field(default_factory=dict)
    community_lists: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    """Communities that a list permits."""
    route_maps: Mapping[str, Mapping[int, RouteMapRule]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DhcpRelayIntent:
    """Requests for addresses that are passed on from a VRF."""

    servers: tuple[str, ...]
    ports: tuple[str, ...] = ()
    """Port keys."""
    vlans: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SwitchIntent:
    """All that Rackproof owns on one switch. Port keys are neutral: "3" is a port, "3/2" its second child."""

    hostname: str
    management: ManagementIntent
    ntp: tuple[str, ...]
    dns: tuple[str, ...]
    syslog: tuple[str, ...]
    breakouts: Mapping[str, str]
    """Port to breakout mode, where a port is split: "3" to "4x200G"."""
    ports: Mapping[str, PortIntent]
    port_channels: Mapping[int, PortChannelIntent]
    vlans: Mapping[int, VlanIntent]
    loopback: str | None
    """Address with prefix length /32; router ID and VTEP."""
    anycast_mac: str | None
    bgp: BgpIntent | None
    vxlan: VxlanIntent | None
    roce: RoceIntent | None
    telemetry: TelemetryIntent | None
    lldp: bool = True
    vrfs: Mapping[str, VrfIntent] = field(default_factory=dict)
    """Besides the default one."""
    policy: RoutingPolicy | None = None
    dhcp_relays: Mapping[str, DhcpRelayIntent] = field(default_factory=dict)
    """By VRF."""
    default_route: str | None = None
    """Next hop of 0.0.0.0/0 in the default VRF."""
    dialect: str | None = None
    """Name of one of the NOS's dialects (``nos_dialect``); None: its releases write alike, or none is said."""
