"""Models of the site file: what a person decides, and nothing that is derived from it."""

from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from rackproof.site.conditions import NEEDED_UNLESS_HOSTED, schema_of_fabrics
from rackproof.types import (
    Asn,
    DnsName,
    Dscp,
    ExportPath,
    Hostname,
    KernelArgument,
    ModelName,
    MtuBytes,
    Percent,
    PrintableText,
    Priority,
    SiteName,
    SpeedGbps,
    VlanId,
)

FabricRole = Literal["backend", "frontend", "oob"]
Redundancy = Literal["one-pdu", "feed-throttled", "feed-full"]
HostOs = Literal["ubuntu-22.04", "ubuntu-24.04", "debian-12"]
"""Operating systems of hosts that the roles know."""
RdmaStack = Literal["inbox", "doca-ofed", "broadcom"]
"""Where a host's RDMA drivers and tools come from: its kernel and distribution, or an adapter vendor's packages."""


class SiteObject(BaseModel):
    """A part of the site file: closed, frozen, documented by the strings under its fields."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    assumed: str | None = None
    """Why this was chosen although the source of the site does not state it; the dossier shows it."""


class Pdus(SiteObject):
    """The power distribution units of a rack, half of them on each feed."""

    model: ModelName
    """A file of rackproof/hardware/pdus."""
    count: Annotated[int, Field(ge=1, le=8)]
    """PDUs in the rack; the first half is on feed A, the second on feed B."""


class Rack(SiteObject):
    """A rack, or a block of racks that are alike; the order of the list is the order on the floor."""

    name: Hostname
    """Its name in the site file, in positions (r1/u05) and on labels."""
    model: ModelName
    """A file of rackproof/hardware/racks."""
    pdus: Pdus
    count: Annotated[int, Field(ge=1, le=9999)] | None = None
    """Racks in the block; they are called <name>-1, <name>-2, ... and everything that names the block means all."""
    per_row: Annotated[int, Field(ge=1, le=999)] | None = None
    """Racks of the block that stand side by side before the next row begins (default: all)."""
    new_row: bool = False
    """Whether a new row begins with it (default: it stands beside the rack before it)."""


class ServerGroup(SiteObject):
    """Servers that are alike; they are named <group>-001, <group>-002, ..."""

    group: Hostname
    """Name of the group, from which its servers take theirs."""
    model: ModelName
    """A file of rackproof/hardware/servers."""
    nics: dict[Hostname, ModelName]
    """Fabric to the network adapter that connects to it."""
    nic_counts: dict[Hostname, Annotated[int, Field(ge=1, le=8)]] = {}
    """Fabric to the number of such adapters in a server (default: one; in a backend, as many as it has slots)."""
    managed_nics: tuple[Hostname, ...] | None = None
    """Fabrics whose adapters' own management controllers are cabled out of band (default: all that have one)."""
    count: Annotated[int, Field(ge=1, le=8192)]
    """Number of servers."""
    grows_to: Annotated[int, Field(ge=1, le=8192)] | None = None
    """Largest number this group may grow to without changing anything that exists (default: ``count``)."""
    rack: Hostname | None = None
    """The rack they stand in; the first of ``racks`` when several hold them."""
    racks: tuple[Hostname, ...] = ()
    """Racks that are filled one after the other, when one is not enough; a hosted site has none."""
    from_unit: Annotated[int, Field(ge=1, le=60)] = 1
    """Lowest rack unit they take; nearer to their switches, shorter cables reach."""
    per_rack: Annotated[int, Field(ge=1, le=42)] | None = None
    """Servers a rack takes at most (default: as many as its units hold)."""
    memory_gb: Annotated[int, Field(gt=0)] | None = None
    """System memory of a server (default: as the catalogue has the model)."""
    retired: tuple[Hostname, ...] = ()
    """Servers taken out: their names, ports and addresses are not used again."""
    os: HostOs | None = None
    """Their operating system (default: that of the release)."""
    rdma_stack: RdmaStack | None = None
    """Whose RDMA drivers they have (default: on Ubuntu the adapters' vendor's where the release lists them, NVIDIA's
    as ``doca`` and Broadcom's as ``broadcom-bnxt``; otherwise those of the distribution)."""
    kernel_arguments: tuple[KernelArgument, ...] = ()
    """Arguments of the kernel command line besides those that the catalogue has for the model."""

    @model_validator(mode="after")
    def _one_way_to_place(self) -> "ServerGroup":
        """Servers stand in ``rack`` or in ``racks``, not both."""
        if self.rack is not None and self.racks:
            message = "give either rack or racks"
            raise ValueError(message)
        return self

    @property
    def size(self) -> int:
        """Number of servers that room, ports and addresses are kept for."""
        return max(self.grows_to or self.count, self.count)

    @property
    def rack_names(self) -> tuple[str, ...]:
        """Racks of this group in filling order."""
        return self.racks or ((self.rack,) if self.rack else ())


