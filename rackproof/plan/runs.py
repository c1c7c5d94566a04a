"""How long a cable must be, from where its ends stand."""

from rackproof.plan.models import Position
from rackproof.plan.placement import Placement

UNIT_M = 0.04445
"""Height of a rack unit (EIA-310)."""
SLACK_M = 0.5
"""At each end: from the port to the vertical cable manager and the service loop (our allowance)."""
TRAY_M = 0.3
"""From the top of a rack to the overhead tray and back down into the next (our allowance, each way)."""


def run_m(a: Position, b: Position, placement: Placement) -> float:
    """Return the length a cable between two devices needs, in metres.

    Within a rack: the vertical distance.  Between racks: up to the tray, along the row, and down again.  Slack at
    both ends in either case.
    """
    middle_a, middle_b = a.unit + a.height / 2, b.unit + b.height / 2
    if a.rack == b.rack:
        return round(abs(middle_a - middle_b) * UNIT_M + 2 * SLACK_M, 2)
    rack_a, rack_b = placement.racks[a.rack], placement.racks[b.rack]
    up = (rack_a.model.rack_units - middle_a + rack_b.model.rack_units - middle_b) * UNIT_M + 2 * TRAY_M
    first, last = sorted((rack_a.index, rack_b.index))
    rooms = list(placement.racks.values())
    along = sum(room.model.width_mm for room in rooms[first:last]) / 1000
    return round(up + along + 2 * SLACK_M, 2)
