"""Incast checks: a leaf that marks in time passes; one that does not, drops, or pauses the wrong thing fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from rackproof import paths
from tests.validation.live_world import Bench, site_world
from validation.suites import test_incast as suite

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CHECKS: Final[dict[str, Callable[..., None]]] = {
    f"incast/{name.removeprefix('test_').replace('_', '-')}": check
    for name, check in vars(suite).items()
    if name.startswith("test_")
}
MARKED: Final = "incast/congestion-is-marked-and-answered"
FAULTS: Final[dict[str, tuple[dict[str, Any], str]]] = {
    MARKED: ({"marks": 0}, "0 packets marked on the way out"),
    "incast/incast-pauses-the-lossless-priority-alone": ({"paused": 5}, "on priority 5"),
    "incast/incast-loses-no-lossless-packet": ({"drops": 1}, "packets dropped in queue 3"),
    "incast/incast-does-not-alarm-the-pfc-watchdog": ({"storms": 2}, "storms found in queue 3"),
}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Four hosts on a leaf."""
    return Bench(site_world(paths.site_file("dell-xe9680-spectrum-x")), tmp_path)


@pytest.mark.parametrize("check", CHECKS)
def test_a_good_leaf_passes(check: str, bench: Bench) -> None:
    assert {result.state for result in bench.judged(check, CHECKS[check]).results} == {"passed"}


@pytest.mark.parametrize("check", [pytest.param(one, marks=pytest.mark.shows_failing(one)) for one in FAULTS])
def test_what_is_wrong_fails_its_check(check: str, bench: Bench) -> None:
    wrong, said = FAULTS[check]
    for name, value in wrong.items():
        setattr(bench.world, name, value)

    failed = [result for result in bench.judged(check, CHECKS[check]).results if result.state == "failed"]

    assert failed
    assert said in failed[0].message


def test_three_hosts_send_to_the_first_of_a_leaf_at_a_time(bench: Bench) -> None:
    bench.judged(MARKED, CHECKS[MARKED])

    sent = [line.split() for line in bench.world.commands if "--bind_source_ip" in line]
    assert {line[-1] for line in sent} == {
        port.address for end, port in bench.world.ports.items() if end.host == "gpu-001" and end.rail in {0, 1}
    }
    assert len(sent) == 6


def test_two_hosts_are_too_few(tmp_path: Path) -> None:
    judge = Bench(site_world(paths.site_file("metrum-h200")), tmp_path).judged(MARKED, CHECKS[MARKED])

    assert [result.state for result in judge.results] == ["skipped"]
    assert "three hosts" in judge.results[0].message


def test_software_marks_nothing_in_a_lab(bench: Bench) -> None:
    bench.world.software, bench.rehearsal, bench.world.marks = True, True, 0

    assert {result.state for result in bench.judged(MARKED, CHECKS[MARKED]).results} == {"skipped"}
