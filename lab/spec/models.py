"""Description of a lab: devices, their ports and the cables between them, independent of the plan."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final


@dataclass(frozen=True, slots=True)
class BreakoutSpec:
    """One way a front panel port can be split."""

    children: int
    speed_mbps: int
    """Speed of one child port."""
    blocks_neighbour: bool = False
    """Whether the next port then has no lanes left."""


@dataclass(frozen=True, slots=True)
class PortSpec:
    """A front panel port of a switch."""

    number: int
    speed_mbps: int
    """Speed of the unsplit port."""
    modes: Mapping[str, BreakoutSpec]
    """Breakouts by mode, such as 2x400G."""
    native_index: int
    """Number of its kernel interface (Ethernet8)."""
    lanes: int = 8
    """Kernel interfaces from one port to the next."""
    cage_lanes: int = 8


@dataclass(frozen=True, slots=True)
class SwitchSpec:
    """Hardware of a switch."""

    name: str
    nos: str
    product: str
    hwsku: str
    platform: str
    asic: str
    serial_number: str
    management_mac: str
    ports: Mapping[int, PortSpec]
    management_address: str | None = None
    """Out-of-band address with prefix length, as set at the console."""
    management_gateway: str | None = None
    hash_queue_pair: bool = False
    """Whether its ASIC can hash on the RoCE destination queue pair."""
    release: str | None = None
    """Release of the NOS, where its syntax differs: 5.12; None: the lab's default."""
    software: str | None = None
    """Version that the switch reports; None: the lab's default."""
    adaptive_routing_mbps: tuple[int, ...] = ()
    """Speeds of ports on which its ASIC routes adaptively."""


@dataclass(frozen=True, slots=True, order=True)
class LabEnd:
    """One end of a cable: a device and its port."""

    device: str
    port: str

    def __str__(self) -> str:
        return f"{self.device}/{self.port}"


PART_NUMBER_CHARACTERS: Final = 16
"""Room for a part number in a module (SFF-8636, page 00h, bytes 168 to 183, vendor PN)."""


def port_mac(end: LabEnd) -> str:
    """Return the MAC address of a port: the same in every lab, unicast and locally administered (IEEE 802, 8.4)."""
    digest = sha256(str(end).encode()).hexdigest()
    return ":".join(("02", *(digest[place : place + 2] for place in range(0, 10, 2))))


@dataclass(frozen=True, slots=True)
class LabLink:
    """A cable, or one leg of it."""

    a: LabEnd
    b: LabEnd
    cable: str = "DAC"
    """Name that its transceivers report."""
    parts: tuple[str, str] = ("", "")
    """Part numbers of the parts plugged in at both ends; empty when unknown."""

    @property
    def ends(self) -> tuple[LabEnd, LabEnd]:
        """Both ends."""
        return self.a, self.b

    def part_at(self, device: str) -> str:
        """Return the part number of the part plugged into a device, cut to the length of a module's memory."""
        return self.parts[0 if self.a.device == device else 1][:PART_NUMBER_CHARACTERS]


@dataclass(frozen=True, slots=True)
class HostEnd:
    """A cable end that is no front panel port of a switch: a NIC, a controller, a management port, a PDU, a router."""

    end: LabEnd
    speed_mbps: int
    fec: str
    """``rs``, ``fc`` or ``none``."""
    lldp: bool = True
    asn: int | None = None
    """ASN of a router outside the site."""
    of_switch: bool = False
    """Whether it is the management port of a switch of the site, which is up only while that switch has power."""


@dataclass(frozen=True, slots=True)
class LabSite:
    """Everything the lab of one site builds."""

    name: str
    switches: Mapping[str, SwitchSpec]
    links: tuple[LabLink, ...] = ()
    hosts: tuple[HostEnd, ...] = ()
