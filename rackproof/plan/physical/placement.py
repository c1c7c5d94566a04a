"""Positions in racks: servers from the bottom of their racks up, switches from the top down."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from rackproof.errors import Problems, ValuePath
from rackproof.hardware.load import Catalogue
from rackproof.hardware.models import Body, RackModel
from rackproof.plan.fabric.demand import pdu_name, switch_racks
from rackproof.plan.fabric.draft import FabricDraft
from rackproof.plan.fabric.server_ports import ServerDraft
from rackproof.plan.fabric.topology import topology
from rackproof.plan.model.plan import Position, RackPlan
from rackproof.site.derived import FloorRack, fabric_role, floor, racks_called
from rackproof.site.models import ServerGroup, Site, Storage


@dataclass(slots=True)
class RackRoom:
    """A rack while it is filled."""

    place: FloorRack
    model: RackModel
    index: int
    bottom: int = 1
    """Lowest free unit."""
    top: int = 0
    """Highest free unit."""
    kept_units: int = 0
    """Units at the top that leaves will take after the servers."""
    load_kg: float = 0.0
    units_used: int = 0
    servers: int = 0
    bodies: list[tuple[str, Body]] = field(default_factory=list)
    kept: list[tuple[str, Position]] = field(default_factory=list)
    """Places of devices that are not there yet, or no more."""

    @property
    def name(self) -> str:
        """Name of the rack."""
        return self.place.name

    @property
    def path(self) -> ValuePath:
        """What in the site file asks for it."""
        return ("racks", self.place.number, "model")

    def free_units(self) -> int:
        """Return the units between what stands below and what hangs above."""
        return self.top - self.bottom + 1

    def put_bottom(self, body: Body) -> Position:
        """Take the lowest free units."""
        position = Position(self.name, self.bottom, body.rack_units)
        self.bottom += body.rack_units
        self.servers += 1
        return position

    def put_top(self, body: Body) -> Position:
        """Take the highest free units."""
        self.top -= body.rack_units
        return Position(self.name, self.top + 1, body.rack_units)

    def carry(self, name: str, body: Body) -> None:
        """Count a device's weight and units."""
        self.load_kg += body.weight_kg
        self.units_used += body.rack_units
        self.bodies.append((name, body))


@dataclass(slots=True)
class Placement:
    """The position of everything in racks."""

    racks: dict[str, RackRoom]
    positions: dict[str, Position] = field(default_factory=dict)
    """Device (places kept for growth too) to its position; a vertical PDU's is the middle of its rack."""

    def plans(self) -> dict[str, RackPlan]:
        """Return the racks as planned."""
        return {
            room.name: RackPlan(
                name=room.name,
                model=room.model.model,
                index=room.index,
                load_kg=round(room.load_kg, 1),
                units_used=room.units_used,
                kept=tuple(room.kept),
            )
            for room in self.racks.values()
        }


def _rooms(site: Site, catalogue: Catalogue) -> dict[str, RackRoom]:
    rooms = {}
    for index, rack in enumerate(floor(site)):
        model = catalogue.rack(rack.asked.model)
        rooms[rack.name] = RackRoom(rack, model, index, top=model.rack_units)
    return rooms


def _rack_names(site: Site, blocks: Iterable[str]) -> Iterator[str]:
    """Yield the racks of blocks of the site file, block after block."""
    return chain.from_iterable(racks_called(site, block) for block in blocks)


def _put_switch(draft: FabricDraft, number: int, room: RackRoom, done: Placement) -> None:
    name = draft.switch_name(number)
    done.positions[name] = room.put_top(draft.model.body)
    if draft.layout.switches[number].planned:
        room.carry(name, draft.model.body)
    else:
        room.kept.append((name, done.positions[name]))


def _place_switches(site: Site, draft: FabricDraft, done: Placement, problems: Problems) -> None:
    """Place the switches that have a rack of their own, one rack after the other."""
    body, per_rack = draft.model.body, draft.asked.per_rack
    blocks = switch_racks(site, draft.asked)
    rooms = iter([done.racks[name] for name in _rack_names(site, blocks)])
    room = next(rooms, None)
    held = 0
    for number in draft.layout.standing_order:
        if draft.layout.switches[number].near is not None:
            continue
        while room is not None and (room.free_units() - room.kept_units < body.rack_units or held == per_rack):
            room, held = next(rooms, None), 0
        if room is None:
            message = f"{', '.join(blocks)} has no room for {draft.switch_name(number)}"
            problems.add((*draft.path, "switch"), message, "take another rack, or a block of racks")
            return
        _put_switch(draft, number, room, done)
        held += 1


def _place_leaves(draft: FabricDraft, done: Placement, problems: Problems) -> None:
    """Place the leaves that belong to a rack at the top of it."""
    for number, switch in enumerate(draft.layout.switches):
        near = done.positions.get(switch.near or "")
        if near is None:
            continue
        room = done.racks[near.rack]
        if room.free_units() < draft.model.body.rack_units:
            message = f"rack {room.name} has no room for {draft.switch_name(number)} above its servers"
            problems.add((*draft.path, "switch"), message, "lower per_rack of the servers")
            return
        _put_switch(draft, number, room, done)


