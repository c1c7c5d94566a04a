"""Cables of a plan, found by device and port; made once for a site, which may have ten thousands of them."""

from collections.abc import Mapping
from typing import NamedTuple

from rackproof.deploy.switch.build_steps import joins_switches
from rackproof.plan.model.plan import Link, LinkEnd, Plan


class Cable(NamedTuple):
    """A cable, seen from one of its ends."""

    there: LinkEnd
    """The other end."""
    link: Link
    joins_switches: bool
    """Whether Rackproof configures both its ends."""


Cables = Mapping[str, Mapping[str, Cable]]
"""Device to port to its cable."""


def index_cables(plan: Plan) -> Cables:
    """Return the cables of every device."""
    found: dict[str, dict[str, Cable]] = {}
    for link in plan.links:
        joins = joins_switches(plan, link)
        for here, there in ((link.a, link.b), (link.b, link.a)):
            found.setdefault(here.device, {})[here.port] = Cable(there, link, joins)
    return found
