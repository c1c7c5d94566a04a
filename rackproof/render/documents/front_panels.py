"""Front panels, a picture a switch: every cage with its number, how it is split, and what is at the other end.

The catalogue does not know how a maker arranges the cages.  They are drawn in rows from top to bottom, then to the
right, two rows a rack unit, which is how most switches count; the numbers are those printed on the switch.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from rackproof.render.documents.drawing import Drawing, text_width
from rackproof.render.documents.panel_ports import CagePort, cages
from rackproof.render.documents.record import File

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rackproof.hardware.models import PortRange
    from rackproof.plan.model.plan import SwitchPlan
    from rackproof.render.documents.record import Record

NARROWEST: Final = 66.0
WIDEST: Final = 150.0
READABLE: Final = 7.5
"""Size at which the longest line of a range fits its cages, unless they would be too wide."""
MOST_COLUMNS: Final = 24
LEADING: Final = 11.5
HEADING: Final = 56.0
MARGIN: Final = 16.0
FOOT: Final = 26.0
BETWEEN: Final = 14.0
"""Between one range of ports and the next."""
KINDS: Final = {"uplink": "other", "PDU": "other"}
"""What a cage is used for to its colour, where that is not the use itself or the fabric's role."""
NOTE: Final = "Drawn as most switches count, top to bottom, then right; go by the numbers printed on the switch."

Panel = list[tuple["PortRange", list[CagePort]]]


def picture_path(switch: str) -> str:
    """Return the file of a switch's picture."""
    return f"switches/{switch}.svg"


def files(record: Record) -> Iterator[File]:
    """Yield the picture of every switch."""
    for switch in record.plan.switches.values():
        yield File(picture_path(switch.name), front_panel(record, switch).standalone())


def front_panel(record: Record, switch: SwitchPlan) -> Drawing:
    """Return the picture of a switch."""
    panel = cages(record, switch)
    rows = [_rows(record, switch, found) for _, found in panel]
    widths = [-(-len(found) // count) * _width(found) for (_, found), count in zip(panel, rows, strict=True)]
    heights = [_height(found) for _, found in panel]
    tall = max(count * height for count, height in zip(rows, heights, strict=True))
    drawing = Drawing(
        f"Front panel of {switch.name}",
        max(620.0, sum(widths) + BETWEEN * (len(panel) - 1) + 2 * MARGIN),
        HEADING + tall + FOOT + MARGIN,
    )
    _heading(drawing, record, switch, list(chain.from_iterable(found for _, found in panel)))
    left = MARGIN
    for (_, found), count, width, height in zip(panel, rows, widths, heights, strict=True):
        _range(drawing, left, found, (count, _width(found), height), record.plan.fabrics[switch.fabric].role)
        left += width + BETWEEN
    drawing.text((MARGIN, drawing.height - MARGIN), NOTE, drawing.width - 2 * MARGIN, size=9, kind="d")
    return drawing


def _width(found: Sequence[CagePort]) -> float:
    """Return the width of a range's cages: that of the longest line, within reason."""
    longest = max(chain.from_iterable(cage.lines for cage in found), key=len, default="")
    first = max(len(f"{cage.number} {cage.split}") for cage in found)
    needed = max(text_width(longest, READABLE), first * 6.5) + 9
    return min(WIDEST, max(NARROWEST, round(needed)))


def _height(found: Sequence[CagePort]) -> float:
    """Return the height of a range's cages: that of the one with most to say."""
    return 20 + LEADING * max(2, *(len(cage.lines) for cage in found))


def _rows(record: Record, switch: SwitchPlan, found: Sequence[CagePort]) -> int:
    """Return how many rows a range takes: two a unit, more where they would be too long."""
    units = record.catalogue.switch(switch.model).body.rack_units
    return min(len(found), max(2 * units, -(-len(found) // MOST_COLUMNS)))


def _heading(drawing: Drawing, record: Record, switch: SwitchPlan, found: Sequence[CagePort]) -> None:
    """Write what the switch is, where it stands, and how full it is."""
    used = sum(cage.use not in {"free", "off"} for cage in found)
    bgp = f", ASN {switch.intent.bgp.asn}" if switch.intent and switch.intent.bgp else ""
    device, nos = record.devices[switch.name], record.catalogue.nos(switch.nos)
    room = drawing.width - 2 * MARGIN
    drawing.text((MARGIN, 24), f"{switch.name}, {device.title}", room, size=15, kind="b")
    facts = f"{device.place}, {switch.fabric} {switch.role}, {nos.name}, {device.address or 'no address'}{bgp}"
    drawing.text((MARGIN, 42), f"{facts}; {used} of {len(found)} cages in use", room, kind="d")


def _range(
    drawing: Drawing, left: float, found: Sequence[CagePort], shape: tuple[int, float, float], role: str
) -> None:
    """Draw a range of ports: (rows, width of a cage, height of a cage)."""
    rows, width, height = shape
    for place, cage in enumerate(found):
        column, row = divmod(place, rows)
        _cage(drawing, (left + column * width, HEADING + row * height), (width - 3, height - 3), cage, role)


def _cage(drawing: Drawing, at: tuple[float, float], size: tuple[float, float], cage: CagePort, role: str) -> None:
    """Draw a cage: number and split in its first line, then what is at the other end."""
    (left, top), (width, height) = at, size
    drawing.box(left, top, width, height, role if cage.use == "switch" else KINDS.get(cage.use, cage.use))
    number, room = str(cage.number), width - 6
    own = 6.05 * len(number) + 6
    drawing.text((left + 3, top + 11), number, own, kind="b")
    drawing.text((left + width - 3, top + 11), cage.split, room - own, size=8, kind="d", anchor="end")
    for line, words in enumerate(cage.lines):
        drawing.text((left + 3, top + 23 + line * LEADING), words, room)
