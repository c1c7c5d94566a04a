"""Power: every supply on an outlet."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter

from msgspec import Struct, structs

from rackproof.errors import Problems, SiteError
from rackproof.hardware.load import Catalogue
from rackproof.hardware.models import CordModel, OutletGroup, PduModel, PowerSupplies
from rackproof.plan.fabric.demand import pdu_name
from rackproof.plan.fabric.draft import FabricDraft
from rackproof.plan.fabric.server_ports import ServerDraft
from rackproof.plan.model.plan import CordPlan, LoadRow, PduPlan
from rackproof.plan.physical.cable_runs import SLACK_M, UNIT_M
from rackproof.plan.physical.placement import Placement, RackRoom
from rackproof.plan.physical.power_loads import ENFORCED, FEEDS, Powered, RackPower, rack_loads, report_overloads
from rackproof.site.models import Site

SOCKETS_OF_INLET = {"c14": ("c13", "c15"), "c20": ("c19", "c21"), "c22": ("c21",)}
"""IEC 60320: which connectors go into which inlet."""
OUTLET_OF_PLUG = {"c14": "c13", "c20": "c19"}
"""IEC 60320: which outlet takes which plug."""


class _Outlet(Struct, frozen=True, gc=False):
    """An outlet of a PDU."""

    pdu: str
    number: int
    """From 1, in the order of the catalogue's groups."""
    group: OutletGroup
    unit: float
    """Height in rack units: outlets are spread evenly over the rack."""


