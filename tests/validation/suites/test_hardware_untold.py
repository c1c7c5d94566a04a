"""Inventory, PCIe and GPU health where a server does not say, is a lab's, or has other accelerators."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest

from rackproof.facts.fact import Answer
from rackproof.facts.hosts import disks, gpus, kernel_log, nvidia_smi
from rackproof.site.as_built import AsBuilt
from tests.validation.recorded import changed, judged, not_passed, recorded, recorded_server, with_firmware
from validation.suites import test_gpu, test_inventory, test_pcie
from validation.verdict.judge import Judge, Rules

if TYPE_CHECKING:
    from pathlib import Path

SITE: Final = "dell-xe9680-spectrum-x"
SUITES: Final = [test_inventory, test_pcie, test_gpu]
GOOD: Final = recorded("xe9680-h200.json")


def test_what_hangs_is_an_error_and_no_failure(tmp_path: Path) -> None:
    ended = "ended: it did not end by itself within 20 s"
    hung = {command: Answer("", None, ended) for command in nvidia_smi.COMMANDS}

    found = not_passed(SUITES, recorded_server(tmp_path, {**GOOD, **hung}, site=SITE))

    said = [line for check in found.values() for line in check]
    assert set(found) > {"inventory/gpus-are-all-there", "gpu/nvlinks-are-up", "pcie/adapters-are-next-to-their-gpus"}
    assert all(line.startswith("error gpu-001: ") and f"was {ended}" in line for line in said)


@pytest.mark.parametrize(
    ("command", "check"),
    [
        (nvidia_smi.ECC, "gpu/error-correction-is-on"),
        (nvidia_smi.REMAPPED, "gpu/memory-needs-no-repair"),
        (nvidia_smi.CLOCKS, "gpu/clocks-are-free"),
        (nvidia_smi.NVLINKS, "gpu/nvlinks-are-up"),
        (nvidia_smi.FABRIC, "gpu/gpus-have-joined-the-nvswitches"),
        (kernel_log.LOG, "gpu/driver-reported-no-fault"),
        (disks.ROOM, "inventory/disks-have-room"),
    ],
)
def test_what_a_tool_does_not_know_is_an_error(command: str, check: str, tmp_path: Path) -> None:
    refused = Answer('Field "x" is not a valid field to query.\n', 2)

    found = not_passed(SUITES, recorded_server(tmp_path, {**GOOD, command: refused}, site=SITE))

    assert all(line.startswith("error gpu-001: ") for said in found.values() for line in said)
    assert "is not a valid field to query" in found[check][0]


def test_an_older_driver_is_asked_in_its_words(tmp_path: Path) -> None:
    hot = GOOD[nvidia_smi.CLOCKS].output.replace("0x0000000000000001", "0x0000000000000020", 1)
    refused = Answer('Field "clocks_event_reasons.active" is not a valid field to query.\n', 2)
    older = {**GOOD, nvidia_smi.CLOCKS: refused, nvidia_smi.OLDER_CLOCKS: Answer(hot, 0)}

    assert not_passed(SUITES, recorded_server(tmp_path, older, site=SITE)) == {
        "gpu/clocks-are-free": ["failed gpu-001:gpu0:slowed: Expected none. Actual too hot (driver)."]
    }


def test_a_log_that_nobody_kept_proves_nothing(tmp_path: Path) -> None:
    found = not_passed(SUITES, recorded_server(tmp_path, {**GOOD, kernel_log.LOG: Answer("0 lines\n", 0)}, site=SITE))

    assert set(found) == {"gpu/driver-reported-no-fault", "pcie/kernel-saw-no-slow-or-broken-link"}
    assert found["gpu/driver-reported-no-fault"] == ["error gpu-001: the kernel's log cannot be read"]


def test_a_machine_of_a_lab_skips_what_it_has_not(tmp_path: Path) -> None:
    lab = with_firmware(GOOD, b"PowerEdge XE9680", b"PowerEdge XE9680 (Rackproof lab)")

    found = not_passed(SUITES, recorded_server(tmp_path, lab, site=SITE))

    assert "inventory/memory-is-all-there" in found
    assert not {"inventory/server-is-the-planned-model", "inventory/disks-have-room"} & set(found)
    assert all(
        "skipped gpu-001: the lab runs a virtual machine instead of the server" in said[0] for said in found.values()
    )


def test_a_server_that_was_never_discovered_is_an_error(tmp_path: Path) -> None:
    found = not_passed(SUITES, recorded_server(tmp_path, GOOD, site=SITE, as_built=AsBuilt()))

    assert found["inventory/server-is-the-one-recorded"] == ["error gpu-001: no serial number is recorded"]
    assert "error gpu-001:rail0: no PCI address is recorded" in found["inventory/adapters-are-those-recorded"]


@pytest.mark.shows_failing("inventory/servers-of-a-model-have-one-bios")
def test_a_bios_unlike_the_others_is_told(tmp_path: Path) -> None:
    site = recorded_server(tmp_path, GOOD, site="metrum-h200").site
    site.run.write_answers("gpu-002", with_firmware(GOOD, b"2.5.4", b"2.4.4"))
    judge = Judge("inventory/servers-of-a-model-have-one-bios", rules=Rules(devices={"gpu-001", "gpu-002"}))

    test_inventory.test_servers_of_a_model_have_one_bios(site, judge)

    assert [(one.subject, one.state, one.message) for one in judge.results] == [
        ("gpu-001", "passed", ""),
        ("gpu-002", "failed", "Expected 2.5.4. Actual 2.4.4."),
    ]


CARDS: Final = {
    f"card{number}": {
        "Card Series": "AMD Instinct MI300X",
        "PCI Bus": f"0000:{bus}:00.0",
        "Serial Number": f"69242600{number}",
        "GUID": str(28000 + number),
        "VBIOS version": "113-M3000100-102",
        "VRAM Total Memory (B)": str(196592 * 2**20),
    }
    for number, bus in enumerate(("1B", "3D", "4E", "5F", "9D", "BD", "CD", "DD"))
}
AMD: Final = {
    **{command: Answer("", 127, "sh: nvidia-smi: not found") for command in (*nvidia_smi.COMMANDS, gpus.MANAGER)},
    gpus.ROCM: Answer(json.dumps(CARDS), 0),
    gpus.ROCM_VERSION: Answer("6.3.0-39\n", 0),
    gpus.RAS: Answer("".join(f"/sys/class/drm/card{n + 1}/device/ras/umc_err_count:ue: 0\n" for n in range(8)), 0),
}
"""Written after ROCm's manual (rocm-smi --json) and the kernel's (amdgpu, RAS); card 0 is the console's."""


@pytest.mark.shows_failing("gpu/memory-has-no-uncorrected-errors")
def test_accelerators_of_amd_are_judged(tmp_path: Path) -> None:
    checks = [test_inventory.test_gpus_are_all_there, test_gpu.test_memory_has_no_uncorrected_errors]
    bad = changed(AMD, gpus.RAS, "card3/device/ras/umc_err_count:ue: 0", "card3/device/ras/umc_err_count:ue: 4")
    good_server = recorded_server(tmp_path / "good", {**GOOD, **AMD}, site="metrum-mi300x", as_built=AsBuilt())
    bad_server = recorded_server(tmp_path / "bad", {**GOOD, **bad}, site="metrum-mi300x", as_built=AsBuilt())

    assert {one.state for check in checks for one in judged(check, good_server)} == {"passed"}
    assert [one.subject for one in judged(checks[1], bad_server) if one.state == "failed"] == ["gpu-001:gpu2"]
