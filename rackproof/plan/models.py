"""What will be: the plan. Frozen values, made by pure functions; a large site has hundreds of thousands of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from rackproof.types import Fec

LinkKind = Literal["rail", "host", "inter-switch", "uplink", "management"]
SwitchRole = Literal["leaf", "spine"]


# --- What one switch is meant to do, whatever its NOS -----------------------------------------------------------


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


@dataclass(frozen=True, slots=True)
class EthernetSegmentIntent:
    """EVPN multihoming of a port channel: the same segment on both switches of a pair (RFC 7432)."""

    system_mac: str
    df_preference: int


@dataclass(frozen=True, slots=True)
class PortChannelIntent:
    """An LACP bundle; its members name it in ``PortIntent.port_channel``."""

    description: str
    mtu_bytes: int
    vlan: int | None = None
    tagged_vlans: tuple[int, ...] = ()
    address: str | None = None
    ethernet_segment: EthernetSegmentIntent | None = None


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


@dataclass(frozen=True, slots=True)
class BgpNeighborIntent:
    """A BGP session over a port (unnumbered) or to an address."""

    description: str
    remote_asn: int | None
    """None: any ASN but our own (``external``), for unnumbered neighbours inside the site."""
    evpn: bool = False
    bfd: bool = False


@dataclass(frozen=True, slots=True)
class BgpIntent:
    """BGP in the default VRF."""

    asn: int
    router_id: str
    neighbors: Mapping[str, BgpNeighborIntent]
    """Port key ("49" or "1/2") of an unnumbered session, or IPv4 address of the peer."""
    maximum_paths: int = 64


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


@dataclass(frozen=True, slots=True)
class TelemetryIntent:
    """What a collector may read."""

    gnmi_port: int


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


# --- Devices ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Position:
    """Lowest rack unit a device takes (1 is at the bottom) and how many."""

    rack: str
    unit: int
    height: int

    def __str__(self) -> str:
        return f"{self.rack}/u{self.unit:02d}"


@dataclass(frozen=True, slots=True)
class SwitchPlan:
    """A switch of a fabric."""

    name: str
    fabric: str
    role: SwitchRole
    model: str
    nos: str
    position: Position
    redundancy_group: str
    """Switches of one group are never changed at the same time; a switch alone is a group of its own."""
    index: int
    """Number within its fabric and role, from 0."""
    intent: SwitchIntent
    unmanaged: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HostPort:
    """A server's port on any fabric: name (rail3, frontend0, bmc, lom0), how it is addressed."""

    name: str
    fabric: str
    nic: str
    slot: int | None
    """None: on the main board."""
    port: int
    speed_gbps: int
    address: str | None
    """With prefix length; None for a member of a bond or a port without address."""
    gateway: str | None
    bond: str | None
    mtu_bytes: int
    switch: str
    switch_port: str
    """As the switch's NOS names it."""
    vlan: int | None
    rail: int | None = None
    """Number from 0 by physical slot and port; only on a backend."""
    gpus: tuple[int, ...] = ()
    """Accelerators nearest to the slot."""


@dataclass(frozen=True, slots=True)
class BondPlan:
    """An LACP bond of a server."""

    members: tuple[str, ...]
    address: str
    gateway: str | None


@dataclass(frozen=True, slots=True)
class ServerPlan:
    """A server."""

    name: str
    group: str
    model: str
    position: Position
    ports: Mapping[str, HostPort]
    bonds: Mapping[str, BondPlan]


@dataclass(frozen=True, slots=True)
class PduPlan:
    """A PDU of a rack."""

    name: str
    rack: str
    model: str
    feed: str
    index: int
    address: str | None


@dataclass(frozen=True, slots=True)
class RackPlan:
    """A rack and what it carries."""

    name: str
    model: str
    index: int
    load_kg: float
    units_used: int


# --- Cabling ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LinkEnd:
    """One end of a link."""

    device: str
    port: str
    """A switch's port as its NOS names it; a server's as the plan names it (rail3, frontend0, bmc)."""

    def __str__(self) -> str:
        return f"{self.device}/{self.port}"


@dataclass(frozen=True, slots=True)
class Link:
    """A lane group of an assembly between two ports; ``a`` is the switch (the upper one of two)."""

    fabric: str
    kind: LinkKind
    a: LinkEnd
    b: LinkEnd
    speed_gbps: int
    assembly: str
    leg: int
    """From 1."""


@dataclass(frozen=True, slots=True)
class Assembly:
    """A cable with one trunk and one or more legs: one line of the bill of materials."""

    id: str
    cable: str
    """Catalogue model."""
    length_m: float
    needed_m: float
    """What the longest leg needs between its rack positions."""
    trunk: LinkEnd
    """The physical cage: port "Eth1/3" even when it is split."""
    legs: tuple[LinkEnd, ...]
    """Ends in order; a leg nobody uses yet is left out."""
    trunk_transceiver: str | None = None
    leg_transceiver: str | None = None


@dataclass(frozen=True, slots=True)
class CordPlan:
    """A power cord from a supply to an outlet."""

    device: str
    supply: int
    """From 1."""
    pdu: str
    outlet: int
    """From 1, in the order of the catalogue's outlet groups."""
    outlet_type: str
    phase: str
    breaker: str
    cord: str
    length_m: float


# --- Fabrics and site --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SubnetPlan:
    """A subnet of a fabric."""

    fabric: str
    name: str
    """rail3, hosts, management, loopbacks, ..."""
    vlan: int | None
    prefix: str
    gateway: str | None
    hosts: str
    """First and last address of hosts: a.b.c.d-a.b.c.e."""
    pods: str | None
    """Range kept for secondary interfaces of pods."""


@dataclass(frozen=True, slots=True)
class FabricPlan:
    """A fabric as planned."""

    name: str
    role: str
    topology: str
    switches: tuple[str, ...]
    subnets: tuple[SubnetPlan, ...]
    mtu_bytes: int
    roce: RoceIntent | None
    host_dscp: int | None
    oversubscription: float
    """Host bandwidth over bandwidth towards other switches; 1.0 or less: non-blocking. 0.0: one switch."""
    servers_max: int
    """Largest number of servers this topology holds with these models."""


@dataclass(frozen=True, slots=True)
class LoadRow:
    """Load of one phase of one PDU in one case."""

    rack: str
    pdu: str
    part: str
    """Phase (L1-L2) or branch breaker."""
    case: str
    """normal, one PDU lost, feed lost with servers throttled, feed lost at full load."""
    load_w: float
    """The worst over everything that may fail in this case."""
    limit_w: float
    enforced: bool
    """Whether going over is an error in the redundancy the site states, or only reported."""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a reader of the plan must know: an assumption, a lost nicety of a NOS, a warning."""

    kind: Literal["assumed", "normalised", "warning"]
    subject: str
    text: str


@dataclass(frozen=True, slots=True)
class Plan:
    """A site as it will be."""

    site: str
    release: str
    racks: Mapping[str, RackPlan]
    servers: Mapping[str, ServerPlan]
    switches: Mapping[str, SwitchPlan]
    pdus: Mapping[str, PduPlan]
    fabrics: Mapping[str, FabricPlan]
    links: tuple[Link, ...]
    assemblies: tuple[Assembly, ...]
    cords: tuple[CordPlan, ...]
    power: tuple[LoadRow, ...]
    redundancy_groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