class Storage(SiteObject):
    """A scale-out storage cluster; its nodes are named <name>-001, <name>-002, ..."""

    name: Hostname
    """Name of the cluster, from which its nodes take theirs."""
    model: ModelName
    """A file of rackproof/hardware/storage."""
    nodes: Annotated[int, Field(ge=1, le=252)]
    """Number of nodes (PowerScale: 3 to 252)."""
    grows_to: Annotated[int, Field(ge=1, le=252)] | None = None
    """Largest number of nodes it may grow to without changing anything that exists (default: ``nodes``)."""
    protocol: Literal["nfs", "nfs-rdma", "smb", "s3"] = "nfs"
    """How clients reach it; NFS over RDMA needs RoCE on the fabric."""
    fabric: Hostname = "frontend"
    """The fabric it serves on."""
    zone: DnsName | None = None
    """Name that clients look it up by (SmartConnect zone); your name server delegates it to the service addresses."""
    export: ExportPath = "/ifs"
    """Path that NFS clients mount (OneFS exports /ifs when it is set up)."""
    rack: Hostname | None = None
    """The rack its nodes and its own switches stand in."""
    racks: tuple[Hostname, ...] = ()
    """Racks that are filled one after the other; its own switches stand in the first."""
    from_unit: Annotated[int, Field(ge=1, le=60)] = 1
    """Lowest rack unit its nodes take; nearer to their switches, shorter cables reach."""
    per_rack: Annotated[int, Field(ge=1, le=42)] | None = None
    """Nodes a rack takes at most (default: as many as its units hold)."""

    @model_validator(mode="after")
    def _one_way_to_place(self) -> "Storage":
        """Nodes stand in ``rack`` or in ``racks``, not both."""
        if self.rack is not None and self.racks:
            message = "give either rack or racks"
            raise ValueError(message)
        return self

    @property
    def size(self) -> int:
        """Number of nodes that room, ports and addresses are kept for."""
        return max(self.grows_to or self.nodes, self.nodes)

    @property
    def rack_names(self) -> tuple[str, ...]:
        """Racks of this cluster in filling order."""
        return self.racks or ((self.rack,) if self.rack else ())

    @property
    def backend(self) -> str:
        """Name of the network between its nodes."""
        return f"{self.name}-backend"


class LosslessClass(SiteObject):
    """Traffic that must not be dropped."""

    priority: Annotated[int, Field(ge=1, le=6)] | None = None
    """PFC priority, traffic class, priority group and queue (default: 3 on every NOS; 0 and 7 carry lossy traffic)."""
    dscp: tuple[Dscp, ...] | None = None
    """Code points of this class (default: 24 and 26 as Dell's ``roce enable``, 24 to 31 as NVIDIA's ``qos roce``)."""


class Ecn(SiteObject):
    """When a switch marks congestion (WRED with ECN); one threshold for every port speed, as both vendors have it."""

    kmin_bytes: Annotated[int, Field(gt=0)] | None = None
    """Queue length at which marking starts (default: 1048576, 1 MiB, as Dell; 150000 as NVIDIA)."""
    kmax_bytes: Annotated[int, Field(gt=0)] | None = None
    """Queue length at which every packet is marked (default: 2097152, 2 MiB, as Dell; 1501500 as NVIDIA)."""
    probability_percent: Annotated[int, Field(ge=1, le=100)] | None = None
    """Probability of marking just below kmax (default: 5 as Dell, 100 as NVIDIA)."""


class PfcWatchdog(SiteObject):
    """What happens to a queue that is paused for too long."""

    action: Literal["drop", "forward", "alert"] | None = None
    """What is done with the packets of such a queue (default: drop)."""
    detect_ms: Annotated[int, Field(ge=100, le=5000)] | None = None
    """How long a queue may be paused (default: 200 as Dell, 300 as NVIDIA)."""
    restore_ms: Annotated[int, Field(ge=100, le=60000)] | None = None
    """How long a queue is free of pauses before it carries traffic again (default: 400 as Dell; Cumulus: by itself)."""
    poll_ms: Annotated[int, Field(ge=100, le=1000)] | None = None
    """How often the switch polls its queues (default: 100)."""


