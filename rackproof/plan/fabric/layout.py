"""How a fabric is built: its switches, which port serves which device, and the cables between switches."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from msgspec import Struct

from rackproof.plan.fabric.cable_fit import Fit
from rackproof.plan.fabric.port_allocation import Attachment
from rackproof.plan.model.plan import SwitchRole
from rackproof.plan.model.port_names import front_panel_port
from rackproof.types import split_breakout

NO_HOSTS = -1
"""Domain of a switch that serves no hosts."""


@dataclass(frozen=True, slots=True)
class LayoutSwitch:
    """A switch of a layout."""

    role: SwitchRole
    index: int
    """Number within its role, from 0."""
    group: str
    """Redundancy group, without the fabric's name: members are changed one at a time."""
    domain: int = 0
    """Layer 2 domain, from 0: switches of one domain serve the same subnets."""
    asn: int = 0
    """Its ASN, counted from the fabric's first."""
    planned: bool = True
    """False: not there yet; name, place and addresses are kept for growth."""
    near: str | None = None
    """A server in whose rack it stands; None: where the fabric's switches stand."""
    pod: int = 0
    """Switches of a pod stand together, pod after pod."""


class InterSwitchCable(Struct, frozen=True, gc=False):
    """A cable between two switches of a fabric: cage to cage, split alike at both ends or not at all."""

    a: int
    a_port: int
    b: int
    b_port: int
    mode: str | None = None

    def links(self) -> Iterator[tuple[str, str]]:
        """Return the port keys of its links, one a child port: (at ``a``, at ``b``)."""
        return zip(child_keys(self.a_port, self.mode), child_keys(self.b_port, self.mode), strict=True)


@lru_cache(maxsize=1 << 12)
def child_keys(port: int, mode: str | None) -> tuple[str, ...]:
    """Return the port keys of a cage: its child ports where it is split."""
    children = range(1, split_breakout(mode)[0] + 1) if mode else ()
    return tuple(f"{port}/{child}" for child in children) or (str(port),)


class IslEnd(Struct, frozen=True, gc=False):
    """A link to another switch of the fabric, seen from one side."""

    key: str
    other: int
    other_key: str


@dataclass(frozen=True)
class Layout:
    """Switches of a fabric and what is plugged into them."""

    switches: tuple[LayoutSwitch, ...]
    attachments: tuple[Attachment, ...]
    isl_cables: tuple[InterSwitchCable, ...] = ()
    oversubscription: float = 0.0
    servers_max: int = 0
    isl_fit: Fit | None = None
    """How its switches join each other."""
    paired: bool = False
    """Every host is on both switches: port channels are Ethernet segments."""
    consolidated: bool = False
    """Its switches carry several fabrics, a VRF each; a port channel is numbered after its port."""
    oob_cage: int = 0
    """Consolidated: the cage that out-of-band switches are plugged into."""

    @cached_property
    def digits(self) -> int:
        """Digits of a switch's number in its name; growth is counted, so that it renames nothing."""
        return max(2, *(len(str(switch.index + 1)) for switch in self.switches)) if self.switches else 2

    @cached_property
    def standing_order(self) -> tuple[int, ...]:
        """Numbers of the switches in the order in which they fill their racks."""
        return tuple(sorted(range(len(self.switches)), key=lambda number: self.switches[number].pod))

    @cached_property
    def domains(self) -> Mapping[int, tuple[int, ...]]:
        """Domain to the numbers of its switches."""
        rows: dict[int, list[int]] = {}
        for number, switch in enumerate(self.switches):
            rows.setdefault(switch.domain, []).append(number)
        return {domain: tuple(row) for domain, row in rows.items() if domain != NO_HOSTS}

    @cached_property
    def port_domains(self) -> Mapping[tuple[str, str], int]:
        """(device, port) to the layer 2 domain of the switch it is plugged into."""
        return {(a.device_port.device, a.device_port.port): self.switches[a.switch].domain for a in self.attachments}

    @cached_property
    def attachments_by_switch(self) -> Mapping[int, tuple[Attachment, ...]]:
        """Switch number to what is plugged into it."""
        rows: dict[int, list[Attachment]] = {number: [] for number in range(len(self.switches))}
        for attachment in self.attachments:
            rows[attachment.switch].append(attachment)
        return {number: tuple(row) for number, row in rows.items()}

    @cached_property
    def isl_ends_by_switch(self) -> Mapping[int, tuple[IslEnd, ...]]:
        """Switch number to its links to other switches of the fabric."""
        rows: dict[int, list[IslEnd]] = {number: [] for number in range(len(self.switches))}
        for cable in self.isl_cables:
            for a_key, b_key in cable.links():
                rows[cable.a].append(IslEnd(a_key, cable.b, b_key))
                rows[cable.b].append(IslEnd(b_key, cable.a, a_key))
        return {number: tuple(row) for number, row in rows.items()}

    @cached_property
    def breakouts_by_switch(self) -> Mapping[int, Mapping[str, str]]:
        """Switch number to front panel port to breakout mode, of every port that is split and in use."""
        rows: dict[int, dict[int, str]] = {number: {} for number in range(len(self.switches))}
        for attachment in self.attachments:
            if attachment.fit.mode and attachment.device_port.planned:
                rows[attachment.switch][front_panel_port(attachment.key)] = attachment.fit.mode
        for cable in self.isl_cables:
            if cable.mode:
                rows[cable.a][cable.a_port] = rows[cable.b][cable.b_port] = cable.mode
        return {number: {str(port): mode for port, mode in sorted(row.items())} for number, row in rows.items()}
