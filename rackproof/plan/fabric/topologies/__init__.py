"""Ways to build a fabric, one module each, found by its name: ``single-switch`` is single_switch.py.

A topology module has a docstring (its first line is what the user reads), ``ROLES``, ``NOS_FEATURES``,
``STANDS_WITH_DEVICES`` and ``lay_out(demand, problems) -> Layout``.
"""

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Protocol

from msgspec import Struct

from rackproof.errors import Problems, ValuePath
from rackproof.plan.fabric.cable_fit import Fit
from rackproof.plan.fabric.port_allocation import Attachment
from rackproof.plan.fabric.server_ports import Socket
from rackproof.plan.model.plan import SwitchRole
from rackproof.plan.model.port_names import port_of
from rackproof.types import split_breakout

NO_HOSTS = -1
"""Domain of a switch that serves no hosts."""


@dataclass(frozen=True, slots=True)
class Demand:
    """What a fabric must connect."""

    fabric: str
    switch_model: str
    blocks: tuple[tuple[Socket, ...], ...]
    """Sockets served from the first port up; a block holds its places for growth itself."""
    top: tuple[Socket, ...]
    """Sockets served from the last port down, before ``blocks``: things whose number nobody reserved."""
    uplinks: tuple[Socket, ...]
    """Sockets of networks outside, one set for every switch, from the last port down."""
    fits: Mapping[tuple[int, tuple[str, ...]], Fit]
    """(speed, plug forms) of a socket to how it joins the switch."""
    trunk_fit: Fit | None
    """How two of these switches join each other, cages not split; None: nothing in the catalogue does."""
    split_trunk_fit: Fit | None
    """How they join each other over many cages: split in two where optics and adaptive routing want that."""
    pins: Mapping[int, Mapping[str, str]]
    """Switch number to port key to the socket ("gpu-001:rail0") it is kept for."""
    path: ValuePath
    oversubscription: float = 1.0
    """Bandwidth of a leaf's hosts over that of its links to spines, at most."""
    servers_per_rack: int = 1
    """Servers that stand in one rack."""
    manages_itself: bool = False
    """Out of band: each of its switches serves its own management port too."""
    example: str = ""
    """Server that the largest site is counted in: one of the first group; empty: the last device."""
    others: frozenset[str] = frozenset()
    """Servers and storage nodes of other groups."""
    racks: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Device to row and column of its rack on the floor; only out of band."""
    guests: tuple["Demand", ...] = ()
    """What the fabrics that share its switches must connect."""

    def fit(self, socket: Socket) -> Fit:
        """Return how ``socket`` joins the switch."""
        return self.fits[socket.speed_gbps, socket.modules]


@dataclass(frozen=True, slots=True)
class Seat:
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


class Trunk(Struct, frozen=True, gc=False):
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


class TrunkEnd(Struct, frozen=True, gc=False):
    """A link to another switch of the fabric, seen from one side."""

    key: str
    other: int
    other_key: str


@dataclass(frozen=True)
class Layout:
    """Switches of a fabric and what is plugged into them."""

    seats: tuple[Seat, ...]
    attachments: tuple[Attachment, ...]
    trunks: tuple[Trunk, ...] = ()
    oversubscription: float = 0.0
    servers_max: int = 0
    trunk_fit: Fit | None = None
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
        return max(2, *(len(str(seat.index + 1)) for seat in self.seats)) if self.seats else 2

    @cached_property
    def standing_order(self) -> tuple[int, ...]:
        """Numbers of the switches in the order in which they fill their racks."""
        return tuple(sorted(range(len(self.seats)), key=lambda number: self.seats[number].pod))

    @cached_property
    def domains(self) -> Mapping[int, tuple[int, ...]]:
        """Domain to the numbers of its switches."""
        rows: dict[int, list[int]] = {}
        for number, seat in enumerate(self.seats):
            rows.setdefault(seat.domain, []).append(number)
        return {domain: tuple(row) for domain, row in rows.items() if domain != NO_HOSTS}

    @cached_property
    def domain_of(self) -> Mapping[tuple[str, str], int]:
        """(device, port) to the layer 2 domain of the switch it is plugged into."""
        return {(a.socket.device, a.socket.port): self.seats[a.switch].domain for a in self.attachments}

    @cached_property
    def attachments_of(self) -> Mapping[int, tuple[Attachment, ...]]:
        """Switch number to what is plugged into it."""
        rows: dict[int, list[Attachment]] = {number: [] for number in range(len(self.seats))}
        for attachment in self.attachments:
            rows[attachment.switch].append(attachment)
        return {number: tuple(row) for number, row in rows.items()}

    @cached_property
    def trunks_of(self) -> Mapping[int, tuple[TrunkEnd, ...]]:
        """Switch number to its links to other switches of the fabric."""
        rows: dict[int, list[TrunkEnd]] = {number: [] for number in range(len(self.seats))}
        for trunk in self.trunks:
            for a_key, b_key in trunk.links():
                rows[trunk.a].append(TrunkEnd(a_key, trunk.b, b_key))
                rows[trunk.b].append(TrunkEnd(b_key, trunk.a, a_key))
        return {number: tuple(row) for number, row in rows.items()}

    @cached_property
    def breakouts_of(self) -> Mapping[int, Mapping[str, str]]:
        """Switch number to front panel port to breakout mode, of every port that is split and in use."""
        rows: dict[int, dict[int, str]] = {number: {} for number in range(len(self.seats))}
        for attachment in self.attachments:
            if attachment.fit.mode and attachment.socket.planned:
                rows[attachment.switch][port_of(attachment.key)] = attachment.fit.mode
        for trunk in self.trunks:
            if trunk.mode:
                rows[trunk.a][trunk.a_port] = rows[trunk.b][trunk.b_port] = trunk.mode
        return {number: {str(port): mode for port, mode in sorted(row.items())} for number, row in rows.items()}


class Topology(Protocol):
    """A module of this package."""

    ROLES: tuple[str, ...]
    """Roles of fabrics that can be built so."""
    NOS_FEATURES: tuple[str, ...]
    """Features a NOS needs for it (``features`` of the catalogue's NOS files)."""
    STANDS_WITH_DEVICES: bool
    """Whether leaves stand in the racks of what they serve; else where the fabric's switches stand."""

    def lay_out(self, demand: Demand, problems: Problems) -> Layout:
        """Build the fabric; what does not fit is recorded in ``problems``."""


def topology_names() -> tuple[str, ...]:
    """Return the words a site file may use for ``topology``."""
    return tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__)))


def topology(name: str) -> Topology:
    """Return the topology module of a word.

    Raises
    ------
    ModuleNotFoundError
        There is no such topology.
    """
    return importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
