"""What exists: the shape of the catalogue's files, one file a model, found by its name."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from rackproof.types import BreakoutMode, Fec, LengthM, ModelName, Percent, Priority, SpeedGbps, Watts

Cage = Literal["osfp-finned", "osfp-flat-top", "qsfp112", "qsfp-dd", "qsfp56", "qsfp28", "sfp28", "sfp-plus", "rj45"]
"""What a port accepts: the mechanical form of its cage."""


class CatalogueModel(BaseModel):
    """A part of a catalogue file: closed, frozen, documented by the strings under its fields."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Entry(CatalogueModel):
    """What every catalogue file states."""

    model: ModelName
    """File name without suffix."""
    name: str
    """What the maker calls it."""
    vendor: str
    part_number: str | None = None
    sources: dict[str, str]
    """Dotted path of a field (or of a group of fields) to where its figures were read."""
    assumed: dict[str, str] = {}
    """Dotted path of a field to why its value was assumed: no public source was found."""


class Body(CatalogueModel):
    """Room, weight and electricity a device takes in a rack."""

    rack_units: Annotated[int, Field(ge=0)]
    """Height in rack units of 44.45 mm; 0 for a device that takes none."""
    depth_mm: int
    weight_kg: float
    power_max_w: Watts
    """Largest input power of the device as configured here."""


class PowerSupplies(CatalogueModel):
    """The power supplies of a device."""

    count: Annotated[int, Field(ge=1)]
    power_w: Watts
    """Rated output of one supply."""
    needed: Annotated[int, Field(ge=1)]
    """How many carry the device at its largest load (3 of 6: fully redundant over two feeds)."""
    needed_throttled: Annotated[int, Field(ge=1)]
    """How many keep it running when it may lower its clocks."""
    inlet: Literal["c14", "c20", "c22"]


class GpuSet(CatalogueModel):
    """The accelerators of a server."""

    vendor: Literal["nvidia", "amd"]
    name: str
    count: Annotated[int, Field(ge=0)]
    memory_gb: Annotated[int, Field(gt=0)]
    """Memory of one, in GB as its maker counts them."""


class PcieSlot(CatalogueModel):
    """A slot, as it is cabled and as the operating system is expected to show it."""

    slot: int
    """Number printed on the chassis."""
    fabric: Literal["backend", "frontend"]
    """What this server model uses the slot for."""
    pci_address: str
    """Expected address; discovery records the real one and never moves a cable."""
    numa_node: int
    gpus: tuple[int, ...] = ()
    """Numbers of the nearest accelerators."""


class EmbeddedPorts(CatalogueModel):
    """Network ports on the main board."""

    nic: ModelName
    numa_node: int = 0


class ServerModel(Entry):
    """A GPU server as this catalogue entry configures it."""

    body: Body
    power_supplies: PowerSupplies
    gpus: GpuSet
    memory_gb: int
    """System memory as configured."""
    cpus: str
    slots: tuple[PcieSlot, ...]
    """Every slot that takes a network adapter; rails are numbered by slot."""
    embedded: EmbeddedPorts
    bmc: str
    """Name of the management controller, such as iDRAC9; it has one 1G RJ45 port."""
    features: dict[str, str] = {}


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
    lanes_by_module: dict[str, int] = {}
    """Lanes one port uses when the plug is of an older form (200G in a QSFP56 plug: 4 lanes of 50G)."""
    power_w: Watts = 0
    roce: bool
    out_of_order: bool
    """Whether it places data that arrives out of order: adaptive routing needs that."""
    port_modes: tuple[str, ...] = ()


