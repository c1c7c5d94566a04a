"""The intent of one host: the part of the plan that roles apply, on any distribution."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from rackproof.site.models import HostOs, RdmaStack

Acs = Literal["disabled", "kept"]
"""PCIe access control services: off, so that accelerators and adapters reach each other directly, or left alone."""
RoceTool = Literal["dcb", "mlnx_qos"]
"""What sets trust, PFC and ETS of an adapter."""


@dataclass(frozen=True, slots=True)
class NamedPort:
    """A network port that gets the name the plan has for it."""

    name: str
    slot: int | None
    """As printed on the chassis; None: the record of a hosted machine shows none."""
    port: int
    """Number on its adapter, from 0."""
    driver: str
    rdma_device: str | None
    """Name its RDMA device gets; None: it carries no RDMA."""
    pci_address: str | None
    """As found by discovery; None: not discovered yet."""
    mac_address: str | None
    """Likewise."""


@dataclass(frozen=True, slots=True)
class AddressedPort:
    """A port or bond with an address, and the routes over it."""

    name: str
    address: str
    """With prefix length."""
    gateway: str | None
    mtu_bytes: int | None
    default_route: bool
    table: int | None
    """Routing table of what comes from its address; None: the main one."""
    rail: int | None
    to: tuple[str, ...]
    """Prefixes reached over its gateway, its own subnet aside; only with a table."""
    members: tuple[str, ...] = ()
    """Ports of a bond; empty: it is a port, or a VLAN."""
    link: str | None = None
    """What a VLAN is taken over; None: it is no VLAN."""
    vlan: int | None = None
    """Its number."""


@dataclass(frozen=True, slots=True)
class RocePort:
    """An adapter's port that carries RoCE."""

    name: str
    rdma_device: str
    driver: str
    device_id: str | None
    adaptive_routing: bool
    rail: int | None
    """None: it carries RoCE for storage, and collectives keep off it."""


@dataclass(frozen=True, slots=True)
class HostRoce:
    """RoCE on a host's adapters: the same intent as on the switches they are plugged into."""

    tool: RoceTool
    ports: tuple[RocePort, ...]
    priority: int
    dscp: int
    cnp_priority: int
    cnp_dscp: int
    bandwidth_percent: int
    """Share of a port that the lossless class gets."""


@dataclass(frozen=True, slots=True)
class HostGpus:
    """Accelerators and what drives them."""

    vendor: Literal["nvidia", "amd", "none"]
    version: str | None
    """Of NVIDIA's driver, or of ROCm; None: no accelerators, or the release states none."""
    fabric_manager: bool
    """Whether the accelerators are joined by NVSwitches, which a daemon on the host sets up."""
    count: int


@dataclass(frozen=True, slots=True)
class Mount:
    """A file system of a storage cluster."""

    path: str
    servers: tuple[str, ...]
    """Addresses of its nodes; the first is the one this host mounts from."""
    export: str
    protocol: Literal["nfs", "nfs-rdma"]
    port: int
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FirmwareLevel:
    """A firmware version that a device of the host should have."""

    component: str
    expected: str
    source: str
    """Where the version was read, or why it was assumed."""
    vendor_id: str
    device_id: str | None


@dataclass(frozen=True, slots=True)
class Limit:
    """A line of limits.conf."""

    domain: str
    type: str
    item: str
    value: str


@dataclass(frozen=True, slots=True)
class HostSystem:
    """What the operating system is set to, whatever the host is for."""

    kernel_arguments: tuple[str, ...]
    sysctls: Mapping[str, str]
    limits: tuple[Limit, ...]
    acs: Acs


@dataclass(frozen=True, slots=True)
class HostIntent:
    """Everything that bring-up makes of one server."""

    name: str
    group: str
    os: HostOs
    redundancy_group: str
    """Servers of one group are never rebooted at the same time; a server alone is a group of its own."""
    system: HostSystem
    ports: tuple[NamedPort, ...]
    addresses: tuple[AddressedPort, ...]
    rdma_stack: RdmaStack
    rdma_stack_version: str | None
    roce: HostRoce | None
    gpus: HostGpus
    containers: bool
    container_runtime_version: str | None
    kubernetes_version: str | None
    mounts: tuple[Mount, ...]
    bmc_address: str | None
    bmc_version: str | None
    """Firmware of its management controller that the release states; None: it states none."""
    bios: Mapping[str, str]
    firmware: tuple[FirmwareLevel, ...]
