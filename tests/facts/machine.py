"""Machines as files: SMBIOS structures put together from DSP0134, and a sysfs tree with adapters in slots."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

SERIAL: Final = "7XK9QW3"
THOR: Final = ("0x14e4", "0x1760")
NETXTREME: Final = ("0x14e4", "0x16d7")
VIRTIO: Final = ("0x1af4", "0x1041")


def structure(kind: int, handle: int, body: bytes, *strings: str) -> bytes:
    """One structure: header, formatted area, strings, two zeros (DSP0134, 6.1)."""
    texts = b"".join(text.encode() + b"\0" for text in strings) or b"\0"
    return struct.pack("<BBH", kind, 4 + len(body), handle) + body + texts + b"\0"


def system(serial: str) -> bytes:
    """System information (type 1, version 2.4): manufacturer, product, version, serial; UUID, wake-up, SKU, family."""
    return structure(
        1, 0x0100, bytes([1, 2, 0, 3]) + bytes(16) + bytes([6, 0, 0]), "Dell Inc.", "PowerEdge XE9680", serial
    )


def slot(number: int, address: str, designation: str) -> bytes:
    """A system slot (type 9, version 3.2): PCI Express Gen 5 x16, in use, with its address."""
    domain, bus, rest = address.split(":")
    device, function = rest.split(".")
    place = struct.pack("<HBB", int(domain, 16), int(bus, 16), int(device, 16) << 3 | int(function))
    body = bytes([1, 0xC4, 0x0D, 4, 4]) + struct.pack("<HBB", number, 0x0C, 0x01) + place + bytes([0x0D, 0])
    return structure(9, 0x0900 + number, body, designation)


def smbios(serial: str, slots: dict[int, str], designation: str = "PCIe Slot {}") -> bytes:
    """A table: the system, its slots, the end (type 127)."""
    parts = [slot(number, address, designation.format(number)) for number, address in slots.items()]
    return b"".join([system(serial), *parts, structure(127, 0xFEFF, b"")])


@dataclass
class Machine:
    """A tree of files as the kernel of one server shows it."""

    root: Path
    serial: str = SERIAL
    slots: dict[int, str] = field(default_factory=dict)

    def file(self, path: str, content: str | bytes) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else f"{content}\n".encode())

    def link(self, path: str, target: Path) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        place.symlink_to(target)

    def firmware(self, designation: str = "PCIe Slot {}") -> None:
        self.file("sys/firmware/dmi/tables/DMI", smbios(self.serial, self.slots, designation))

    def adapter(
        self,
        name: str,
        address: str,
        mac: str,
        ids: tuple[str, str] = THOR,
        rdma: str = "",
        above: str = "",
        node: int = 0,
    ) -> None:
        """One port: a PCI function below a host bridge, and below a bridge where ``above`` names one."""
        folder = f"sys/devices/pci0000:00/{f'{above}/' if above else ''}{address}"
        self.file(f"{folder}/vendor", ids[0])
        self.file(f"{folder}/device", ids[1])
        self.file(f"{folder}/numa_node", str(node))
        self.link(f"sys/bus/pci/devices/{address}", self.root / folder)
        device = folder
        if ids == VIRTIO:
            device = f"{folder}/virtio0"
            (self.root / device).mkdir(exist_ok=True)
        self.file(f"sys/class/net/{name}/address", mac)
        self.file(f"sys/class/net/{name}/type", "1")
        self.file(f"sys/class/net/{name}/dev_port", "0")
        self.link(f"sys/class/net/{name}/device", self.root / device)
        if rdma:
            self.file(f"sys/class/infiniband/{rdma}/node_type", "1: CA")
            self.link(f"sys/class/infiniband/{rdma}/device", self.root / folder)


BUSES: Final = {32: "9c", 33: "bc", 34: "cc", 35: "dc", 36: "5e", 37: "4d", 38: "1a", 39: "3c"}
"""Backend slot of an XE9680 with H200 to its bus; of 31, which takes the frontend's adapter, it is 9d."""


def xe9680(root: Path, number: int = 1) -> Machine:
    """One of metrum-h200's servers: Thor 2 in eight slots, a BCM57414 in slot 31, a virtual function, and the BMC's."""
    machine = Machine(root, f"{SERIAL[:-1]}{number}", {slot: f"0000:{bus}:00.0" for slot, bus in BUSES.items()})
    machine.slots |= {31: "0000:9d:00.0", 40: "0000:1b:00.0"}
    machine.firmware()
    for order, (place, bus) in enumerate(BUSES.items()):
        for port in (0, 1):
            mac = f"02:00:00:{number:02x}:{place:02x}:{port:02x}"
            rdma = f"bnxt_re{2 * order + port}"
            machine.adapter(f"ens{place}f{port}np{port}", f"0000:{bus}:00.{port}", mac, rdma=rdma, node=int(place < 36))
    for port in (0, 1):
        mac = f"02:00:00:{number:02x}:1f:{port:02x}"
        machine.adapter(f"eno{port}", f"0000:9d:00.{port}", mac, NETXTREME, node=1)
    machine.adapter("ens38f0v0", "0000:1a:02.0", "02:00:00:aa:00:00")
    machine.link("sys/devices/pci0000:00/0000:1a:02.0/physfn", root / "sys/devices/pci0000:00/0000:1a:00.0")
    machine.file("sys/class/net/idrac/address", "02:00:00:bb:00:00")
    machine.link("sys/class/net/idrac/device", root / "sys/devices/pci0000:00/0000:00:14.0/usb1/1-14")
    return machine
