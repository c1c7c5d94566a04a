"""Where things stand: servers from the bottom of their racks up, switches from the top down."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rackproof.errors import Problems, ValuePath
from rackproof.hardware.load import Catalogue
from rackproof.hardware.models import Body, RackModel
from rackproof.plan.fabrics import FabricDraft, pdu_name, switch_rack
from rackproof.plan.models import Position, RackPlan
from rackproof.plan.sockets import ServerSeat
from rackproof.site.models import ServerGroup, Site


@dataclass(slots=True)
class RackRoom:
    """A rack while it is filled."""

    name: str
    model: RackModel
    index: int
    path: ValuePath
    bottom: int = 1
    """Lowest free unit."""
    top: int = 0
    """Highest free unit."""
    load_kg: float = 0.0
    units_used: int = 0
    bodies: list[tuple[str, Body]] = field(default_factory=list)

    def free_units(self) -> int:
        """Return the units between what stands below and what hangs above."""
        return self.top - self.bottom + 1

    def put_bottom(self, body: Body) -> Position:
        """Take the lowest free units."""
        position = Position(self.name, self.bottom, body.rack_units)
        self.bottom += body.rack_units
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
    """Where everything stands."""

    racks: dict[str, RackRoom]
    positions: dict[str, Position] = field(default_factory=dict)
    """Device (places kept for growth too) to its position; a vertical PDU's is the middle of its rack."""

    def plans(self) -> dict[str, RackPlan]:
        """Return the racks as planned."""
        return {
            room.name: RackPlan(room.name, room.model.model, room.index, round(room.load_kg, 1), room.units_used)
            for room in self.racks.values()
        }


def _rooms(site: Site, catalogue: Catalogue) -> dict[str, RackRoom]:
    rooms = {}
    for index, rack in enumerate(site.racks):
        model = catalogue.rack(rack.model)
        rooms[rack.name] = RackRoom(rack.name, model, index, ("racks", index, "model"), top=model.rack_units)
    return rooms


def _place_switches(site: Site, drafts: Sequence[FabricDraft], done: Placement, problems: Problems) -> None:
    for draft in drafts:
        room = done.racks[switch_rack(site, draft.asked)]
        for number in range(len(draft.layout.seats)):
            name = draft.switch_name(number)
            if room.free_units() < draft.model.body.rack_units:
                problems.add((*draft.path, "switch"), f"rack {room.name} has no room for {name}", "take another rack")
                return
            done.positions[name] = room.put_top(draft.model.body)
            room.carry(name, draft.model.body)


def _place_group(group: ServerGroup, seats: Sequence[ServerSeat], done: Placement, problems: Problems) -> None:
    rooms = [done.racks[name] for name in group.rack_names]
    for seat in seats:
        body = seat.model.body
        room = next((room for room in rooms if room.free_units() >= body.rack_units), None)
        if room is None:
            held = seat.index
            problems.add(
                (*seat.path, "racks" if group.racks else "rack"),
                f"{', '.join(group.rack_names)} hold(s) {held} of the {len(seats)} servers that group {group.group} "
                f"has or grows to ({body.rack_units}U each)",
                "name more racks, or lower grows_to",
            )
            return
        done.positions[seat.name] = room.put_bottom(body)
        if seat.planned:
            room.carry(seat.name, body)


def place(
    site: Site, seats: Sequence[ServerSeat], drafts: Sequence[FabricDraft], catalogue: Catalogue, problems: Problems
) -> Placement:
    """Stand every switch and server, with room kept for growth; check units, depth and load of the racks."""
    done = Placement(_rooms(site, catalogue))
    _place_switches(site, drafts, done, problems)
    for group in site.servers:
        _place_group(group, [seat for seat in seats if seat.group == group.group], done, problems)
    for number, rack in enumerate(site.racks):
        room = done.racks[rack.name]
        pdu = catalogue.pdu(rack.pdus.model)
        if rack.pdus.count > room.model.pdu_positions:
            problems.add(
                ("racks", number, "pdus", "count"),
                f"{room.model.model} takes {room.model.pdu_positions} vertical PDUs, not {rack.pdus.count}",
                f"take another rack, or fewer {pdu.model}",
            )
        for index in range(rack.pdus.count):
            done.positions[pdu_name(rack.name, index)] = Position(rack.name, room.model.rack_units // 2, 0)
        _check_rack(room, problems)
    return done


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
