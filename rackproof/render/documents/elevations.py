"""Rack elevations, a picture a rack: what stands in which unit, what is free, and the PDUs at the sides."""

from __future__ import annotations

from itertools import chain, groupby
from typing import TYPE_CHECKING, Final

from rackproof.render.documents.drawing import Drawing
from rackproof.render.documents.record import File

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rackproof.plan.model.plan import PduPlan, Position
    from rackproof.render.documents.record import Device, Record

UNIT: Final = 16.0
"""Height of a rack unit."""
BODY: Final = 330.0
"""Width of what stands in the rack."""
NUMBERS: Final = 26.0
"""Width of the unit numbers at either side."""
PDU: Final = 20.0
"""Width of a PDU."""
GAP: Final = 6.0
MARGIN: Final = 16.0
HEADING: Final = 52.0
FOOT: Final = 50.0


def picture_path(rack: str) -> str:
    """Return the file of a rack's picture."""
    return f"racks/{rack}.svg"


def files(record: Record) -> Iterator[File]:
    """Yield the picture of every rack."""
    for rack in record.plan.racks:
        yield File(picture_path(rack), elevation(record, rack).standalone())


def elevation(record: Record, rack: str) -> Drawing:
    """Return the picture of a rack, seen from the front."""
    model = record.catalogue.rack(record.plan.racks[rack].model)
    pdus = record.rack_pdus[rack]
    left, right = pdus[0::2], pdus[1::2]
    body = MARGIN + len(left) * (PDU + GAP) + NUMBERS
    width = body + BODY + NUMBERS + len(right) * (PDU + GAP) + MARGIN
    drawing = Drawing(f"Rack {rack}", width, HEADING + model.rack_units * UNIT + FOOT)
    _heading(drawing, rack, model.name)
    _units(drawing, body, model.rack_units)
    for device in record.racked[rack]:
        _device(drawing, body, model.rack_units, device, _kind(record, device))
    for name, position in record.plan.racks[rack].kept:
        words = f"kept for {name}"
        _empty(drawing, body, model.rack_units, (position.unit, position.unit + position.height - 1), words)
    for first, last in free_units(record, rack):
        words = f"free: U{first}" if first == last else f"free: U{first} to U{last} ({last - first + 1} units)"
        _empty(drawing, body, model.rack_units, (first, last), words)
    top, height = HEADING, model.rack_units * UNIT
    for number, pdu in enumerate(left):
        _pdu(drawing, MARGIN + number * (PDU + GAP), (top, height), record, pdu)
    for number, pdu in enumerate(right):
        _pdu(drawing, body + BODY + NUMBERS + GAP + number * (PDU + GAP), (top, height), record, pdu)
    drawing.lines((MARGIN, top + height + 20), _foot(record, rack), width - 2 * MARGIN)
    return drawing


def free_units(record: Record, rack: str) -> list[tuple[int, int]]:
    """Return the runs of units that are neither used nor kept: lowest and highest, from the bottom up."""
    planned = record.plan.racks[rack]
    units = record.catalogue.rack(planned.model).rack_units
    positions = (*(device.position for device in record.racked[rack]), *(position for _, position in planned.kept))
    taken = set(chain.from_iterable(map(_occupied_units, positions)))
    free = [unit for unit in range(1, units + 1) if unit not in taken]
    runs = (list(run) for _, run in groupby(enumerate(free), key=lambda pair: pair[1] - pair[0]))
    return [(run[0][1], run[-1][1]) for run in runs]


def _occupied_units(position: Position | None) -> range:
    return range(position.unit, position.unit + position.height) if position else range(0)


def _kind(record: Record, device: Device) -> str:
    """Return what decides the colour of a device: the role of a switch's fabric."""
    if device.kind != "switch":
        return device.kind
    role = record.plan.fabrics[device.group].role
    return role if role in {"backend", "frontend", "oob"} else "other"


def _heading(drawing: Drawing, rack: str, model: str) -> None:
    room = drawing.width - 2 * MARGIN
    drawing.text((MARGIN, 24), f"Rack {rack}", room, size=15, kind="b")
    drawing.text((MARGIN, 40), f"{model}, front", room, kind="d")


