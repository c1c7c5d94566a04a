"""What a site leaves out and almost certainly needs is warned of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from rackproof.plan.model.plan import Plan

SERVICES: Final = {"ntp": ["192.0.2.123"], "dns": ["192.0.2.53"]}


def warnings(plan: Plan) -> list[str]:
    """What the plan warns of around the site."""
    return [notice.text for notice in plan.notices if notice.kind == "warning" and "the site has no" in notice.text]


def test_missing_services_are_warned_of(plan_of: Callable[..., Plan]) -> None:
    assert warnings(plan_of(**{"external!": {}})) == [
        "the site has no time server: logs, certificates and Kerberos need one time on all devices",
        "the site has no name server: switches and hosts resolve no names",
        "the site has no uplink: nothing leads out of the site",
    ]


def test_a_site_that_names_them_is_not(plan_of: Callable[..., Plan]) -> None:
    assert warnings(plan_of(external=SERVICES)) == []
