"""The same site on switches of other releases: other words on the wire, the same outcome."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from lab.daemon.in_process import LabThread
from lab.spec.from_plan import lab_site
from rackproof.deploy.protocol import Outcome
from rackproof.deploy.switch.job import SwitchOptions
from rackproof.plan.from_file import PlannedSite, plan_site
from tests.deploy.conftest import PASSWORD, TIMEOUTS, Bench
from tests.deploy.nos_words import BACKEND, CUMULUS, FRONTEND

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.lab
ALLOWED: Final = SwitchOptions(allow_disruption=True, timeouts=TIMEOUTS)


def in_dialect(planned: PlannedSite, dialect: str) -> PlannedSite:
    """The site as a release with these words runs it."""
    switches = {
        name: replace(switch, intent=switch.intent and replace(switch.intent, dialect=dialect))
        for name, switch in planned.plan.switches.items()
    }
    return replace(planned, plan=replace(planned.plan, switches=switches))


@pytest.fixture(params=["5.13", "5.15"])
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    """Switches of another release."""
    planned = in_dialect(plan_site(CUMULUS.site), request.param)
    with LabThread(lab_site(planned.plan, planned.catalogue), PASSWORD) as lab:
        yield Bench(planned, lab)


def test_a_site_is_deployed_and_then_unchanged(bench: Bench) -> None:
    assert all(result.succeeded for result in bench.up().values())
    assert {result.outcome for result in bench.up().values()} == {Outcome.UNCHANGED}


def test_drift_is_put_right(bench: Bench) -> None:
    bench.up(FRONTEND)
    bench.type(
        FRONTEND,
        "nv set interface swp63 link mtu 9000",
        "nv unset interface swp64",
        "nv set bridge domain br_default stp priority 8192",
    )
    result = bench.up(FRONTEND, options=ALLOWED)[FRONTEND]
    assert result.outcome is Outcome.CHANGED, result
    assert not bench.compared(FRONTEND)[FRONTEND].changes


def test_a_failure_leaves_the_switch_as_it_was(bench: Bench) -> None:
    before = bench.machine(BACKEND)
    bench.when["saving"] = lambda: bench.inject("full-disk", BACKEND)
    failed = bench.up(BACKEND)[BACKEND]
    assert failed.outcome is Outcome.ROLLED_BACK, failed
    bench.clear()
    assert bench.machine(BACKEND) == before


def test_adaptive_routing_comes_back_without_a_restart_of_switchd(bench: Bench) -> None:
    bench.up(BACKEND)
    bench.type(BACKEND, "nv unset interface swp57s0 router adaptive-routing")
    assert bench.up(BACKEND)[BACKEND].outcome is Outcome.CHANGED