@dataclass(slots=True)
class _Bank:
    """The free outlets of one group of a PDU, the lowest number first: they differ in nothing but their height."""

    pdu: str
    group: OutletGroup
    free: list[_Outlet]
    fits: frozenset[str] = field(init=False)
    """Kinds of outlet that any of them is."""
    phase: tuple[str, str] = field(init=False)
    breaker: tuple[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.fits = frozenset(self.group.outlet.split("-"))
        self.phase, self.breaker = (self.pdu, self.group.phase), (self.pdu, self.group.breaker)

    def first_within(self, unit: int, reach_m: float) -> _Outlet | None:
        """Return the first free outlet that a cord reaches from rack unit ``unit``."""
        for outlet in self.free:
            if _cord_run_m(unit, outlet) <= reach_m:
                return outlet
        return None


@dataclass(slots=True)
class _Feed:
    """The outlets of one feed in one rack, while they are handed out."""

    banks: list[_Bank]
    load_w: dict[object, float] = field(default_factory=lambda: defaultdict(float))

    def take(self, cord: CordModel, unit: int, load_w: float) -> _Outlet | None:
        """Return the outlet that keeps phases, then PDUs, then breakers evenly loaded; special outlets last.

        Only outlets count that take the cord's plug and that its longest length reaches from rack unit ``unit``.
        """
        kind, reach_m = OUTLET_OF_PLUG[cord.plug], cord.lengths_m[-1]
        firsts = ((bank, bank.first_within(unit, reach_m)) for bank in self.banks if kind in bank.fits)
        fitting = [(self._rank(bank, outlet), bank, outlet) for bank, outlet in firsts if outlet is not None]
        if not fitting:
            return None
        _, bank, outlet = min(fitting, key=itemgetter(0))
        bank.free.remove(outlet)
        for part in (bank.pdu, bank.phase, bank.breaker):
            self.load_w[part] += load_w
        return outlet

    def _rank(self, bank: _Bank, outlet: _Outlet) -> tuple[float, float, float, int, str, int]:
        loads = (self.load_w[bank.phase], self.load_w[bank.pdu], self.load_w[bank.breaker])
        return (*loads, len(bank.fits), outlet.pdu, outlet.number)


@dataclass(slots=True)
class Power:
    """Everything electrical of a site."""

    pdus: dict[str, PduPlan] = field(default_factory=dict)
    cords: list[CordPlan] = field(default_factory=list)
    loads: list[LoadRow] = field(default_factory=list)


def _banks(pdu: str, model: PduModel, rack_units: int) -> Iterator[_Bank]:
    """Yield the outlets of a PDU, group by group."""
    step = rack_units / sum(group.count for group in model.outlets)
    number = 1
    for group in model.outlets:
        outlets = [_Outlet(pdu, n, group, n * step) for n in range(number, number + group.count)]
        yield _Bank(pdu, group, outlets)
        number += group.count


def _feeds(rack: str, count: int, model: PduModel, rack_units: int) -> list[_Feed]:
    """Return the outlets of feed A and feed B: PDUs 1, 3, ... on A and 2, 4, ... on B; a single PDU serves both."""
    feeds = [_Feed([]), _Feed([])]
    for index in range(count):
        feeds[index % 2].banks += _banks(pdu_name(rack, index), model, rack_units)
    return feeds if count > 1 else [feeds[0], feeds[0]]


def _devices(
    server_drafts: Sequence[ServerDraft], drafts: Sequence[FabricDraft], placement: Placement
) -> Iterator[Powered]:
    """Yield switches, then servers with the places kept for growth, so that growth moves no cord."""
    for draft in (draft for draft in drafts if draft.on_own_switches):
        for number, switch in enumerate(draft.layout.switches):
            name = draft.switch_name(number)
            position = placement.positions.get(name)
            if position:
                body, supplies, path = draft.model.body, draft.model.power_supplies, (*draft.path, "switch")
                yield Powered(name, position.rack, position.unit, body, supplies, switch.planned, path)
    for server_draft in server_drafts:
        position = placement.positions.get(server_draft.name)
        if position:
            model = server_draft.model
            yield Powered(
                server_draft.name,
                position.rack,
                position.unit,
                model.body,
                model.power_supplies,
                server_draft.planned,
                server_draft.path,
            )


def _cord(supplies: PowerSupplies, catalogue: Catalogue) -> CordModel | None:
    sockets = SOCKETS_OF_INLET[supplies.inlet]
    return next((cord for cord in catalogue.cords() if cord.socket in sockets), None)


def _cord_run_m(unit: int, outlet: _Outlet) -> float:
    """Return the length a cord needs from a device at rack unit ``unit``."""
    return abs(unit - outlet.unit) * UNIT_M + 2 * SLACK_M


def _alone_w(device: Powered) -> float:
    """Return what a supply draws when the other feed is lost: the load that outlets are chosen by."""
    left = (device.supplies.count + 1) // 2
    return min(device.body.power_max_w / left, device.supplies.power_w)


def _plug_in(device: Powered, feeds: Sequence[_Feed], catalogue: Catalogue, problems: Problems) -> Iterator[CordPlan]:
    """Yield the cords of one device: the first half of its supplies on feed A, the second on feed B."""
    cord = _cord(device.supplies, catalogue)
    if cord is None:
        problems.add(
            device.path, f"no power cord of the catalogue fits the {device.supplies.inlet} inlet of {device.name}"
        )
        return
    count = device.supplies.count
    for supply in range(count):
        feed = feeds[0 if supply < (count + 1) // 2 else 1]
        outlet = feed.take(cord, device.unit, _alone_w(device))
        if outlet is None:
            problems.add(
                device.path,
                f"rack {device.rack} has no outlet left for supply {supply + 1} of {device.name} "
                f"({cord.plug} plug, {cord.lengths_m[-1]:g} m at most)",
                "add PDUs to the rack, or spread the devices over more racks",
            )
            return
        length_m = next(length for length in cord.lengths_m if length >= _cord_run_m(device.unit, outlet))
        yield _cord_plan(device, supply + 1, outlet, cord, length_m)


def _cord_plan(device: Powered, supply: int, outlet: _Outlet, cord: CordModel, length_m: float) -> CordPlan:
    group = outlet.group
    return CordPlan(
        device=device.name,
        supply=supply,
        pdu=outlet.pdu,
        outlet=outlet.number,
        outlet_type=group.outlet,
        phase=group.phase,
        breaker=group.breaker,
        cord=cord.model,
        length_m=length_m,
    )


def plan_power(
    site: Site,
    server_drafts: Sequence[ServerDraft],
    drafts: Sequence[FabricDraft],
    placement: Placement,
    catalogue: Catalogue,
    problems: Problems,
) -> Power:
    """Plug every supply into an outlet and check the loads in the redundancy the site states."""
    done = Power()
    devices: dict[str, list[Powered]] = {rack: [] for rack in placement.racks}
    for device in _devices(server_drafts, drafts, placement):
        devices[device.rack].append(device)
    patterns: dict[object, _Pattern] = {}
    for room in placement.racks.values():
        here = devices[room.name]
        key = (id(room.place.asked.pdus), tuple((id(d.body), d.unit, d.planned) for d in here))
        if key not in patterns:
            patterns[key] = _pattern(site, room, here, catalogue)
        _apply(patterns[key], room, here, done)
    for pattern in patterns.values():
        problems.extend(pattern.errors())
    return done


@dataclass(slots=True)
class _Pattern:
    """Racks whose devices stand alike: their cords, loads and faults are the same but for the names."""

    cords: list[tuple[int, int, CordPlan]]
    """(number of the device in its rack, of the PDU, cord as in the first rack)."""
    loads: list[tuple[int, LoadRow]]
    """(number of the PDU, load as in the first rack)."""
    problems: Problems
    racks: int = 0

    def errors(self) -> Iterator[SiteError]:
        """Yield the faults of the first rack, and how many racks have them too."""
        alike = f" (and {self.racks - 1} rack(s) alike)" if self.racks > 1 else ""
        for error in self.problems.errors:
            yield replace(error, message=error.message + alike)


def _pattern(site: Site, room: RackRoom, devices: Sequence[Powered], catalogue: Catalogue) -> _Pattern:
    """Plug in and check the first of the racks that are alike."""
    asked, problems = room.place.asked.pdus, Problems()
    model = catalogue.pdu(asked.model)
    feeds = _feeds(room.name, asked.count, model, room.model.rack_units)
    cords: list[tuple[int, CordPlan]] = []
    for number, device in enumerate(devices):
        plugged = list(_plug_in(device, feeds, catalogue, problems))  # places kept for growth take outlets too
        cords += [(number, cord) for cord in plugged if device.planned]
    names = [pdu_name(room.name, index) for index in range(asked.count)]
    pdus = {name: FEEDS[index % 2] for index, name in enumerate(names)}
    planned = {device.name: device for device in devices if device.planned}
    mine = [cord for _, cord in cords]
    powered = RackPower(room.name, room.place.number, model, pdus, planned, mine)
    rows = list(rack_loads(powered, ENFORCED[site.redundancy]))
    report_overloads(powered, rows, site.redundancy, problems)
    return _Pattern(
        cords=[(number, names.index(cord.pdu), cord) for number, cord in cords],
        loads=[(names.index(row.pdu), row) for row in rows],
        problems=problems,
    )


def _apply(pattern: _Pattern, room: RackRoom, devices: Sequence[Powered], done: Power) -> None:
    """Record one rack of a pattern under its own names."""
    asked = room.place.asked.pdus
    names = [pdu_name(room.name, index) for index in range(asked.count)]
    pattern.racks += 1
    for number, pdu, cord in pattern.cords:
        done.cords.append(structs.replace(cord, device=devices[number].name, pdu=names[pdu]))
    for pdu, row in pattern.loads:
        done.loads.append(structs.replace(row, rack=room.name, pdu=names[pdu]))
    for index, name in enumerate(names):
        done.pdus[name] = PduPlan(name, room.name, asked.model, FEEDS[index % 2], index, None)
