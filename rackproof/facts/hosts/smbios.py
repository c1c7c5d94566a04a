"""SMBIOS structures: what a server's firmware says of its slots.

DSP0134, System Management BIOS reference specification 3.7: 6.1.2 (structure header), 6.1.3 (text strings), 7.2 (system
information, type 1), 7.10 (system slots, type 9).
"""

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

HEADER_BYTES: Final = 4
"""Type, length, handle (6.1.2)."""
SYSTEM: Final = 1
SLOT: Final = 9
END: Final = 127
"""Types of structure (7.2, 7.10, 7.46)."""
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


def serial_of(table: bytes) -> str | None:
    """Return a server's serial number; None where its firmware states none."""
    return next((found.text(SERIAL_AT) for found in structures(table) if found.type == SYSTEM), "") or None


def slots_of(table: bytes) -> tuple[Slot, ...]:
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
