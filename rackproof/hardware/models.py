"""Models of the catalogue's files."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from rackproof.hardware.base import Body, Cage, CatalogueModel, Entry, LinkLayer, PowerSupplies
from rackproof.hardware.cabling import CableEnd, CableModel, CordModel, TransceiverModel
from rackproof.hardware.nos_models import NosDialect, NosModel, NosRoceLimits, ReleaseRange
from rackproof.types import BreakoutMode, KernelArgument, ModelName, SpeedGbps, Watts

__all__ = [
    "Body",
    "Breakout",
    "Buffers",
    "CableEnd",
    "CableModel",
    "Cage",
    "CatalogueModel",
    "CordModel",
    "EmbeddedPorts",
    "Entry",
    "GpuSet",
    "Headroom",
    "LicenceModel",
    "LinkLayer",
    "NicModel",
    "NosDialect",
    "NosModel",
    "NosRoceLimits",
    "OutletGroup",
    "PcieSlot",
    "PduModel",
    "PortRange",
    "PowerSupplies",
    "RackModel",
    "ReleaseRange",
    "ServerModel",
    "StorageModel",
    "StoragePorts",
    "SwitchModel",
    "TransceiverModel",
]


class GpuSet(CatalogueModel):
    """The accelerators of a server."""

    vendor: Literal["nvidia", "amd", "none"]
    name: str
    count: Annotated[int, Field(ge=0)]
    memory_gb: Annotated[int, Field(ge=0)]
    """Memory of one, in GB as its maker counts them."""
    nvlinks: Annotated[int, Field(ge=0)] = 0
    """Links of one to the others; 0: it has none, or its tool does not report them."""
    nvlink_gbytes_per_s: Annotated[float, Field(ge=0)] = 0.0
    """What one of them carries one way."""


class PcieSlot(CatalogueModel):
    """A slot, as it is cabled and as the operating system is expected to show it."""

    slot: int
    """Number printed on the chassis."""
    fabric: Literal["backend", "frontend"]
    """What this server model uses the slot for."""
    pci_address: str = ""
    """Expected address, empty where no public record shows one; discovery records it and never moves a cable."""
    numa_node: int
    gpus: tuple[int, ...] = ()
    """Numbers of the nearest accelerators."""


class EmbeddedPorts(CatalogueModel):
    """Network ports on the main board."""

    nic: ModelName
    numa_node: int = 0


NOT_RACKED = Body(rack_units=0, depth_mm=0, weight_kg=0.0, power_max_w=0)
NOT_FED = PowerSupplies(count=0, power_w=0, needed=0, needed_throttled=0, inlet="c14")
NO_GPUS = GpuSet(vendor="none", name="none", count=0, memory_gb=0)


class ServerModel(Entry):
    """A server as this catalogue entry configures it."""

    hosted: bool = False
    """A cloud's machine: it has no rack, no feed, no management port of ours."""
    body: Body = NOT_RACKED
    """Left out where the server is hosted."""
    power_supplies: PowerSupplies = NOT_FED
    """Left out where the server is hosted."""
    gpus: GpuSet = NO_GPUS
    """Left out where it has none (head node, control plane)."""
    memory_gb: int
    """System memory as configured."""
    cpus: str
    slots: tuple[PcieSlot, ...]
    """Every slot that takes a network adapter; rails are numbered by slot."""
    embedded: EmbeddedPorts
    bmc: str = ""
    """Name of the management controller, such as iDRAC9; it has one 1G RJ45 port. Left out where hosted."""
    features: dict[str, str] = Field(default_factory=dict)
    kernel_arguments: tuple[KernelArgument, ...] = ()
    """What the command line of its kernel holds."""
    sysctls: dict[str, str] = Field(default_factory=dict)
    """Kernel settings that this model asks for, besides those of every host."""
    bios: dict[str, str] = Field(default_factory=dict)
    """BIOS attributes by their Redfish name."""

    @model_validator(mode="after")
    def _is_racked_or_hosted(self) -> Self:
        """What stands in our racks has a height, supplies and a management controller."""
        if not self.hosted and not (self.body.rack_units and self.power_supplies.count and self.bmc):
            message = "a server that is not hosted states body, power_supplies and bmc"
            raise ValueError(message)
        return self


