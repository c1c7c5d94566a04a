"""What PDUs, phases and breakers of a rack carry when something fails."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rackproof.errors import Problems, ValuePath
from rackproof.hardware.models import Body, PduModel, PowerSupplies
from rackproof.plan.model.plan import CordPlan, LoadRow

FEEDS = ("A", "B")
ENFORCED = {
    "one-pdu": ("normal", "one PDU lost"),
    "feed-throttled": ("normal", "feed lost, servers throttled"),
    "feed-full": ("normal", "feed lost, full load"),
}
"""Redundancy the site states to the cases in which being over the budget is an error."""


@dataclass(frozen=True, slots=True)
class Powered:
    """A device that draws power."""

    name: str
    rack: str
    unit: int
    body: Body
    supplies: PowerSupplies
    planned: bool
    path: ValuePath


@dataclass(frozen=True, slots=True)
class RackPower:
    """One rack's devices and cords, to work out its loads."""

    rack: str
    number: int
    model: PduModel
    pdus: Mapping[str, str]
    """PDU to feed."""
    devices: Mapping[str, Powered]
    cords: Sequence[CordPlan]


def _shares(room: RackPower, lost: frozenset[str], *, throttled: bool) -> dict[tuple[str, str], float]:
    """Return (PDU, phase, breaker or total) to watts with the PDUs ``lost`` gone; what is left of a device shares."""
    live: dict[str, list[CordPlan]] = defaultdict(list)
    for cord in room.cords:
        if cord.pdu not in lost:
            live[cord.device].append(cord)
    loads: dict[tuple[str, str], float] = defaultdict(float)
    for name, cords in live.items():
        device = room.devices[name]
        rated_w = device.supplies.power_w * len(cords)
        draw_w = min(device.body.power_max_w, rated_w) if throttled else device.body.power_max_w
        for cord in cords:
            for part in ("total", cord.phase, cord.breaker):
                loads[cord.pdu, part] += draw_w / len(cords)
    return loads


def _cases(room: RackPower) -> Iterator[tuple[str, list[frozenset[str]], bool]]:
    """Yield (case, what may be lost in it, whether servers throttle)."""
    feeds = [frozenset(pdu for pdu, feed in room.pdus.items() if feed == name) for name in FEEDS]
    lost_feeds = [feed for feed in feeds if feed and feed != frozenset(room.pdus)]
    yield "normal", [frozenset()], False
    yield "one PDU lost", [frozenset([pdu]) for pdu in room.pdus if len(room.pdus) > 1], False
    yield "feed lost, servers throttled", lost_feeds, True
    yield "feed lost, full load", lost_feeds, False


def _limits_w(model: PduModel) -> dict[str, float]:
    limits: dict[str, float] = {"total": float(model.power_w)}
    for group in model.outlets:
        limits[group.phase] = model.current_a * model.voltage_v
        limits[group.breaker] = group.breaker_a * model.voltage_v
    return limits


def rack_loads(room: RackPower, enforced: Sequence[str]) -> Iterator[LoadRow]:
    """Yield the load of every PDU, phase and, in enforced cases, breaker: the worst over what may fail in a case."""
    limits = _limits_w(room.model)
    for case, losses, throttled in _cases(room):
        worst: dict[tuple[str, str], float] = defaultdict(float)
        for lost in losses:
            for key, load_w in _shares(room, lost, throttled=throttled).items():
                worst[key] = max(worst[key], load_w)
        for (pdu, part), load_w in sorted(worst.items()):
            binding = case in enforced
            if binding or not part.startswith("B"):
                yield LoadRow(room.rack, pdu, part, case, round(load_w, 1), limits[part], binding)


def report_overloads(room: RackPower, rows: Sequence[LoadRow], redundancy: str, problems: Problems) -> None:
    """Record the worst overload of each enforced case as an error, of each other case as a warning."""
    over = [row for row in rows if row.load_w > row.limit_w]
    for case in dict.fromkeys(row.case for row in over):
        worst = max((row for row in over if row.case == case), key=lambda row: row.load_w / row.limit_w)
        where = "altogether" if worst.part == "total" else worst.part
        message = f"{worst.pdu} {where} would carry {worst.load_w:.0f} W of {worst.limit_w:.0f} W ({case})"
        path: ValuePath = ("racks", room.number, "pdus")
        if worst.enforced:
            problems.add(path, message, f"the site states redundancy: {redundancy}; add PDUs or move servers")
        else:
            problems.warn(path, message, f"allowed: the site states redundancy: {redundancy}")
