"""What will be: the plan. Frozen values, made by pure functions.

A large site has hundreds of thousands of links, cables and ports: these are Structs, made ten times as fast as
frozen dataclasses and which the garbage collector passes over (``gc=False``: none of them can be part of a cycle).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from msgspec import Struct

from rackproof.plan.model.cabling import Assembly, CordPlan, Link, LinkEnd, LinkKind
from rackproof.plan.model.reachability import ServicePlan
from rackproof.plan.model.storage import StoragePool
from rackproof.plan.model.switch import (
    BgpIntent,
    BgpNeighborIntent,
    DhcpRelayIntent,
    EthernetSegmentIntent,
    LosslessIntent,
    ManagementIntent,
    PfcWatchdogIntent,
    PortChannelIntent,
    PortIntent,
    PrefixRule,
    RoceIntent,
    RouteMapRule,
    RoutingPolicy,
    SwitchIntent,
    TelemetryIntent,
    VlanIntent,
    VrfIntent,
    VxlanIntent,
)
from rackproof.plan.model.uplink import UplinkPlan

__all__ = [
    "Assembly",
    "BgpIntent",
    "BgpNeighborIntent",
    "BondPlan",
    "CordPlan",
    "DhcpRelayIntent",
    "EthernetSegmentIntent",
    "FabricPlan",
    "HostPort",
    "HostVlan",
    "Link",
    "LinkEnd",
    "LinkKind",
    "LoadRow",
    "LosslessIntent",
    "ManagementIntent",
    "Notice",
    "PduPlan",
    "PfcWatchdogIntent",
    "Plan",
    "PortChannelIntent",
    "PortIntent",
    "Position",
    "PrefixRule",
    "RackPlan",
    "RoceIntent",
    "RouteMapRule",
    "RoutingPolicy",
    "ServerPlan",
    "ServicePlan",
    "StoragePlan",
    "StoragePool",
    "SubnetManagerPlan",
    "SubnetPlan",
    "SwitchIntent",
    "SwitchPlan",
    "SwitchRole",
    "TelemetryIntent",
    "UplinkPlan",
    "VlanIntent",
    "VrfIntent",
    "VxlanIntent",
]

SwitchRole = Literal["leaf", "spine", "super-spine"]


# --- Devices ---------------------------------------------------------------------------------------------------


class Position(Struct, frozen=True, gc=False):
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
    intent: SwitchIntent | None
    """None: Rackproof does not configure it (unmanaged InfiniBand, a storage system's own back end)."""
    unmanaged: tuple[str, ...] = ()
    breakouts: Mapping[str, str] = field(default_factory=dict)
    """Port to breakout mode, where a port is split; also on switches without an intent."""


class HostPort(Struct, frozen=True, gc=False):
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
    mtu_bytes: int | None
    switch: str | None
    switch_port: str | None
    """As the switch's NOS names it; like the two before it None where the server is hosted."""
    vlan: int | None
    rail: int | None = None
    """Number from 0 by physical slot and port; only on a backend."""
    gpus: tuple[int, ...] = ()
    """Accelerators nearest to the slot."""


class BondPlan(Struct, frozen=True, gc=False):
    """An LACP bond of a server."""

    members: tuple[str, ...]
    address: str
    gateway: str | None


class HostVlan(Struct, frozen=True, gc=False):
    """A VLAN that a server takes tagged over a bond, with an address of its own."""

    fabric: str
    link: str
    """The bond."""
    vlan: int
    address: str
    """With prefix length."""
    gateway: str | None
    mtu_bytes: int | None


@dataclass(frozen=True, slots=True)
class ServerPlan:
    """A server, or a node of a storage cluster."""

    name: str
    group: str
    """Group of servers, or storage cluster."""
    model: str
    position: Position | None
    """None: hosted."""
    ports: Mapping[str, HostPort]
    bonds: Mapping[str, BondPlan]
    vlans: Mapping[str, HostVlan] = field(default_factory=dict)
    """Interface (vlan400) to the VLAN; only where the fabric has some beside that of its hosts."""


@dataclass(frozen=True, slots=True)
class StoragePlan:
    """A storage cluster."""

    name: str
    model: str
    protocol: str
    fabric: str
    """The fabric it serves on."""
    backend: str
    """The network between its nodes."""
    nodes: Mapping[str, ServerPlan]
    zone: str | None = None
    """DNS name that SmartConnect answers for."""
    pools: tuple[StoragePool, ...] = ()


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
    kept: tuple[tuple[str, Position], ...] = ()
    """Places kept for growth or for what was retired: device and where it would stand."""


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
    switches: tuple[str, ...] = ()
    """Switches that serve it; empty where it is not a layer 2 subnet."""


@dataclass(frozen=True, slots=True)
class SubnetManagerPlan:
    """What makes an InfiniBand subnet work: one manager is master, another takes over."""

    server: str
    port: str
    """Port it manages the subnet through: rail0."""
    software: Literal["opensm", "ufm"]
    state: Literal["master", "standby"]
    priority: int
    """0 to 15; of all managers the one with the highest is master (InfiniBand Architecture, volume 1, 14.4.1)."""
    switches: tuple[str, ...]
    """Switches of the subnet."""


SizeChoice = Literal["planned", "cheaper", "larger"]


@dataclass(frozen=True, slots=True)
class FabricSize:
    """What a leaf and spine fabric takes, places for growth included: as planned, or the next choice."""

    choice: SizeChoice
    """cheaper: the least oversubscription with fewer switches above the leaves; larger: the fewest servers with more.
    """
    servers: int
    """Servers it is sized for."""
    servers_max: int
    """Servers that need no further spine or super-spine, if they are like those of the fullest leaf."""
    leaves: int
    spines: int
    super_spines: int
    uplinks_per_leaf: int
    """Cables from a leaf to spines."""
    oversubscription: float | None
    """Bandwidth of the hosts of the fullest leaf over that of its uplinks; None: one leaf has none."""
    oversubscription_asked: float
    """What the site file has to ask for."""


@dataclass(frozen=True, slots=True)
class FabricPlan:
    """A fabric as planned."""

    name: str
    role: str
    topology: str
    switches: tuple[str, ...]
    subnets: tuple[SubnetPlan, ...]
    mtu_bytes: int | None
    """None: the network is a provider's."""
    roce: RoceIntent | None
    host_dscp: int | None
    oversubscription: float | None
    """Host bandwidth over inter-switch bandwidth of the busiest switch, as planned; 1.0 or less: non-blocking.

    None: no inter-switch link is on the path of hosts' traffic (`Layout.oversubscription` states the cases).
    """
    servers_max: int
    """Largest number of servers this topology holds with these models."""
    subnet_managers: tuple[SubnetManagerPlan, ...] = ()
    """Only where the fabric is InfiniBand."""
    sizes: tuple[FabricSize, ...] = ()
    """Only of leaves and spines: as planned, the next cheaper and the next larger one."""

    @property
    def host_priority(self) -> int | None:
        """Lossless priority of the DSCP that hosts mark RoCE data with.

        None: the fabric has no RoCE, or no lossless class has that DSCP, which a rule of the site file refuses.
        """
        classes = self.roce.lossless.items() if self.roce is not None else ()
        return next((priority for priority, lossless in classes if self.host_dscp in lossless.dscp), None)


class LoadRow(Struct, frozen=True, gc=False):
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
    """Something a reader of the plan must know: an assumption, a recommendation, a loss, an omission, a warning."""

    kind: Literal["assumed", "recommended", "normalised", "left-out", "export-only", "reachability", "warning"]
    subject: str
    """What it is about; of ``export-only`` the fabric."""
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
    storage: Mapping[str, StoragePlan] = field(default_factory=dict)
    uplinks: tuple[UplinkPlan, ...] = ()
    services: tuple[ServicePlan, ...] = ()
    """Addresses that the site file names and that devices must reach."""

    def hosts(self) -> dict[str, ServerPlan]:
        """Return everything that switches serve and that has adapters: servers, and nodes of storage clusters."""
        hosts = dict(self.servers)
        for cluster in self.storage.values():
            hosts |= cluster.nodes
        return hosts

    def intents(self) -> dict[str, SwitchIntent]:
        """Return switch to intent, of every switch that is configured."""
        return {name: switch.intent for name, switch in self.switches.items() if switch.intent is not None}

    def export_only(self) -> tuple[str, ...]:
        """Return the switches whose NOS is an export format: configuration is written to files, nothing is deployed."""
        fabrics = {notice.subject for notice in self.notices if notice.kind == "export-only"}
        return tuple(name for name, switch in self.switches.items() if switch.fabric in fabrics)

    def without_export_only(self) -> "Plan":
        """Return the plan for verbs that connect to devices: export-only switches have no intent."""
        unconfigured = {name: replace(self.switches[name], intent=None) for name in self.export_only()}
        return replace(self, switches={**self.switches, **unconfigured}) if unconfigured else self
