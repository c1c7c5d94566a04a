"""SMBIOS structures: identity, slots and memory of a server from its firmware.

DSP0134, System Management BIOS reference specification 3.7: 6.1.2 (structure header), 6.1.3 (text strings), 7.1 (BIOS
information, type 0), 7.2 (system information, type 1), 7.10 (system slots, type 9), 7.18 (memory device, type 17).
"""

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

HEADER_BYTES: Final = 4
"""Type, length, handle (6.1.2)."""
BIOS: Final = 0
SYSTEM: Final = 1
SLOT: Final = 9
MEMORY: Final = 17
END: Final = 127
"""Types of structure (7.1, 7.2, 7.10, 7.18, 7.46)."""
BIOS_VERSION_AT: Final = 0x05
BIOS_DATE_AT: Final = 0x08
"""String numbers of version and release date (7.1)."""
MAKER_AT: Final = 0x04
PRODUCT_AT: Final = 0x05
"""String numbers of manufacturer and product name (7.2)."""
SIZE_AT: Final = 0x0C
EXTENDED_SIZE_AT: Final = 0x1C
CONFIGURED_SPEED_AT: Final = 0x20
"""Size, size in MiB where that does not hold it, speed it runs at in MT/s (7.18)."""
LOCATOR_AT: Final = 0x10
MEMORY_SERIAL_AT: Final = 0x18
PART_NUMBER_AT: Final = 0x1A
"""String numbers of a memory device (7.18)."""
SIZE_UNKNOWN: Final = 0xFFFF
SIZE_IS_EXTENDED: Final = 0x7FFF
IN_KIB: Final = 0x8000
"""Values of the size other than MiB (7.18)."""
SERIAL_AT: Final = 0x07
"""String number of the serial number (7.2)."""
DESIGNATION_AT: Final = 0x04
"""String number of what is printed beside the slot (7.10)."""
SLOT_ID_AT: Final = 0x09
"""Number of the slot (7.10)."""
SEGMENT_AT: Final = 0x0D
"""Segment group, bus, device with function (7.10)."""
WITH_ADDRESS: Final = 0x11
"""Length from which a slot's structure has an address: since version 2.6."""
UNKNOWN: Final = 0xFF
"""Bus, and device with function, of a slot that is on no PCI bus (7.10.8)."""
LAST_NUMBER: Final = re.compile(r"(\d+)\D*\Z")


@dataclass(frozen=True, slots=True)
class Structure:
    """One SMBIOS structure."""

    type: int
    formatted: bytes
    """Its formatted area, header included."""
    strings: tuple[str, ...]

    def text(self, offset: int) -> str:
        """Return the string whose number stands at ``offset``; empty where it is 0 or there is none."""
        number = self.formatted[offset] if offset < len(self.formatted) else 0
        return self.strings[number - 1] if 0 < number <= len(self.strings) else ""


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot of a server."""

    number: int
    """As printed on the chassis: the last number of its designation, else its ID."""
    pci_address: str
    """Domain, bus, device and function."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What a server's firmware calls the server, and itself; empty where it does not say."""

    maker: str
    product: str
    serial: str
    bios_version: str
    bios_date: str


@dataclass(frozen=True, slots=True)
class MemoryModule:
    """A memory module in its socket."""

    socket: str
    """As printed beside it."""
    size_mib: int
    speed_mts: int
    """Configured speed, in millions of transfers a second; 0: not reported."""
    part_number: str
    serial: str


def structures(table: bytes) -> Iterator[Structure]:
    """Yield the structures of a table; one that is cut off ends it."""
    start = 0
    while start + HEADER_BYTES <= len(table):
        kind, length = table[start], table[start + 1]
        strings_at = start + length
        end = table.find(b"\0\0", strings_at)
        if length < HEADER_BYTES or end < 0:
            return
        parts = table[strings_at:end].split(b"\0")
        texts = tuple(part.decode("utf-8", "replace").strip() for part in parts if part)
        yield Structure(kind, table[start:strings_at], texts)
        if kind == END:
            return
        start = end + 2


def serial_number(table: bytes) -> str | None:
    """Return a server's serial number; None where its firmware states none."""
    return next((found.text(SERIAL_AT) for found in structures(table) if found.type == SYSTEM), "") or None


def system_identity(table: bytes) -> Identity:
    """Return what a server's firmware calls it."""
    first: dict[int, Structure] = {}
    for one in structures(table):
        first.setdefault(one.type, one)
    nothing = Structure(END, b"", ())
    system, bios = first.get(SYSTEM, nothing), first.get(BIOS, nothing)
    return Identity(
        maker=system.text(MAKER_AT),
        product=system.text(PRODUCT_AT),
        serial=system.text(SERIAL_AT),
        bios_version=bios.text(BIOS_VERSION_AT),
        bios_date=bios.text(BIOS_DATE_AT),
    )


def memory_modules(table: bytes) -> tuple[MemoryModule, ...]:
    """Return the memory modules; sockets without one are left out."""
    return tuple(one for found in structures(table) if found.type == MEMORY and (one := _module(found)).size_mib)


def _module(structure: Structure) -> MemoryModule:
    size = _word(structure, SIZE_AT)
    if size == SIZE_IS_EXTENDED:
        mib = _word(structure, EXTENDED_SIZE_AT) | _word(structure, EXTENDED_SIZE_AT + 2) << 16
    elif size == SIZE_UNKNOWN:
        mib = 0
    else:
        mib = (size & ~IN_KIB) // 1024 if size & IN_KIB else size
    return MemoryModule(
        socket=structure.text(LOCATOR_AT),
        size_mib=mib,
        speed_mts=_word(structure, CONFIGURED_SPEED_AT),
        part_number=structure.text(PART_NUMBER_AT),
        serial=structure.text(MEMORY_SERIAL_AT),
    )


def _word(structure: Structure, offset: int) -> int:
    """Return two bytes of a formatted area; 0 where an older version of the specification ends before them."""
    return int.from_bytes(structure.formatted[offset : offset + 2], "little")


def system_slots(table: bytes) -> tuple[Slot, ...]:
    """Return the slots that are on a PCI bus."""
    return tuple(slot for found in structures(table) if found.type == SLOT and (slot := _slot(found)))


def _slot(structure: Structure) -> Slot | None:
    if len(structure.formatted) < WITH_ADDRESS:
        return None
    segment, bus, device_function = struct.unpack_from("<HBB", structure.formatted, SEGMENT_AT)
    if (bus, device_function) == (UNKNOWN, UNKNOWN):
        return None
    (identity,) = struct.unpack_from("<H", structure.formatted, SLOT_ID_AT)
    printed = LAST_NUMBER.search(structure.text(DESIGNATION_AT))
    address = f"{segment:04x}:{bus:02x}:{device_function >> 3:02x}.{device_function & 7}"
    return Slot(int(printed[1]) if printed else identity, address)