class Roce(SiteObject):
    """RoCE of a fabric; what is left out is the recommendation of the vendor of its NOS, which the plan lists."""

    enabled: bool = True
    """Whether the fabric carries RoCE; ``roce: none`` is short for ``roce: {enabled: false}``."""
    lossless: tuple[LosslessClass, ...] | None = None
    """Lossless classes, two at most (default: one)."""
    host_dscp: Dscp | None = None
    """What hosts mark RoCE data with; one of the lossless classes' code points (default: 26)."""
    cnp_dscp: Dscp | None = None
    """What congestion notifications are marked with (default: 48)."""
    cnp_priority: Priority | None = None
    """Class of congestion notifications; strict priority (default: 6)."""
    ecn: Ecn = Ecn()
    pfc_watchdog: PfcWatchdog = PfcWatchdog()
    bandwidth_percent: Percent | None = None
    """Share of a port the lossless classes get together (default: 50)."""
    lossless_buffer_percent: Annotated[int, Field(ge=10, le=90)] | None = None
    """Share of the buffer for lossless traffic (default: what the NOS gives it)."""
    load_balancing: Literal["ecmp-queue-pair", "ecmp", "adaptive-routing"] | None = None
    """What spreads traffic over links: flows by addresses and ports, with or without the RoCE queue pair, or packets
    by how full the links are (adaptive routing: every adapter must take packets out of order). Default: ecmp-queue-pair
    on Enterprise SONiC, ecmp elsewhere."""


class Fabric(SiteObject):
    """A network with its own switches, or one that shares another's."""

    model_config = ConfigDict(json_schema_extra=schema_of_fabrics)

    role: FabricRole | None = None
    """What it is for (default: its name, where that is a role)."""
    topology: str
    """How its switches are linked: single-switch, redundant-pair, tor-clos, pure-rail, rail-optimized, rail-split-pair,
    consolidated-pair; out of band also switch-per-rack and rack-aggregation."""
    switch: ModelName
    """A file of rackproof/hardware/switches."""
    nos: ModelName
    """A file of rackproof/hardware/nos. ``sonic`` is export only: config_db.json is rendered, and nothing deployed."""
    prefix: IPv4Network
    """Every address of this fabric comes from here."""
    rack: Hostname | None = None
    """Where its switches stand, a block filled from its first rack on (default: the first rack)."""
    racks: tuple[Hostname, ...] = ()
    """Racks and blocks that its switches fill one after the other, when one is not enough."""
    per_rack: Annotated[int, Field(ge=1, le=48)] | None = None
    """Switches of this fabric a rack takes at most (default: as many as its units hold)."""
    oversubscription: Annotated[float, Field(ge=1, le=16)] = 1.0
    """Bandwidth of a leaf's hosts over that of its links to spines (default: 1, non-blocking)."""
    subnets: Literal["per-rail", "shared"] | None = None
    """One subnet a rail, or one for all (default: per-rail in a backend, shared elsewhere)."""
    nic_ports: Literal["two-subnets", "bond"] | None = None
    """What a NIC with two ports does with them (default: two-subnets in a backend, bond elsewhere)."""
    first_vlan: VlanId | None = None
    """Its VLANs count from here (default: backend 100, frontend 200, oob 300)."""
    first_asn: Asn | None = None
    """ASNs of its switches count from here (default: from 4200000000, RFC 6996, 1000 apart a fabric)."""
    mtu_bytes: MtuBytes | None = None
    """MTU of ports and hosts (default: 9216 where there is data, 1500 out of band)."""
    cable: ModelName | None = None
    """Cable between its switches and NICs (default: the shortest-reach one that fits)."""
    ufm: Annotated[tuple[Hostname, ...], Field(min_length=1, max_length=2)] | None = None
    """InfiniBand: servers that run UFM, the master first (default: OpenSM on two servers of the fabric)."""
    roce: Roce | None = None
    """RoCE on this fabric (default: in a backend the recommendation of its NOS's vendor throughout, as with ``{}``;
    elsewhere ``none``)."""
    shares: Hostname | None = None
    """The consolidated pair on whose switches it runs; topology, switch and NOS are then that fabric's."""
    joins: Hostname | None = None
    """Out of band: the consolidated pair that its switches are linked to twice, and that routes for it."""
    unmanaged: tuple[PrintableText, ...] = ()
    """Lines or blocks of its switches' configuration that Rackproof leaves alone, each named by how it begins."""

    @model_validator(mode="after")
    def _one_way_to_place(self) -> "Fabric":
        """Switches stand in ``rack`` or in ``racks``, one of the two, or in the site's first rack."""
        if self.rack is not None and self.racks:
            message = "give either rack or racks"
            raise ValueError(message)
        return self

    @property
    def rack_names(self) -> tuple[str, ...]:
        """Racks and blocks its switches fill, in order; empty: the site's first."""
        return self.racks or ((self.rack,) if self.rack else ())


