"""Resilience checks: a short outage and a device that comes back pass; a long one, and one that stays away, fail."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final

import pytest

from rackproof import paths
from rackproof.connect.errors import UnreachableError
from rackproof.facts.hosts import interfaces, kernel_log, nvidia_smi
from rackproof.measure.counters.host_health import Health
from rackproof.measure.outage.device_outage import longest_outage_s
from rackproof.measure.outage.storage_loss import probe_command
from rackproof.measure.remote.device_control import port_down_command
from tests.validation.live_world import Bench, site_world
from tests.validation.recorded_hosts import Patients
from validation.suites import test_resilience as suite

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

XID: Final = "t gpu-001 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=0, GPU has fallen off the bus."
AER: Final = "t gpu-001 kernel: mlx5_core 0000:1a:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Data"
LEG: Final = "resilience/a-lost-leg-is-not-missed"
LEAF: Final = "resilience/a-lost-leaf-is-not-missed"
SPINE: Final = "resilience/a-lost-spine-is-not-missed"
NODE: Final = "resilience/a-lost-storage-node-is-not-missed"
RAILS: Final = "resilience/rails-stay-well-for-hours"
HOSTS: Final = "resilience/hosts-stay-well-for-hours"
COLD: Final = "resilience/everything-starts-by-itself"
CHECKS: Final[dict[str, Callable[..., None]]] = {
    LEG: suite.test_a_lost_leg_is_not_missed,
    LEAF: suite.test_a_lost_leaf_is_not_missed,
    SPINE: suite.test_a_lost_spine_is_not_missed,
    NODE: suite.test_a_lost_storage_node_is_not_missed,
    RAILS: suite.test_rails_stay_well_for_hours,
    HOSTS: suite.test_hosts_stay_well_for_hours,
}
PAIR: Final = paths.site_file("dell-xe9680-spectrum-x")
WHERE: Final = {
    LEG: (PAIR, "frontend"),
    LEAF: (PAIR, "frontend"),
    SPINE: (paths.ROOT / "lab/sites/clos/site.yaml", "backend"),
    NODE: (PAIR, "frontend"),
    RAILS: (PAIR, "backend"),
    HOSTS: (PAIR, "backend"),
}
NODES: Final = ("scale-001", "scale-002", "scale-003")
OF_GPU: Final = "00000000:3B:00.0, "
FAULTS: Final[list[tuple[str, dict[str, Any], str]]] = [
    (LEG, {"outage_s": 5.0}, "at most 3 s. Actual 5 s"),
    (LEAF, {"outage_s": 5.0}, "at most 3 s. Actual 5 s"),
    (LEAF, {"back_s": None}, "Actual not back"),
    (SPINE, {"outage_s": 8.0}, "at most 3 s. Actual 8 s"),
    (SPINE, {"back_s": 1000.0}, "at most 900 s. Actual 1000 s"),
    (NODE, {"waited": '{"longest_s": 75.5, "answers": 9, "same": true}'}, "at most 60 s. Actual 75.5 s"),
    (NODE, {"waited": '{"longest_s": 0.1, "answers": 9, "same": false}'}, "Actual it read other data"),
    (NODE, {"waited": ""}, "Actual OSError: stale"),
    (NODE, {"stored": ""}, "Expected it writes and reads again. Actual OSError: stale"),
    (NODE, {"back_s": None}, "Actual not back"),
    (RAILS, {"drops": 1}, "drops in queue 3"),
    (HOSTS, {"ill": (interfaces.FILES, "rail0/carrier_down_count:1", "rail0/carrier_down_count:3")},
     "Expected none. Actual rail0: link losses: +2."),
    (HOSTS, {"ill": (interfaces.ADDRESSES, '"errors": 0', '"errors": 4')}, "damaged packets: +4"),
    (HOSTS, {"ill": (interfaces.UPTIME, "86400.51", "61.07")}, "host: restarted"),
    (HOSTS, {"ill": (kernel_log.LOG, "4213 lines", f"{XID}\n4214 lines")}, "Xid (PCI:0000:3b:00): 79"),
    (HOSTS, {"ill": (kernel_log.LOG, "4213 lines", f"{AER}\n4214 lines")}, "severity=Uncorrected"),
    (HOSTS, {"ill": (nvidia_smi.CLOCKS, f"{OF_GPU}0x0000000000000001", f"{OF_GPU}0x0000000000000040")},
     "gpu1: slowed down: too hot (hardware)"),
    (HOSTS, {"ill": (nvidia_smi.ECC, f"{OF_GPU}Enabled, 0, 0", f"{OF_GPU}Enabled, 2, 0")},
     "gpu1: memory errors not corrected: +2"),
]  # fmt: skip


def make_bench(check: str, folder: Path) -> tuple[Bench, str]:
    site, fabric = WHERE[check]
    # A thousandth of a second: one round.
    return Bench(site_world(site), folder, soak_hours=1e-6, reached=NODES), fabric


@pytest.mark.parametrize("check", CHECKS)
def test_a_good_site_passes(check: str, tmp_path: Path) -> None:
    bench, fabric = make_bench(check, tmp_path)

    assert {result.state for result in bench.judged(check, CHECKS[check], fabric).results} == {"passed"}


@pytest.mark.parametrize(
    ("check", "wrong", "said"),
    [pytest.param(*one, marks=pytest.mark.shows_failing(one[0])) for one in FAULTS],
)
def test_what_is_wrong_fails_its_check(check: str, wrong: dict[str, Any], said: str, tmp_path: Path) -> None:
    bench, fabric = make_bench(check, tmp_path)
    for name, value in wrong.items():
        setattr(bench.world, name, set(bench.world.ports) if value == "all" else value)

    failed = [one for one in bench.judged(check, CHECKS[check], fabric).results if one.state == "failed"]

    assert failed
    assert any(said in result.message for result in failed), failed[0].message


def test_each_class_is_pulled_once(tmp_path: Path) -> None:
    bench, fabric = make_bench(LEAF, tmp_path)
    bench.judged(LEAF, CHECKS[LEAF], fabric)

    assert bench.world.restarted == ["frontend-leaf-01"]


@pytest.mark.parametrize("check", [RAILS, HOSTS])
def test_no_hours_no_soak(check: str, tmp_path: Path) -> None:
    bench, fabric = make_bench(check, tmp_path)
    bench.soak_hours = 0.0

    judge = bench.judged(check, CHECKS[check], fabric)

    assert [(one.state, "--soak-hours" in one.message) for one in judge.results] == [("skipped", True)]


def test_a_host_that_is_silent_in_a_soak_is_not_well(tmp_path: Path) -> None:
    bench, fabric = make_bench(HOSTS, tmp_path)
    bench.world.silent = {"gpu-002"}

    judge = bench.judged(HOSTS, CHECKS[HOSTS], fabric)

    assert [one.subject for one in judge.results if one.state == "error"] == ["gpu-002"]


def test_one_look_that_is_missed_is_a_gap_and_no_error() -> None:
    health, lost = Health(frozenset({"rail0"}), accelerators=False), UnreachableError("gpu-001", "no answer")
    good = Patients(site_world(PAIR)).answers("gpu-001")

    for said in (good, lost, good):
        health.add(said)
    assert (health.error, health.readings, health.attempts, health.degradations()) == ("", 2, 3, {})
    health.add(lost)
    assert health.error == lost.message


def test_last_storage_node_that_can_be_reached_is_lost_once(tmp_path: Path) -> None:
    bench, fabric = make_bench(NODE, tmp_path)
    bench.reached = NODES[:2]

    judge = bench.judged(NODE, CHECKS[NODE], fabric)

    assert bench.world.restarted == ["scale-002"]
    assert {one.subject for one in judge.results} == {
        "scale-002",
        *(f"scale-002 lost: gpu-00{number}:/mnt/scale" for number in (1, 3, 4)),
        "scale-002 back: gpu-002:/mnt/scale",
    }


@pytest.mark.parametrize(
    ("reached", "absent", "reason"),
    [
        ((), (), "access.yaml names no node of the cluster"),
        (NODES, NODES[1:], "this lab has one machine for all its nodes"),
    ],
)
def test_storage_node_that_cannot_be_lost_is_skipped(
    reached: tuple[str, ...], absent: tuple[str, ...], reason: str, tmp_path: Path
) -> None:
    bench, fabric = make_bench(NODE, tmp_path)
    bench.reached, bench.absent = reached, frozenset(absent)

    judge = bench.judged(NODE, CHECKS[NODE], fabric)

    assert [(one.state, reason in one.message) for one in judge.results] == [("skipped", True)]
    assert bench.world.restarted == []


def test_what_does_not_answer_is_not_restarted_and_not_told(tmp_path: Path) -> None:
    bench, fabric = make_bench(LEAF, tmp_path)
    bench.world.silent = {"frontend-leaf-01"}

    judge = bench.judged(LEAF, CHECKS[LEAF], fabric)

    assert [(one.state, one.subject) for one in judge.results] == [("error", "frontend-leaf-01")]


def test_the_script_that_keeps_asking_reads_what_it_wrote_and_leaves_nothing(tmp_path: Path) -> None:
    command = probe_command(str(tmp_path), 0.3)
    done = subprocess.run([sys.executable, *command[1:]], capture_output=True, text=True, check=True)

    said = json.loads(done.stdout)
    assert said["same"]
    assert said["answers"] >= 1
    assert 0 < said["longest_s"] < 60
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("answered", "outage"),
    [(range(1, 51), 0.0), ([1, 2, *range(8, 51)], 1.0), (range(1, 41), 2.0), ([], 10.0), (range(6, 51), 1.0)],
)
def test_outage_is_the_longest_stretch_without_an_answer(answered: list[int], outage: float) -> None:
    text = "\n".join(f"64 bytes from 10.0.0.1: icmp_seq={number} ttl=64 time=0.1 ms" for number in answered)

    assert longest_outage_s(text, 10.0) == outage


def test_a_leg_is_brought_up_again_whatever_becomes_of_us() -> None:
    command = port_down_command("frontend0", 10)[-1]

    assert command.index("--on-active=40 ip link set frontend0 up") < command.index("ip link set frontend0 down")
