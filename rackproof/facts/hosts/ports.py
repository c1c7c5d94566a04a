"""Network ports of a server: slot, PCI address, MAC address; parsed from the output of ``gather_ports.py``."""

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final

from rackproof.facts.hosts.smbios import Slot, serial_number, system_slots
from rackproof.types import DEVICE_ID_PATTERN, KERNEL_NAME_PATTERN, MAC_ADDRESS_PATTERN, PCI_ADDRESS_PATTERN

ETHERNET: Final = "1"
"""Kind of interface that has a MAC address (Linux, include/uapi/linux/if_arp.h: ARPHRD_ETHER)."""
NO_NODE: Final = "-1"
"""NUMA node of a machine that has one only."""


SHAPES: Final = {
    "pci_address": PCI_ADDRESS_PATTERN,
    "mac_address": MAC_ADDRESS_PATTERN,
    "rdma_device": KERNEL_NAME_PATTERN,
    "device_id": DEVICE_ID_PATTERN,
}
"""Field of a port to what a kernel reports in it."""
SERIAL_MAX: Final = 128
"""Characters of a serial number that are kept."""


@dataclass(frozen=True, slots=True)
class FoundPort:
    """A network port."""

    interface: str
    """What the kernel calls it now; empty: it has an RDMA device and no interface."""
    slot: int | None
    port: int
    """Number on its adapter, from 0."""
    pci_address: str
    mac_address: str | None
    numa_node: int | None
    rdma_device: str | None
    device_id: str
    """PCI vendor and device: 14e4:1760."""


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A server as discovery found it."""

    serial: str | None
    ports: tuple[FoundPort, ...]


def parse_ports(text: str) -> FoundServer:
    """Return a server's serial number and network ports.

    Raises
    ------
    ValueError
        The text is no output of ``gather_ports.py``.
    """
    try:
        gathered: Any = json.loads(text)
        table = base64.b64decode(gathered["smbios"])
        found = sorted(_ports(gathered, system_slots(table)), key=lambda one: one[0])
    except (KeyError, TypeError, AttributeError, IndexError, binascii.Error) as error:
        message = f"not what the script prints: {error!r}"
        raise ValueError(message) from error
    ports = tuple(_numbered([port for _, port in found]))
    if odd := next(chain.from_iterable(map(_odd_values, ports)), None):
        message = f"not what the script prints: {odd}"
        raise ValueError(message)
    return FoundServer(_printable(serial_number(table)), ports)


def _odd_values(port: FoundPort) -> Iterator[str]:
    """Yield the values of a port that no kernel reports: they go into files and commands."""
    for name, pattern in SHAPES.items():
        value = getattr(port, name)
        if value is not None and re.fullmatch(pattern, value) is None:
            yield f"{name.replace('_', ' ')} {value!r:.80}"


def _printable(serial: str | None) -> str | None:
    """Return a serial number as one line of printable ASCII, whatever the firmware holds."""
    return re.sub(r"[^ -~]", "?", serial)[:SERIAL_MAX] if serial else None


def _ports(gathered: Mapping[str, Any], slots: Sequence[Slot]) -> Iterator[tuple[tuple[str, int], FoundPort]]:
    """Yield each port with its sort key on the adapter: PCI function, then number of the port behind it."""
    soft = {one["parent"]: one["name"] for one in gathered["rdma"] if one["parent"]}
    hard = {one["chain"][-1]: one["name"] for one in gathered["rdma"] if one["chain"] and not one["parent"]}
    seen = set()
    for one in gathered["interfaces"]:
        if one["chain"] and not one["virtual_function"]:
            seen.add(one["chain"][-1])
            rdma = soft.get(one["name"]) or hard.get(one["chain"][-1])
            order = (one["chain"][-1], int(one["dev_port"] or 0))
            mac = gathered["members"].get(one["name"], one["address"]) if one["type"] == ETHERNET else None
            yield order, _port(gathered, slots, one["chain"], one["name"], mac, rdma)
    for one in gathered["rdma"]:
        if one["chain"] and one["chain"][-1] not in seen and not one["parent"]:
            yield (one["chain"][-1], 0), _port(gathered, slots, one["chain"], "", None, one["name"])


def _port(
    gathered: Mapping[str, Any],
    slots: Sequence[Slot],
    chain: Sequence[str],
    interface: str,
    mac: str | None,
    rdma: str | None,
) -> FoundPort:
    function = gathered["pci"][chain[-1]]
    node = function["numa_node"]
    return FoundPort(
        interface=interface,
        slot=_slot(chain, slots),
        port=0,
        pci_address=chain[-1],
        mac_address=mac,
        numa_node=None if node in {"", NO_NODE} else int(node),
        rdma_device=rdma,
        device_id=f"{function['vendor'].removeprefix('0x')}:{function['device'].removeprefix('0x')}",
    )


def _slot(chain: Sequence[str], slots: Sequence[Slot]) -> int | None:
    """Return the slot of a port: the nearest on its PCI path that the firmware knows.

    Firmware gives a slot the address of the adapter's first function, or of the bridge above it. An adapter's other
    functions share bus and device with the first; behind a bridge nothing else is on the adapter's bus.
    """
    by_address = {slot.pci_address: slot.number for slot in slots}
    by_device = {_device(slot.pci_address): slot.number for slot in slots}
    by_bus = {_bus(slot.pci_address): slot.number for slot in slots if not _bus(slot.pci_address).endswith(":00")}
    own = by_device.get(_device(chain[-1]), by_bus.get(_bus(chain[-1])))
    above = (by_address[address] for address in reversed(chain[:-1]) if address in by_address)
    return own if own is not None else next(above, None)


def _device(address: str) -> str:
    return address.rpartition(".")[0]


def _bus(address: str) -> str:
    return address.rpartition(":")[0]


def _numbered(ports: Sequence[FoundPort]) -> Iterator[FoundPort]:
    """Yield ports with their number among those of the same adapter: of their slot, or on the board of their bus."""
    counts: dict[object, int] = {}
    for port in ports:
        adapter = port.slot if port.slot is not None else _device(port.pci_address)
        number = counts.get(adapter, 0)
        counts[adapter] = number + 1
        yield replace(port, port=number)