def _keep_units_for_leaves(site: Site, done: Placement, catalogue: Catalogue) -> None:
    """Keep room at the top of racks for the leaves that will stand there, once it is known what they serve."""
    for name, fabric in site.fabrics.items():
        if not topology(fabric.topology).STANDS_WITH_DEVICES:
            continue
        body = catalogue.switch(fabric.switch).body
        groups: list[ServerGroup | Storage] = [group for group in site.servers if name in group.nics]
        groups += [cluster for cluster in site.storage if cluster.fabric == name]
        names = set(_rack_names(site, chain.from_iterable(group.rack_names for group in groups)))
        for rack in names if fabric_role(name, fabric) != "oob" else done.racks:
            done.racks[rack].kept_units += body.rack_units


def _takes(room: RackRoom, body: Body, per_rack: int | None) -> bool:
    room_left = room.free_units() - room.kept_units >= body.rack_units
    return room_left and (per_rack is None or room.servers < per_rack)


def _place_group(
    site: Site, group: ServerGroup | Storage, server_drafts: Sequence[ServerDraft], done: Placement, problems: Problems
) -> None:
    racks = [done.racks[name] for name in _rack_names(site, group.rack_names)]
    for rack in racks:
        rack.bottom = max(rack.bottom, group.from_unit)
    rooms = iter(racks)
    room = next(rooms, None)
    what = "nodes that" if isinstance(group, Storage) else "servers that group"
    for server_draft in server_drafts:
        body = server_draft.model.body
        while room is not None and not _takes(room, body, group.per_rack):
            room = next(rooms, None)
        if room is None:
            problems.add(
                (*server_draft.path, "racks" if group.racks else "rack"),
                f"{', '.join(group.rack_names)} hold(s) {server_draft.index} of the {len(server_drafts)} "
                f"{what} {server_draft.group} has or grows to ({body.rack_units}U each)",
                "name more racks, or lower grows_to",
            )
            return
        done.positions[server_draft.name] = room.put_bottom(body)
        if server_draft.planned:
            room.carry(server_draft.name, body)
        else:
            room.kept.append((server_draft.name, done.positions[server_draft.name]))


def _place_pdus(room: RackRoom, catalogue: Catalogue, done: Placement, problems: Problems) -> None:
    pdus = room.place.asked.pdus
    if pdus.count > room.model.pdu_positions:
        problems.add(
            ("racks", room.place.number, "pdus", "count"),
            f"{room.model.model} takes {room.model.pdu_positions} vertical PDUs, not {pdus.count}",
            f"take another rack, or fewer {catalogue.pdu(pdus.model).model}",
        )
    for index in range(pdus.count):
        done.positions[pdu_name(room.name, index)] = Position(room.name, room.model.rack_units // 2, 0)


def place_servers(
    site: Site,
    server_drafts: Sequence[ServerDraft],
    drafts: Sequence[FabricDraft],
    catalogue: Catalogue,
    problems: Problems,
) -> Placement:
    """Place servers, PDUs and the switches of ``drafts``, with room kept for growth."""
    done = Placement(_rooms(site, catalogue))
    drafts = [draft for draft in drafts if draft.on_own_switches]
    _keep_units_for_leaves(site, done, catalogue)
    for draft in drafts:
        _place_switches(site, draft, done, problems)
    by_group: dict[str, list[ServerDraft]] = {}
    for server_draft in server_drafts:
        by_group.setdefault(server_draft.group, []).append(server_draft)
    for group in site.servers:
        _place_group(site, group, by_group.get(group.group, []), done, problems)
    for storage in site.storage:
        _place_group(site, storage, by_group.get(storage.name, []), done, problems)
    for room in done.racks.values():
        _place_pdus(room, catalogue, done, problems)
    for draft in drafts:
        _place_leaves(draft, done, problems)
    return done


def place_oob(site: Site, drafts: Sequence[FabricDraft], done: Placement, problems: Problems) -> None:
    """Place the switches of out-of-band fabrics above everything else that is there."""
    for draft in drafts:
        _place_switches(site, draft, done, problems)
        _place_leaves(draft, done, problems)


def check_racks(done: Placement, problems: Problems) -> None:
    """Record racks that are too shallow or too weak for what they carry."""
    for room in done.racks.values():
        _check_rack(room, problems)


def _check_rack(room: RackRoom, problems: Problems) -> None:
    """Record what is too deep for a rack, and a rack that carries too much."""
    deep: Mapping[str, int] = {
        name: body.depth_mm for name, body in room.bodies if body.depth_mm > room.model.usable_depth_mm
    }
    if deep:
        names, depth_mm = ", ".join(deep), max(deep.values())
        problems.add(
            room.path,
            f"{names} need(s) {depth_mm} mm; {room.model.model} takes devices up to "
            f"{room.model.usable_depth_mm} mm deep",
            "take a deeper rack",
        )
    if room.load_kg > room.model.load_kg:
        problems.add(
            room.path,
            f"rack {room.name} would carry {room.load_kg:.0f} kg; {room.model.model} carries "
            f"{room.model.load_kg:.0f} kg",
            "spread the servers over more racks",
        )
