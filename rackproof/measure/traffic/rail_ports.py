"""The rail ports of a site as planned, and the RDMA devices and accelerators that a host reports."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Interface, IPv6Address
from itertools import chain
from typing import Any, Final

from msgspec import Struct

from rackproof.measure.traffic.pairs import End
from rackproof.plan.model.plan import HostPort, LinkEnd, Plan

ROCE_V2: Final = "RoCE v2"
"""As the kernel calls it (Linux, Documentation/ABI/stable/sysfs-class-infiniband: gid_attrs/types)."""


@dataclass(frozen=True, slots=True)
class RailPort:
    """A rail port as planned."""

    end: End
    fabric: str
    port: str
    """Its name on the host: rail3."""
    address: str
    """Without prefix length."""
    speed_gbps: int
    mtu_bytes: int
    at: LinkEnd
    """The switch port it is plugged into."""
    gpus: tuple[int, ...]


def rail_ports(plan: Plan) -> dict[End, RailPort]:
    """Return every rail port that has an address and leads to a switch of the plan."""
    found = (_server_rail_ports(server.name, server.ports) for server in plan.servers.values())
    return {port.end: port for port in chain.from_iterable(found)}


def _server_rail_ports(server: str, ports: Mapping[str, HostPort]) -> Iterator[RailPort]:
    for port in ports.values():
        if port.rail is not None and port.address and port.switch and port.switch_port:
            yield RailPort(
                End(server, port.rail),
                port.fabric,
                port.name,
                str(IPv4Interface(port.address).ip),
                port.speed_gbps,
                port.mtu_bytes or 0,
                LinkEnd(port.switch, port.switch_port),
                port.gpus,
            )


class RdmaDevice(Struct, frozen=True):
    """An RDMA device as its host reports it."""

    name: str
    netdev: str
    driver: str
    """Of the adapter; empty: the device is software, which is on no bus (Linux, drivers/infiniband/sw/rxe)."""
    state: str
    """``4: ACTIVE``."""
    rate: str
    link_layer: str
    """``Ethernet`` or ``InfiniBand``."""
    guid: str
    lid: str
    physical_state: str
    mtu_bytes: int
    pci: tuple[str, ...]
    gids: Mapping[int, tuple[str, str]]
    """Index to address and kind."""

    @property
    def software(self) -> bool:
        """Whether the processor does RDMA in place of an adapter."""
        return not self.driver

    def gid_index(self, address: str) -> int | None:
        """Return the index of the RoCE v2 GID of an IPv4 address, or None.

        The index is looked up and never assumed: it is 3 on many adapters, 1 on others, and changes with the addresses.
        """
        wanted = (str(IPv6Address(f"::ffff:{address}")), ROCE_V2)
        return next((index for index, found in sorted(self.gids.items()) if found == wanted), None)


class HostInventory(Struct, frozen=True):
    """RDMA devices and accelerators of a host before a run."""

    devices: Mapping[str, RdmaDevice]
    """By network interface; an InfiniBand device without one by its own name."""
    accelerators: tuple[tuple[str, tuple[str, ...]], ...]
    """Vendor, and the PCI functions from the root port to it, its own last."""


def host_inventory(report: Mapping[str, Any]) -> HostInventory:
    """Return the inventory that a host's agent reported."""
    devices = [_device(name, row) for name, row in report["devices"].items()]
    return HostInventory(
        {device.netdev or device.name: device for device in devices},
        tuple((row["vendor"], tuple(row["pci"])) for row in report["gpus"]),
    )


def _device(name: str, row: Mapping[str, Any]) -> RdmaDevice:
    gids = {gid["index"]: (str(IPv6Address(gid["gid"])), gid["type"]) for gid in row["gids"]}
    kept = {key: row[key] for key in ("netdev", "driver", "state", "rate", "link_layer", "guid", "lid")}
    mtu = row["mtu"]
    return RdmaDevice(
        name=name,
        **kept,
        physical_state=row["physical_state"],
        mtu_bytes=int(mtu) if mtu.isdigit() else 0,
        pci=tuple(row["pci"]),
        gids=gids,
    )


def nearest_accelerator(inventory: HostInventory, device: RdmaDevice, vendor: str) -> tuple[str, int] | None:
    """Return the accelerator nearest to an adapter: the one with the longest common PCI path; None: there is none.

    Returns
    -------
    tuple
        Its PCI address, and its number in the order of PCI addresses.
    """
    paths = [path for its_vendor, path in inventory.accelerators if its_vendor == vendor and path]
    near = [(_common_length(path, device.pci), path[-1], number) for number, path in enumerate(paths)]
    return max(near, key=lambda one: one[0])[1:] if near else None


def _common_length(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    return next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
