"""The static default route of the default VRF (sonic-static-route.yang; frrcfgd of the management framework)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rackproof.render.nos.sonic.database import ConfigDb, key, row_fields

if TYPE_CHECKING:
    from rackproof.plan.model.plan import SwitchIntent

VRF = "default"
ANYWHERE = "0.0.0.0/0"


def write_default_route(intent: SwitchIntent) -> ConfigDb:
    """Return the table of static routes."""
    return {"STATIC_ROUTE": {key(VRF, ANYWHERE): {"nexthop": intent.default_route}} if intent.default_route else {}}


def read_default_route(database: ConfigDb) -> str | None:
    """Return the next hop of the default route."""
    return row_fields(database, "STATIC_ROUTE", VRF, ANYWHERE).get("nexthop")
