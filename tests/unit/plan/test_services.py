"""What a site leaves out and almost certainly needs is warned of."""

from __future__ import annotations

from typing import Final

from rackproof.errors import Problems
from rackproof.plan.network.services import check_services
from tests.unit.plan.conftest import make_site

SERVICES: Final = {"ntp": ["192.0.2.123"], "dns": ["192.0.2.53"]}


def warnings(**changes: object) -> list[str]:
    """What a site is warned of."""
    problems = Problems()
    check_services(make_site(**changes), problems)
    assert not problems.fatal
    return [warning.message for warning in problems.warnings]


def test_missing_services_are_warned_of() -> None:
    assert warnings(**{"external!": {}}) == [
        "the site has no time server: logs, certificates and Kerberos need one time on all devices",
        "the site has no name server: switches and hosts resolve no names",
        "the site has no uplink: nothing leads out of the site",
    ]


def test_a_site_that_names_them_is_not() -> None:
    assert warnings(external=SERVICES) == []
