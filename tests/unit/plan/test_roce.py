"""What a NOS can express of a RoCE intent, and what is said about the rest."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rackproof.hardware.load import Catalogue
from rackproof.plan.network.roce import asked_intent, length_class_m, normalise
from rackproof.site.models import Ecn, LosslessClass, PfcWatchdog, Roce

if TYPE_CHECKING:
    from collections.abc import Callable

    from rackproof.hardware.models import NosModel
    from rackproof.plan.model.plan import Plan

CATALOGUE = Catalogue()
SWITCH = CATALOGUE.switch("dell-z9864f-on")


@pytest.fixture(params=["enterprise-sonic", "sonic"], scope="module")
def nos(request: pytest.FixtureRequest) -> NosModel:
    return CATALOGUE.nos(request.param)


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
    once, _ = normalise(asked_intent(roce, SWITCH), nos)
    again, losses = normalise(once, nos)
    assert again == once
    assert losses == ()


@given(roce=ROCES)
def test_every_difference_is_reported(nos: NosModel, roce: Roce) -> None:
    asked = asked_intent(roce, SWITCH)
    done, losses = normalise(asked, nos)
    assert (done == asked) == (losses == ())


@given(roce=ROCES)
def test_bandwidth_shares_add_up(roce: Roce) -> None:
    intent = asked_intent(roce, SWITCH)
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
