"""Thresholds reproduce the published figures that they come from, and never ask for more than physics allows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rackproof.measure.traffic import thresholds


def test_at_400g_they_are_the_published_figures() -> None:
    assert thresholds.write_floor(400, 9216).value == pytest.approx(384, abs=0.1)
    assert thresholds.accelerator_floor(400, 9216).value == pytest.approx(360, abs=0.1)
    assert thresholds.both_ways_floor(400, 9216).value == pytest.approx(720, abs=0.2)
    assert thresholds.write_floor(400, 9216).ceiling == pytest.approx(392.1, abs=0.1)


def test_a_small_mtu_lowers_the_ceiling_and_says_so() -> None:
    floor = thresholds.write_floor(400, 1500)

    assert floor.ceiling == pytest.approx(370.3, abs=0.1)
    assert "1024 bytes" in floor.ceiling_source


@given(
    speeds=st.integers(1, 100_000),
    mtu=st.sampled_from([0, 1500, 4200, 9000, 9216]),
    oversubscription=st.none() | st.floats(0.01, 8),
    flows=st.integers(1, 512),
    paths=st.integers(1, 64),
    spread=st.booleans(),
)
def test_bisection_floor_is_below_its_ceiling(
    speeds: int, mtu: int, oversubscription: float | None, flows: int, paths: int, *, spread: bool
) -> None:
    floor = thresholds.bisection_floor(speeds, mtu, oversubscription, flows, paths, spread=spread)

    assert floor.ceiling is not None
    assert 0 <= floor.value <= floor.ceiling + 0.1  # both are rounded
    assert floor.ceiling <= speeds + 0.1


def test_hashed_flows_may_collide_and_spread_packets_may_not() -> None:
    hashed = thresholds.bisection_floor(6400, 9216, 1.0, 64, 16, spread=False)
    spread = thresholds.bisection_floor(6400, 9216, 1.0, 64, 16, spread=True)

    # 4 flows a link on average, 4 + sqrt(8 ln 16) = 8.7 on the fullest.
    assert hashed.value == pytest.approx(spread.value * 4 / 8.709, rel=0.001)
    assert "16 links" in hashed.formula