class Uplink(SiteObject):
    """A connection to a network outside the site."""

    fabric: Hostname
    """The fabric it leads out of."""
    ports: Annotated[int, Field(ge=1, le=16)] = 1
    """Ports that each switch of the fabric uses for it."""
    speed_gbps: SpeedGbps
    """Speed of each of these ports."""
    attach: Literal["bgp", "bgp-unnumbered", "vlan"]
    """How it is attached: BGP over /31 subnets, BGP over link-local addresses, or a VLAN over a port channel."""
    asn: Asn | None = None
    """The other side's ASN (bgp)."""
    prefix: IPv4Network | None = None
    """Point-to-point subnets (/31) are taken from here (bgp)."""
    vlan: VlanId | None = None
    """VLAN carried (vlan)."""
    address: IPv4Interface | None = None
    """The first switch's own address in that VLAN; each further switch of the fabric takes the next one (vlan)."""
    gateway: IPv4Address | None = None
    """Next hop of the switches' default route, in the subnet of ``address`` (vlan; default: no route leads out)."""
    accept: Annotated[tuple[IPv4Network, ...], Field(min_length=1)] | None = None
    """Prefixes taken from the other side, exactly these (bgp; default: 0.0.0.0/0; consolidated-pair: all)."""
    advertise: Annotated[tuple[IPv4Network, ...], Field(min_length=1)] | None = None
    """Prefixes advertised to the other side, exactly these (bgp; default: the subnets and loopbacks of the fabric)."""
    maximum_prefixes: Annotated[int, Field(ge=1, le=4294967295)] | None = None
    """The session is torn down when the other side sends more prefixes (bgp; default: no limit beside ``accept``)."""
    bfd: bool = False
    """Whether BFD watches the sessions (bgp)."""
    mtu_bytes: MtuBytes = 9216
    """MTU that both sides use."""

    @model_validator(mode="after")
    def _fields_fit_the_attachment(self) -> "Uplink":
        """BGP over subnets needs asn and prefix; a VLAN needs vlan, and has no routes to filter."""
        needed = {"bgp": ("asn", "prefix"), "bgp-unnumbered": (), "vlan": ("vlan",)}[self.attach]
        missing = [name for name in needed if getattr(self, name) is None]
        if missing:
            message = f"attach: {self.attach} needs {' and '.join(missing)}"
            raise ValueError(message)
        routed = [name for name in ("accept", "advertise", "maximum_prefixes", "bfd") if getattr(self, name)]
        if self.attach == "vlan" and routed:
            message = f"attach: vlan has no BGP session for {' and '.join(routed)}"
            raise ValueError(message)
        return self


class External(SiteObject):
    """Networks and services around the site."""

    uplinks: dict[Hostname, Uplink] = {}
    """Networks outside the site, by name."""
    dns: tuple[IPv4Address, ...] = ()
    """Name servers of switches and hosts."""
    ntp: tuple[IPv4Address, ...] = ()
    """Time servers of switches and hosts."""
    syslog: tuple[IPv4Address, ...] = ()
    """Where switches send their logs."""
    dhcp: tuple[IPv4Address, ...] = ()
    """DHCP servers that a consolidated pair relays requests to."""
    management: tuple[IPv4Address, ...] = ()
    """Stations that Rackproof runs on: every switch, BMC and PDU must reach them (default: any station outside)."""


class Pin(SiteObject):
    """Derived values that are fixed here; checked like any other input."""

    ports: dict[str, str] = {}
    """Server port (gpu-001:rail0) to switch port (backend-leaf-01/Eth1/1/1)."""
    addresses: dict[str, IPv4Address] = {}
    """Server port or switch to its address."""
    asns: dict[Hostname, Asn] = {}
    """Switch to its ASN."""


class Site(SiteObject):
    """A site: racks, servers, fabrics and what surrounds them."""

    model_config = ConfigDict(
        json_schema_extra={
            "if": {"properties": {"hosted": {"const": True}}, "required": ["hosted"]},
            "else": {"required": list(NEEDED_UNLESS_HOSTED)},
        }
    )

    site: SiteName
    """Name of the site: its folder in inventory/ and in build/."""
    release: ModelName
    """Version set: a file of rackproof/releases."""
    hosted: bool = False
    """Whether the machines are a cloud provider's: no racks, fabrics, storage or power, only what discovery finds."""
    redundancy: Redundancy = "feed-throttled"
    """What may fail without the site going down: one PDU, or one feed with servers throttled or at full load."""
    racks: Annotated[tuple[Rack, ...], Field(min_length=1)] = ()
    """Racks in their order on the floor (needed unless the site is hosted)."""
    servers: Annotated[tuple[ServerGroup, ...], Field(min_length=1)]
    """Groups of servers that are alike."""
    fabrics: Annotated[dict[Hostname, Fabric], Field(min_length=1)] = {}
    """Networks by name; one called backend, frontend or oob has that role (needed unless the site is hosted)."""
    storage: Annotated[tuple[Storage, ...], Field(max_length=8)] = ()
    """Storage clusters, eight at most: their service addresses stand below those of hosts."""
    external: External = External()
    """Networks and services around the site."""
    pin: Pin = Pin()
    """Derived values that are fixed here."""