class Breakout(CatalogueModel):
    """One way a switch port can be split."""

    mode: BreakoutMode
    lanes: int
    """Lanes in use over all child ports."""
    sonic_mode: str
    """How SONiC's platform.json writes it, such as 2x400G(8)."""


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
    sonic_first: int
    """Number of the first port's SONiC interface (Ethernet0)."""
    sonic_step: int
    """Distance between the SONiC numbers of neighbouring ports."""
    sonic_alias: str = ""
    """How SONiC's port_config.ini calls a port besides its number: ``etp{port}``."""
    sonic_lanes: int = 0
    """Lanes of a port as SONiC counts them: a pair of 50G PAM4 lanes of the QSFP-DD ports is one there."""
    sonic_lane_starts: tuple[int, ...] = ()
    """Number of the first lane of each port in SONiC's port_config.ini; the others follow it."""
    power_w: Watts = 0

    def sonic_lane_numbers(self, port: int) -> tuple[int, ...]:
        """Return the lane numbers SONiC writes for the unsplit front panel port number ``port``."""
        first = self.sonic_lane_starts[port - self.first]
        return tuple(range(first, first + self.sonic_lanes))


class Headroom(CatalogueModel):
    """Lossless buffer needed behind a port of one speed and cable length."""

    speed_gbps: SpeedGbps
    cable_length_m: int
    xoff_bytes: int


class Buffers(CatalogueModel):
    """Lossless buffering of a switch."""

    profile_size_bytes: int
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
    hwsku: str
    platform: str
    asic: str
    nos: tuple[str, ...]
    """NOS names this switch can run."""
    ports: tuple[PortRange, ...]
    management_port: str = "rj45"
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


class CableEnd(CatalogueModel):
    """One plug of a cable."""

    module: str
    """Plug form: osfp-finned, osfp-flat-top, qsfp112, qsfp-dd, qsfp56, qsfp28, sfp28, sfp-plus, rj45, mpo12-apc, ..."""
    lanes: int
    lane_gbps: float
    polish: Literal["apc", "upc"] | None = None


class CableModel(Entry):
    """A cable assembly with one trunk end and one or more legs."""

    media: Literal["dac", "acc", "aec", "aoc", "mmf", "smf", "copper"]
    trunk: CableEnd
    leg: CableEnd
    legs: Literal[1, 2, 4, 8]
    speed_gbps: SpeedGbps
    """Speed of one leg."""
    lengths_m: tuple[LengthM, ...]
    """Lengths that can be ordered, shortest first."""
    part_numbers: dict[str, str] = {}
    """Length in metres (as text) to part number."""
    fec: Fec
    polarity: str | None = None
    power_w: Watts = 0
    """Per end."""


class TransceiverModel(Entry):
    """A pluggable optic."""

    module: str
    speed_gbps: SpeedGbps
    lanes: int
    lane_gbps: float
    connector: str
    """What the fibre plugs into, such as mpo12-apc."""
    connectors: int = 1
    media: Literal["mmf", "smf"]
    reach_m: LengthM
    fec: Fec
    power_w: Watts


class CordModel(Entry):
    """A power cord."""

    plug: Literal["c14", "c20"]
    """Goes into the PDU's outlet."""
    socket: Literal["c13", "c19", "c15", "c21"]
    """Goes into the device's inlet."""
    current_a: float
    lengths_m: tuple[LengthM, ...]


class NosRoceLimits(CatalogueModel):
    """What a NOS can express of a RoCE intent."""

    lossless_priorities_max: int
    cable_lengths_m: tuple[int, ...]
    """Cable lengths it takes; empty: any."""
    ecn_min_bytes: int
    ecn_max_bytes: int
    ecn_step_bytes: int = 1
    """Thresholds are multiples of this (Enterprise SONiC's command line counts thousands of bytes)."""
    watchdog_detect_ms: tuple[int, int]
    watchdog_restore_ms: tuple[int, int]
    watchdog_poll_ms: tuple[int, int]
    cnp_priorities: tuple[Priority, ...] = ()


class NosModel(Entry):
    """A network operating system."""

    port_format: str
    """Name of an unsplit port: ``Eth1/{port}``; ``{number}`` is the number of its SONiC interface."""
    child_format: str
    """Name of a child port: ``Eth1/{port}/{child}``; children count from 1."""
    netmiko_device_type: str
    roce: NosRoceLimits | None = None
    features: dict[str, bool | str] = {}
    """Feature to true, or to the sentence shown to the user why this NOS cannot."""
    bandwidth_default_percent: Percent = 50
