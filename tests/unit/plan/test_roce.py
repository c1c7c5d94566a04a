"""What a NOS can express of a RoCE intent, and what is said about the rest."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rackproof.hardware.load import Catalogue
from rackproof.plan.build import build_plan
from rackproof.plan.network.roce import asked_intent, length_class_m, normalise
from rackproof.site.load import find_site, load_site
from rackproof.site.models import Ecn, LosslessClass, PfcWatchdog, Roce
from rackproof.site.roce_settings import roce_settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from rackproof.hardware.models import NosModel
    from rackproof.hardware.nos_models import RoceSettings
    from rackproof.plan.model.plan import Plan

CATALOGUE = Catalogue()
SWITCH = CATALOGUE.switch("dell-z9864f-on")


@pytest.fixture(params=["enterprise-sonic", "sonic"], scope="module")
def nos(request: pytest.FixtureRequest) -> NosModel:
    return CATALOGUE.nos(request.param)


def settings(roce: Roce, nos: str = "enterprise-sonic") -> RoceSettings:
    """What is asked for, filled up with what the vendor recommends."""
    recommended = CATALOGUE.nos(nos).roce_recommended
    assert recommended is not None
    return roce_settings(roce, recommended)


ROCES = st.builds(
    Roce,
    lossless=st.sampled_from([(LosslessClass(),), (LosslessClass(), LosslessClass(priority=4, dscp=(32,)))]),
    ecn=st.builds(Ecn, kmin_bytes=st.integers(1, 40_000_000), kmax_bytes=st.integers(1, 40_000_000)),
    pfc_watchdog=st.builds(
        PfcWatchdog,
        detect_ms=st.integers(100, 5000),
        restore_ms=st.integers(100, 60000),
        poll_ms=st.integers(100, 1000),
    ),
    bandwidth_percent=st.integers(2, 98),
)


@given(roce=ROCES)
def test_normalising_twice_changes_nothing_more(nos: NosModel, roce: Roce) -> None:
    once, _ = normalise(asked_intent(settings(roce), SWITCH), nos)
    again, losses = normalise(once, nos)
    assert again == once
    assert losses == ()


@given(roce=ROCES)
def test_every_difference_is_reported(nos: NosModel, roce: Roce) -> None:
    asked = asked_intent(settings(roce), SWITCH)
    done, losses = normalise(asked, nos)
    assert (done == asked) == (losses == ())


@given(roce=ROCES)
def test_bandwidth_shares_add_up(roce: Roce) -> None:
    intent = asked_intent(settings(roce), SWITCH)
    assert sum(row.bandwidth_percent for row in intent.lossless.values()) + intent.default_bandwidth_percent == 100


@pytest.mark.parametrize(("length_m", "told"), [(0.5, 5), (5.0, 5), (5.1, 40), (40.0, 40), (60.0, 300), (500.0, 300)])
def test_dell_knows_three_cable_lengths(length_m: float, told: int) -> None:
    assert length_class_m(length_m, CATALOGUE.nos("enterprise-sonic")) == told


def test_hosts_use_the_lossless_priority_of_their_dscp(plan_of: Callable[..., Plan]) -> None:
    classes = [{"priority": 3, "dscp": [24]}, {"priority": 4, "dscp": [26, 30]}]
    fabrics = plan_of(fabrics={"backend": {"roce": {"lossless": classes, "host_dscp": 30}}}).fabrics

    assert fabrics["backend"].host_priority == 4
    assert fabrics["frontend"].host_priority is None  # without RoCE


def test_a_dscp_of_no_lossless_class_has_no_priority(plan_of: Callable[..., Plan]) -> None:
    backend = plan_of().fabrics["backend"]

    assert backend.host_priority == 3
    assert replace(backend, host_dscp=27).host_priority is None


@pytest.mark.parametrize("roce", [Roce(), None])
def test_cumulus_takes_what_nvidia_recommends(roce: Roce | None) -> None:
    """``qos roce`` of the Cumulus Linux 5.12 user guide: priority 3 for 24 to 31, marking from 150000 to 1501500."""
    site = load_site(find_site("dell-xe9680-spectrum-x")).site
    backend = site.fabrics["backend"].model_copy(update={"roce": roce})
    site = site.model_copy(update={"fabrics": {**site.fabrics, "backend": backend}})

    fabric = build_plan(site, CATALOGUE).fabrics["backend"]

    assert fabric.roce is not None
    lossless = fabric.roce.lossless[3]
    assert lossless.dscp == tuple(range(24, 32))
    assert (lossless.ecn_kmin_bytes, lossless.ecn_kmax_bytes, lossless.ecn_probability_percent) == (
        150000,
        1501500,
        100,
    )
    assert (fabric.roce.pfc_watchdog.detect_ms, fabric.roce.pfc_watchdog.poll_ms) == (300, 100)


def test_dell_takes_what_roce_enable_sets_up(plan_of: Callable[..., Plan]) -> None:
    """``roce enable`` (HLD 2.2.7): DSCP 24 and 26 to class 3, marking 5 percent from 1 MiB to 2 MiB."""
    roce = plan_of().fabrics["backend"].roce

    assert roce is not None
    lossless = roce.lossless[3]
    assert lossless.dscp == (24, 26)
    assert (lossless.ecn_kmin_bytes, lossless.ecn_kmax_bytes, lossless.ecn_probability_percent) == (1048000, 2097000, 5)


def test_one_stated_value_leaves_the_others_to_the_vendor() -> None:
    asked = settings(Roce(ecn=Ecn(kmin_bytes=200000), lossless=(LosslessClass(priority=4),)), "cumulus")

    assert (asked.ecn.kmin_bytes, asked.ecn.kmax_bytes) == (200000, 1501500)
    assert (asked.lossless[0].priority, asked.lossless[0].dscp) == (4, tuple(range(24, 32)))


def test_a_backend_without_roce_has_it_and_one_that_says_none_has_not(plan_of: Callable[..., Plan]) -> None:
    assert plan_of(fabrics={"backend": {"roce": None}}).fabrics["backend"].roce is not None
    without = plan_of(fabrics={"backend": {"roce": {"enabled": False}}})
    assert without.fabrics["backend"].roce is None
    assert not any(port.lossless for intent in without.intents().values() for port in intent.ports.values())
    assert without.fabrics["frontend"].roce is None


def test_the_plan_says_where_each_recommended_value_was_read(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(fabrics={"backend": {"roce": {"ecn": {"kmin_bytes": 500000}}}})

    said = [notice.text for notice in plan.notices if notice.kind == "recommended" and notice.subject == "backend"]

    design = "SONiC buffer and RoCE design document of Dell Enterprise SONiC 4.1 (roce enable)"
    assert (
        "RoCE of Enterprise SONiC Distribution by Dell Technologies: lossless priority 3 for DSCP 24, 26, cnp_dscp 48, "
        f"cnp_priority 6, ecn.kmax_bytes 2097152, ecn.probability_percent 5, bandwidth_percent 50 ({design})" in said
    )
    assert not any("kmin_bytes" in text or "no source" in text for text in said)
