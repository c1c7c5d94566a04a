"""How a fabric is built: its switches, which port serves which device, and the cables between switches."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from msgspec import Struct

from rackproof.plan.fabric.cable_fit import Fit
from rackproof.plan.fabric.port_allocation import Attachment
from rackproof.plan.model.plan import FabricSize, SwitchRole
from rackproof.plan.model.port_names import child_keys, front_panel_port

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
    servers_max: int = 0
    isl_fit: Fit | None = None
    """How its switches join each other."""
    paired: bool = False
    """Every host is on both switches: port channels are Ethernet segments."""
    consolidated: bool = False
    """Its switches carry several fabrics, a VRF each; a port channel is numbered after its port."""
    oob_cage: int = 0
    """Consolidated: the cage that out-of-band switches are plugged into."""
    sizes: tuple[FabricSize, ...] = ()
    """Leaves and spines: what they take, and what the next cheaper and the next larger fabric take."""

    @cached_property
    def oversubscription(self) -> float | None:
        """Host bandwidth over inter-switch bandwidth of the switch where that ratio is largest.

        Servers and switches count that are there; 1.0 or less is non-blocking. None: no inter-switch link is on the
        path of hosts' traffic, because there is one switch, because nothing joins the switches, or because every host
        is on both switches of a pair: the links of such a pair carry traffic only after a host has lost a link, and
        the field leaves them out of the ratio. On a consolidated pair only rails have a single switch, so only rails
        count.
        """
        isl_gbps = self._isl_gbps
        ratios = [gbps / isl_gbps[number] for number, gbps in self._single_homed_gbps.items() if isl_gbps[number]]
        return round(max(ratios), 2) if ratios else None

    @property
    def _single_homed_gbps(self) -> Counter[int]:
        """Switch number to the bandwidth of the server ports whose traffic may need an inter-switch link."""
        dual_homed = {"rail", "host"} if not self.consolidated else {"host"}
        kinds = {"rail", "host"} - (dual_homed if self.paired else set())
        gbps: Counter[int] = Counter()
        for attachment in self.attachments:
            if attachment.device_port.planned and attachment.device_port.kind in kinds:
                gbps[attachment.switch] += attachment.device_port.speed_gbps
        return gbps

    @property
    def _isl_gbps(self) -> Counter[int]:
        """Switch number to the bandwidth of its links to other switches that are there."""
        cage_gbps = self.isl_fit.ports.speed_gbps if self.isl_fit else 0
        gbps: Counter[int] = Counter()
        for cable in self.isl_cables:
            if self.switches[cable.a].planned and self.switches[cable.b].planned:
                gbps[cable.a] += cage_gbps
                gbps[cable.b] += cage_gbps
        return gbps

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
    def port_switches(self) -> Mapping[tuple[str, str], int]:
        """(device, port) to the number of the switch it is plugged into."""
        return {(a.device_port.device, a.device_port.port): a.switch for a in self.attachments}

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
