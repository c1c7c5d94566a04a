"""What reaches what as CSV: every flow that the site needs, with its hops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rackproof.plan.reachability.reachability import flows
from rackproof.render.csv_text import csv_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rackproof.hardware.load import Catalogue
    from rackproof.plan.model.plan import Plan

COLUMNS = ("device", "interface", "address", "service", "peer", "switch", "port", "vlan", "reached", "way", "cause")


def reachability_csv(plan: Plan, catalogue: Catalogue) -> Iterator[bytes]:
    """Yield one line a flow: management stations first, then the services of switches and of hosts."""
    rows = (
        (
            flow.device,
            flow.port,
            flow.address,
            flow.kind,
            flow.peer,
            flow.plugged.switch,
            flow.plugged.port,
            flow.plugged.vlan,
            flow.cause is None,
            flow.way,
            flow.cause,
        )
        for flow in flows(plan, catalogue)
    )
    return csv_lines(COLUMNS, rows)
