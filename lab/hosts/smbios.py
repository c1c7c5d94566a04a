"""SMBIOS records of slots, by which a host finds which adapter sits where (DMTF DSP0134 3.6, 7.10: System Slots)."""

import struct
from collections.abc import Iterable
from typing import Final

from lab.hosts.machine import HostNic

_TYPE: Final = 9
_LENGTH: Final = 0x11
"""Of version 2.6: up to and with the device's place on the PCI bus."""
_FIRST_HANDLE: Final = 0x0900
_PCI_EXPRESS_GEN5_X16: Final = 0xC3
_DATA_BUS_X16: Final = 0x0D
_IN_USE: Final = 0x04
_LONG: Final = 0x04
_PROVIDES_3_3_V: Final = 0x04
_PME: Final = 0x01


def slot_records(nics: Iterable[HostNic]) -> tuple[bytes, ...]:
    """Return one record for every slot that holds an adapter, lowest slot first.

    Each is what ``-smbios file=`` takes: the structure, its strings, and a zero byte after the last.
    """
    buses = {nic.slot: nic.bus for nic in nics if nic.slot is not None and nic.bus is not None}
    return tuple(_record(number, slot, buses[slot] or 0) for number, slot in enumerate(sorted(buses)))


def _record(number: int, slot: int, bus: int) -> bytes:
    formatted = struct.pack(
        "<BBHBBBBBHBBHBB",
        *(_TYPE, _LENGTH, _FIRST_HANDLE + number),
        *(1, _PCI_EXPRESS_GEN5_X16, _DATA_BUS_X16, _IN_USE, _LONG),
        *(slot, _PROVIDES_3_3_V, _PME),
        *(0, bus, 0),
    )
    return formatted + f"PCIe Slot {slot}".encode() + b"\0\0"
