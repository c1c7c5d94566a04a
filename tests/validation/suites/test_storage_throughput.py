"""Storage at work: a cluster that keeps up passes; a slow one, and one that gives back something else, fail."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Final

import pytest

from rackproof import paths
from rackproof.measure.traffic import storage_load
from tests.validation.live_world import Bench, site_world
from validation.suites import test_storage_throughput as suite

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CHECKS: Final[dict[str, Callable[..., None]]] = {
    f"storage_throughput/{name.removeprefix('test_').replace('_', '-')}": check
    for name, check in vars(suite).items()
    if name.startswith("test_")
}
SAME: Final = "storage_throughput/data-comes-back-as-written"
FAULTS: Final = {
    SAME: ('{"bytes": 17179869184, "wrote_s": 4.0, "read_s": 3.0, "same": false}', "Actual something else"),
    "storage_throughput/writes-together-reach-the-floor": (
        '{"bytes": 17179869184, "wrote_s": 20.0, "read_s": 3.0, "same": true}',
        "Expected at least 3.75 GB/s. Actual 3.43597 GB/s",
    ),
    "storage_throughput/reads-together-reach-the-floor": (
        '{"bytes": 17179869184, "wrote_s": 4.0, "read_s": 40.0, "same": true}',
        "Actual 1.71799 GB/s",
    ),
}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Four clients."""
    return Bench(site_world(paths.site_file("dell-xe9680-spectrum-x")), tmp_path)


@pytest.mark.parametrize("check", CHECKS)
def test_a_good_cluster_passes(check: str, bench: Bench) -> None:
    results = bench.judged(check, CHECKS[check], "frontend").results

    assert {result.state for result in results} == {"passed"}


@pytest.mark.parametrize("check", [pytest.param(one, marks=pytest.mark.shows_failing(one)) for one in FAULTS])
def test_what_is_wrong_fails_its_check(check: str, bench: Bench) -> None:
    bench.world.stored, said = FAULTS[check]

    results = bench.judged(check, CHECKS[check], "frontend").results

    assert {result.state for result in results} == {"failed"}
    assert said in results[0].message


def test_a_mount_that_cannot_be_written_is_an_error_with_its_reason(bench: Bench) -> None:
    bench.world.stored = ""

    results = bench.judged(SAME, CHECKS[SAME], "frontend").results

    assert {(result.state, result.message) for result in results} == {("error", "writing there: OSError: stale")}


def test_a_lab_proves_the_data_and_not_the_speed(bench: Bench) -> None:
    bench.rehearsal = True

    states = {check: {one.state for one in bench.judged(check, CHECKS[check], "frontend").results} for check in CHECKS}

    assert states == {check: {"passed" if check == SAME else "skipped"} for check in CHECKS}


def test_floor_is_no_more_than_the_links_carry(bench: Bench) -> None:
    floor = storage_load.floor(bench.world.planned.plan, "frontend")

    assert floor.value == 3.75
    assert floor.ceiling is not None
    assert floor.ceiling > floor.value


def test_the_script_writes_and_reads_and_leaves_nothing(tmp_path: Path) -> None:
    command = storage_load.write_read_command(str(tmp_path), rehearsal=True)
    done = subprocess.run([sys.executable, *command[1:]], capture_output=True, text=True, check=True)

    said = json.loads(done.stdout)
    assert (said["same"], said["bytes"]) == (True, storage_load.REHEARSAL_WRITERS * storage_load.REHEARSAL_BYTES)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    command = storage_load.write_read_command(str(tmp_path / "gone"), rehearsal=True)
    done = subprocess.run([sys.executable, *command[1:]], capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert "No such file or directory" in done.stderr.splitlines()[-1]