class NicModel(Entry):
    """A network adapter."""

    vendor_id: str
    """PCI vendor, four hexadecimal digits."""
    device_id: str | None = None
    driver: str
    rdma_driver: str | None = None
    ports: Annotated[int, Field(ge=1)]
    cage: Cage
    speed_gbps: SpeedGbps
    """Speed of one port."""
    lanes: Annotated[int, Field(ge=1)]
    """Electrical lanes one port uses at that speed."""
    modules: tuple[str, ...] = ()
    """Plug forms its cage takes, own form first (a QSFP112 cage also takes QSFP56 and QSFP28)."""
    lanes_by_module: dict[str, int] = Field(default_factory=dict)
    """Lanes one port uses when the plug is of an older form (200G in a QSFP56 plug: 4 lanes of 50G)."""
    power_w: Watts = 0
    roce: bool
    out_of_order: bool
    """Whether it places data that arrives out of order: adaptive routing needs that."""
    port_modes: tuple[str, ...] = ()
    link_layer: LinkLayer = "ethernet"
    """What its ports run as configured here (an adapter that can do both has an entry for each)."""
    firmware: str = ""
    """Component of a release that states its firmware level; empty: releases state none."""
    bmc_ports: Annotated[int, Field(ge=0)] = 0
    """RJ45 ports of its own management controller, which the out-of-band network serves (BlueField)."""


class Breakout(CatalogueModel):
    """One way a switch port can be split."""

    mode: BreakoutMode
    lanes: int
    """Lanes in use over all child ports."""
    sonic_mode: str = ""
    """How SONiC's platform.json writes it, such as 2x400G(8); empty: SONiC does not have it on this switch."""
    blocks_neighbour: bool = False
    """Only an odd port can be split this way, and the next (even) one is disabled with it."""


class PortRange(CatalogueModel):
    """Consecutive front panel ports that are alike."""

    first: int
    last: int
    cage: Cage
    modules: tuple[str, ...] = ()
    """Plug forms the cage takes, own form first."""
    lanes: int
    speed_gbps: SpeedGbps
    """Speed of the unsplit port."""
    breakouts: tuple[Breakout, ...]
    sonic_first: int = 0
    """Number of the first port's SONiC interface (Ethernet0)."""
    sonic_step: int = 0
    """Distance between the SONiC numbers of neighbouring ports; 0: SONiC does not run on this switch."""
    sonic_alias: str = ""
    """How SONiC's port_config.ini calls a port besides its number: ``etp{port}``."""
    sonic_lanes: int = 0
    """Lanes of a port as SONiC counts them: a pair of 50G PAM4 lanes of the QSFP-DD ports is one there."""
    sonic_lane_starts: tuple[int, ...] = ()
    """Number of the first lane of each port in SONiC's port_config.ini; the others follow it."""
    power_w: Watts = 0
    always_split: bool = False
    """There is no unsplit port: a cage carries the ports of one of its breakouts (InfiniBand twin ports)."""

    def sonic_lane_numbers(self, port: int) -> tuple[int, ...]:
        """Return the lane numbers SONiC writes for the unsplit front panel port number ``port``."""
        first = self.sonic_lane_starts[port - self.first]
        return tuple(range(first, first + self.sonic_lanes))


class Headroom(CatalogueModel):
    """Lossless buffer needed behind a port of one speed and cable length."""

    speed_gbps: SpeedGbps
    cable_length_m: int
    xoff_bytes: int
    size_bytes: int | None = None
    """Size of this row's profile; None: the same for every row (``profile_size_bytes``)."""
    xon_bytes: int | None = None
    """None: the same for every row (``Buffers.xon_bytes``)."""


class Buffers(CatalogueModel):
    """Lossless buffering of a switch."""

    profile_size_bytes: int = 0
    """0: every row of ``headroom`` states its own."""
    xon_bytes: int
    xon_offset_bytes: int
    threshold: int
    """SONiC's dynamic threshold (power of two of the free pool)."""
    ingress_pool_bytes: int
    egress_pool_bytes: int
    shared_headroom_bytes: int
    headroom: tuple[Headroom, ...]


