"""How long a cable must be, from where its ends stand."""

from rackproof.plan.model.plan import Position
from rackproof.plan.physical.placement import Placement

UNIT_M = 0.04445
"""Height of a rack unit (EIA-310)."""
SLACK_M = 0.5
"""At each end: from the port to the vertical cable manager and the service loop (our allowance)."""
TRAY_M = 0.3
"""From the top of a rack to the overhead tray and back down into the next (our allowance, each way)."""

ROW_PITCH_M = 4.27
"""From one row of racks to the next: fourteen feet, seven floor tiles (ASHRAE TC 9.9, hot aisle and cold aisle)."""


def run_m(a: Position, b: Position, placement: Placement) -> float:
    """Return the length a cable between two devices needs, in metres.

    Within a rack: the vertical distance.  Between racks: up to the tray, along the row, across the aisles, and down
    again.  Slack at both ends in either case.
    """
    middle_a, middle_b = a.unit + a.height / 2, b.unit + b.height / 2
    if a.rack == b.rack:
        return round(abs(middle_a - middle_b) * UNIT_M + 2 * SLACK_M, 2)
    rack_a, rack_b = placement.racks[a.rack], placement.racks[b.rack]
    up = (rack_a.model.rack_units - middle_a + rack_b.model.rack_units - middle_b) * UNIT_M + 2 * TRAY_M
    width_m = max(rack_a.model.width_mm, rack_b.model.width_mm) / 1000
    along = abs(rack_a.place.column - rack_b.place.column) * width_m
    across = abs(rack_a.place.row - rack_b.place.row) * ROW_PITCH_M
    return round(up + along + across + 2 * SLACK_M, 2)