def _units(drawing: Drawing, body: float, units: int) -> None:
    """Draw the frame and number its units at both sides, 1 at the bottom."""
    drawing.box(body, HEADING, BODY, units * UNIT, "frame")
    for unit in range(1, units + 1):
        base = _top(units, unit) + UNIT - 5
        drawing.text((body - 5, base), str(unit), NUMBERS, size=8, kind="d", anchor="end")
        drawing.text((body + BODY + 5, base), str(unit), NUMBERS, size=8, kind="d")


def _top(units: int, highest: int) -> float:
    """Return where the upper edge of unit ``highest`` is drawn."""
    return HEADING + (units - highest) * UNIT


def _device(drawing: Drawing, body: float, units: int, device: Device, kind: str) -> None:
    """Draw a device: name and model on one line, or below each other where it is high enough."""
    taken = _occupied_units(device.position)
    top, height = _top(units, taken[-1]), len(taken) * UNIT
    drawing.box(body, top, BODY, height, kind)
    middle = top + height / 2
    if len(taken) > 1:
        drawing.text((body + 8, middle - 2), device.name, BODY - 16, size=11, kind="b")
        drawing.text((body + 8, middle + 11), device.title, BODY - 16, size=9)
    else:
        drawing.text((body + 8, middle + 4), device.name, BODY * 0.5 - 8, kind="b")
        drawing.text((body + BODY - 8, middle + 4), device.title, BODY * 0.5 - 16, size=8, anchor="end")


def _empty(drawing: Drawing, body: float, units: int, span: tuple[int, int], words: str) -> None:
    """Draw units that nothing stands in, from the lowest to the highest of ``span``."""
    top, count = _top(units, span[1]), span[1] - span[0] + 1
    drawing.box(body, top, BODY, count * UNIT, "free")
    drawing.text((body + BODY / 2, top + count * UNIT / 2 + 3), words, BODY - 16, size=9, kind="d", anchor="middle")


def _pdu(drawing: Drawing, left: float, span: tuple[float, float], record: Record, pdu: PduPlan) -> None:
    """Draw a PDU from top to bottom of the rack, with its feed, outlets in use and load."""
    top, height = span
    drawing.box(left, top, PDU, height, f"feed-{pdu.feed.lower()}")
    outlets = sum(group.count for group in record.catalogue.pdu(pdu.model).outlets)
    used = record.outlets_used[pdu.name]
    words = f"{pdu.name}, feed {pdu.feed}, {used} of {outlets} outlets, {normal_load(record, pdu.name)}"
    drawing.text((left + PDU / 2 + 3.5, top + height - 8), words, height - 16, kind="b", upright=True)


def normal_load(record: Record, pdu: str) -> str:
    """Return the load of a PDU when nothing is lost, and what it carries at most."""
    rows = [row for row in record.loads.get(pdu, ()) if row.case == "normal" and row.part == "total"]
    return f"{rows[0].load_w / 1000:.1f} of {rows[0].limit_w / 1000:.1f} kW" if rows else "no load"


def _foot(record: Record, rack: str) -> Iterator[str]:
    """Yield what the rack carries."""
    plan, devices = record.plan.racks[rack], record.racked[rack]
    model = record.catalogue.rack(plan.model)
    counts = _counts(devices)
    yield f"{plan.units_used} of {model.rack_units} units used, {plan.load_kg:g} of {model.load_kg:g} kg"
    yield ", ".join(f"{count} {word}" for word, count in counts.items()) or "empty"


def _counts(devices: Sequence[Device]) -> Mapping[str, int]:
    """Return how many servers, storage nodes and switches there are, in words."""
    words = {
        "server": ("server", "servers"),
        "storage": ("storage node", "storage nodes"),
        "switch": ("switch", "switches"),
    }
    found = {kind: sum(device.kind == kind for device in devices) for kind in words}
    return {words[kind][count != 1]: count for kind, count in found.items() if count}