class SwitchModel(Entry):
    """A switch."""

    body: Body
    power_supplies: PowerSupplies
    hwsku: str = ""
    """SONiC's name of the switch and its port layout; empty: SONiC does not run on it."""
    platform: str = ""
    asic: str
    nos: tuple[str, ...]
    """NOS names this switch can run."""
    ports: tuple[PortRange, ...]
    management_port: str = "rj45"
    """``none`` where the switch has no Ethernet management port."""
    link_layer: LinkLayer = "ethernet"
    adaptive_routing_gbps: tuple[SpeedGbps, ...] = ()
    """Link speeds at which it routes adaptively; empty: it does not."""
    buffers: Buffers | None = None
    """None where the switch carries no lossless traffic."""
    hash_queue_pair: bool = False
    """Whether ECMP can hash on the RoCE destination queue pair."""

    def port_range(self, port: int) -> PortRange:
        """Return the range that front panel port number ``port`` belongs to.

        Raises
        ------
        KeyError
            The switch has no such port.
        """
        for ports in self.ports:
            if ports.first <= port <= ports.last:
                return ports
        raise KeyError(port)


class RackModel(Entry):
    """A rack."""

    rack_units: int
    width_mm: int
    depth_mm: int
    """Outer depth; devices up to ``usable_depth_mm`` fit."""
    usable_depth_mm: int
    load_kg: float
    """Static load it carries."""
    pdu_positions: int
    """Vertical (zero U) PDUs it takes."""


class OutletGroup(CatalogueModel):
    """Outlets of one kind on one phase and branch breaker."""

    outlet: Literal["c13", "c19", "c13-c15", "c19-c21", "c13-c15-c19-c21"]
    count: int
    phase: Literal["L1", "L2", "L3"]
    """Phase to neutral; on a delta PDU (no neutral) the pair that begins with it: L1-L2, L2-L3, L3-L1."""
    breaker_a: float
    """Rating of the branch breaker this group sits behind."""
    breaker: str


class PduModel(Entry):
    """A vertical power distribution unit."""

    power_w: Watts
    phases: Literal[1, 3]
    voltage_v: int
    """Between an outlet's two poles."""
    current_a: float
    """What the outlets of one phase may draw together without end (already derated where a code asks for it)."""
    outlets: tuple[OutletGroup, ...]
    management_ports: int = 1
    """RJ45 ports that the out-of-band network serves."""


class StoragePorts(CatalogueModel):
    """The ports a storage node has on one network; fields as of an adapter."""

    ports: Annotated[int, Field(ge=1)]
    cage: Cage
    speed_gbps: SpeedGbps
    lanes: Annotated[int, Field(ge=1)]
    modules: tuple[str, ...] = ()
    lanes_by_module: dict[str, int] = Field(default_factory=dict)
    roce: bool = False


class StorageModel(Entry):
    """A scale-out storage system; body, supplies and ports are those of one node."""

    body: Body
    power_supplies: PowerSupplies
    nodes_min: Annotated[int, Field(ge=1)]
    nodes_max: Annotated[int, Field(ge=1)]
    frontend: StoragePorts
    """Towards the clients."""
    backend: StoragePorts
    """Between the nodes, over switches of its own: planned, cabled and powered, never configured by us."""
    backend_switch: ModelName
    """Switch of a back end whose nodes find their places on one pair of it."""
    large_backend_switch: ModelName
    """Switch of a back end that is larger: a pair as long as that suffices, then leaves and spines."""
    backend_switches: Annotated[int, Field(ge=1)]
    """Networks between the nodes; every node has a port to each, and they are not joined."""
    management_ports: Annotated[int, Field(ge=0)] = 1
    """RJ45 ports of a node that the out-of-band network serves."""
    protocols: tuple[Literal["nfs", "nfs-rdma", "smb", "s3"], ...]
    features: dict[str, str] = Field(default_factory=dict)


class LicenceModel(Entry):
    """Software that is licensed beside hardware; its model is the component of a release that names it."""

    serves: Literal["accelerators", "storage"]
    """What it is for: a site without that needs none."""
    per: Literal["gpu"] | None = None
    """What is counted; None: no source says."""
    gpu_vendor: Literal["nvidia", "amd"] | None = None
    """Whose accelerators are counted; None: everybody's."""
    included_with: dict[str, str] = Field(default_factory=dict)
    """Accelerator that brings it along to how."""
    note: str
    """What a buyer must know."""
