"""RDMA checks: a good site passes, and each thing that may be wrong fails the check that is there for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from rackproof import paths
from rackproof.measure.traffic.pairs import End
from tests.validation.live_world import Bench, site_world
from validation.suites import test_rdma as suite

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from validation.verdict.judge import Judge

ONE: Final = End("gpu-001", 3)
PURE_RAIL: Final = paths.ROOT / "tests/validation/pure_rail.yaml"
CHECKS: Final[dict[str, Callable[..., None]]] = {
    f"rdma/{name.removeprefix('test_').replace('_', '-')}": check
    for name, check in vars(suite).items()
    if name.startswith("test_")
}
CARRIES: Final = "rdma/every-rail-carries-rdma-both-ways"
PARTED: Final = "rdma/parted-rails-do-not-reach-each-other"
FAULTS: Final[dict[str, tuple[dict[str, Any], str]]] = {
    CARRIES: ({"over_tcp": True}, "0 bytes sent as RDMA"),
    "rdma/writes-reach-the-floor": ({"slow": {ONE}}, "at least 192 Gb/s. Actual 97 Gb/s"),
    "rdma/writes-both-ways-at-once-reach-the-floor": ({"slow": {ONE}}, "Actual 194 Gb/s"),
    "rdma/reads-answer-in-time": ({"slow": {ONE}}, "at most 10 us. Actual 40 us"),
    "rdma/writes-from-accelerator-memory-reach-the-floor": ({"slow": {ONE}}, "Actual 97 Gb/s"),
    "rdma/rdma-stays-in-the-lossless-class": ({"queue": 0}, "packets in queue 3"),
    "rdma/rdma-stays-on-its-rail": ({"leaks": {ONE: End("gpu-001", 2)}}, "gpu-001:rail2"),
    "rdma/no-lossless-packet-is-dropped": ({"drops": 2}, "2 packets dropped in queue 3"),
    "rdma/only-the-lossless-priority-is-paused": ({"paused": 0}, "on priority 0"),
    "rdma/the-pfc-watchdog-stays-quiet": ({"storms": 1}, "1 storms found in queue 3"),
    "rdma/joined-rails-reach-each-other": ({"refuses": {ONE, End("gpu-002", 3)}}, "Unable to open socket connection"),
    "rdma/all-rails-at-once-reach-the-bisection": ({"slow": {ONE}}, "Gb/s"),
}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(site_world(paths.site_file("metrum-h200")), tmp_path)


@pytest.fixture
def parted(tmp_path: Path) -> Bench:
    """Rails on switches that nothing joins."""
    return Bench(site_world(PURE_RAIL), tmp_path)


def states(judge: Judge) -> set[str]:
    return {result.state for result in judge.results}


@pytest.mark.parametrize("check", [name for name in CHECKS if name != PARTED])
def test_a_good_site_passes(check: str, bench: Bench) -> None:
    judge = bench.judged(check, CHECKS[check])

    assert states(judge) == {"passed"}, judge.results


@pytest.mark.parametrize("check", [pytest.param(one, marks=pytest.mark.shows_failing(one)) for one in FAULTS])
def test_what_is_wrong_fails_its_check_and_is_named(check: str, bench: Bench) -> None:
    wrong, said = FAULTS[check]
    for name, value in wrong.items():
        setattr(bench.world, name, value)

    judge = bench.judged(check, CHECKS[check])

    failed = [result for result in judge.results if result.state == "failed"]
    assert failed
    assert all(result.remedy for result in failed)
    assert any(said in result.message for result in failed), [result.message for result in failed][:3]
    if "slow" in wrong and check != "rdma/all-rails-at-once-reach-the-bisection":
        assert all(str(ONE) in result.subject for result in failed)
        assert "passed" in states(judge)


@pytest.mark.shows_failing(CARRIES)
def test_a_rail_without_rdma_fails_and_says_what_would_be_used(bench: Bench) -> None:
    bench.world.without_rdma = {ONE}

    judge = bench.judged(CARRIES, CHECKS[CARRIES])

    failed = [result for result in judge.results if result.state == "failed"]
    assert failed
    assert all("runs over TCP" in result.message and result.rail == 3 for result in failed)


def test_a_host_that_is_silent_is_an_error_and_not_a_failure(bench: Bench) -> None:
    bench.world.silent = {"gpu-002"}

    judge = bench.judged(CARRIES, CHECKS[CARRIES])

    assert states(judge) == {"error"}
    assert "gpu-002: no answer in time" in judge.results[0].message


def test_counters_that_nobody_has_are_an_error_on_a_site_and_skipped_in_a_lab(bench: Bench) -> None:
    check = "rdma/the-pfc-watchdog-stays-quiet"
    bench.world.uncounted = True

    assert states(bench.judged(check, CHECKS[check])) == {"error"}
    bench.rehearsal = True
    assert states(bench.judged(check, CHECKS[check])) == {"skipped"}


@pytest.mark.parametrize(
    "check",
    [
        "rdma/writes-reach-the-floor",
        pytest.param("rdma/reads-answer-in-time", marks=pytest.mark.shows_failing("rdma/reads-answer-in-time")),
        "rdma/all-rails-at-once-reach-the-bisection",
    ],
)
def test_speed_of_software_proves_nothing_in_a_lab_and_is_wrong_on_a_site(check: str, bench: Bench) -> None:
    bench.world.software = True

    on_site = bench.judged(check, CHECKS[check])
    bench.rehearsal = True
    in_lab = bench.judged(check, CHECKS[check])

    assert states(on_site) == {"failed"}
    assert states(in_lab) == {"skipped"}


def test_software_still_has_to_pass_the_gate_in_a_lab(bench: Bench) -> None:
    bench.world.software, bench.rehearsal = True, True

    assert states(bench.judged(CARRIES, CHECKS[CARRIES])) == {"passed"}


def test_perftest_without_accelerators_is_said(bench: Bench) -> None:
    bench.world.cuda = False
    check = "rdma/writes-from-accelerator-memory-reach-the-floor"

    judge = bench.judged(check, CHECKS[check])

    assert states(judge) == {"skipped"}
    assert "built without --use_cuda_bus_id" in judge.results[0].message


def test_accelerator_memory_is_that_of_the_nearest(bench: Bench) -> None:
    check = "rdma/writes-from-accelerator-memory-reach-the-floor"
    bench.judged(check, CHECKS[check])

    rail3 = [line for line in bench.world.commands if "--ib-dev rail3" in line]
    assert rail3
    assert all("--use_cuda_bus_id=0000:03:02.0" in line for line in rail3)


def test_marks_and_addresses_are_those_of_the_plan(bench: Bench) -> None:
    bench.judged(CARRIES, CHECKS[CARRIES])

    sent = [line for line in bench.world.commands if "ib_write_bw" in line and "--ib-dev" in line]
    assert all("--gid-index 3" in line and "--tclass 106" in line for line in sent)  # DSCP 26, ECT(0)


def test_counters_are_in_the_results_and_the_log_is_kept(bench: Bench) -> None:
    check = "rdma/no-lossless-packet-is-dropped"
    judge = bench.judged(check, CHECKS[check])

    values = judge.results[0].values
    assert any(name.endswith("class drops 3") and value == "0" for name, value in values.items())
    assert any(name.endswith("cnp sent") for name in values)
    assert "logs/rdma-one-way.txt" in judge.results[0].logs
    assert "$ ib_write_bw --ib-dev" in (bench.folder / "rdma-one-way.txt").read_text("utf-8")


def test_parted_rails_pass_while_nothing_answers(parted: Bench) -> None:
    assert states(parted.judged(PARTED, CHECKS[PARTED])) == {"passed"}


@pytest.mark.shows_failing(PARTED)
def test_parted_rails_that_are_bridged_fail(parted: Bench) -> None:
    parted.world.bridges = True

    assert states(parted.judged(PARTED, CHECKS[PARTED])) == {"failed"}


def test_silence_of_a_rail_that_reaches_nobody_proves_nothing(parted: Bench) -> None:
    parted.world.unreached = {ONE}

    judge = parted.judged(PARTED, CHECKS[PARTED])

    assert states(judge) == {"passed", "error"}
    assert all(result.subject.startswith(str(ONE)) for result in judge.results if result.state == "error")
