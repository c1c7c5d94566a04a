"""Resilience checks: a short outage and a device that comes back pass; a long one, and one that stays away, fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from rackproof import paths
from rackproof.deploy.live.hands import pulled_leg
from rackproof.deploy.live.outage import longest_outage_s
from tests.validation.live_world import Bench, world_of
from validation import test_resilience as suite

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CHECKS: Final[dict[str, Callable[..., None]]] = {
    f"resilience/{name.removeprefix('test_').replace('_', '-')}": check
    for name, check in vars(suite).items()
    if name.startswith("test_")
}
LEG: Final = "resilience/a-lost-leg-is-not-missed"
LEAF: Final = "resilience/a-lost-leaf-is-not-missed"
SPINE: Final = "resilience/a-lost-spine-is-not-missed"
SOAK: Final = "resilience/rails-stay-well-for-hours"
COLD: Final = "resilience/everything-starts-by-itself"
PAIR: Final = paths.site_file("dell-xe9680-spectrum-x")
WHERE: Final = {
    LEG: (PAIR, "frontend"),
    LEAF: (PAIR, "frontend"),
    SPINE: (paths.ROOT / "lab/sites/clos/site.yaml", "backend"),
    SOAK: (PAIR, "backend"),
    COLD: (PAIR, "backend"),
}
FAULTS: Final[list[tuple[str, dict[str, Any], str]]] = [
    (LEG, {"outage_s": 5.0}, "at most 3 s. Actual 5 s"),
    (LEAF, {"outage_s": 5.0}, "at most 3 s. Actual 5 s"),
    (LEAF, {"back_s": None}, "Actual not back"),
    (SPINE, {"outage_s": 8.0}, "at most 3 s. Actual 8 s"),
    (SPINE, {"back_s": 1000.0}, "at most 900 s. Actual 1000 s"),
    (SOAK, {"drops": 1}, "drops in queue 3"),
    (COLD, {"back_s": None}, "Actual not back"),
    (COLD, {"without_rdma": "all"}, "goes over TCP"),
]


def bench_of(check: str, folder: Path) -> tuple[Bench, str]:
    site, fabric = WHERE[check]
    # A thousandth of a second: one round.
    return Bench(world_of(site), folder, soak_hours=1e-6), fabric


@pytest.mark.parametrize("check", CHECKS)
def test_a_good_site_passes(check: str, tmp_path: Path) -> None:
    bench, fabric = bench_of(check, tmp_path)

    assert {result.state for result in bench.judged(check, CHECKS[check], fabric).results} == {"passed"}


@pytest.mark.parametrize(
    ("check", "wrong", "said"),
    [pytest.param(*one, marks=pytest.mark.shows_failing(one[0])) for one in FAULTS],
)
def test_what_is_wrong_fails_its_check(check: str, wrong: dict[str, Any], said: str, tmp_path: Path) -> None:
    bench, fabric = bench_of(check, tmp_path)
    for name, value in wrong.items():
        setattr(bench.world, name, set(bench.world.ports) if value == "all" else value)

    failed = [one for one in bench.judged(check, CHECKS[check], fabric).results if one.state == "failed"]

    assert failed
    assert any(said in result.message for result in failed), failed[0].message


def test_each_class_is_pulled_once(tmp_path: Path) -> None:
    bench, fabric = bench_of(LEAF, tmp_path)
    bench.judged(LEAF, CHECKS[LEAF], fabric)

    assert bench.world.restarted == ["frontend-leaf-01"]


def test_cold_start_is_of_everything_at_the_rails(tmp_path: Path) -> None:
    bench, fabric = bench_of(COLD, tmp_path)
    bench.judged(COLD, CHECKS[COLD], fabric)

    assert set(bench.world.restarted) == {
        "backend-leaf-01", "backend-leaf-02", "gpu-001", "gpu-002", "gpu-003", "gpu-004",
    }  # fmt: skip


def test_no_hours_no_soak(tmp_path: Path) -> None:
    bench, fabric = bench_of(SOAK, tmp_path)
    bench.soak_hours = 0.0

    judge = bench.judged(SOAK, CHECKS[SOAK], fabric)

    assert [(one.state, "--soak-hours" in one.message) for one in judge.results] == [("skipped", True)]


@pytest.mark.parametrize(
    ("answered", "outage"),
    [(range(1, 51), 0.0), ([1, 2, *range(8, 51)], 1.0), (range(1, 41), 2.0), ([], 10.0), (range(6, 51), 1.0)],
)
def test_outage_is_the_longest_stretch_without_an_answer(answered: list[int], outage: float) -> None:
    text = "\n".join(f"64 bytes from 10.0.0.1: icmp_seq={number} ttl=64 time=0.1 ms" for number in answered)

    assert longest_outage_s(text, 10.0) == outage


def test_a_leg_is_brought_up_again_whatever_becomes_of_us() -> None:
    command = pulled_leg("frontend0", 10)[-1]

    assert command.index("--on-active=40 ip link set frontend0 up") < command.index("ip link set frontend0 down")
