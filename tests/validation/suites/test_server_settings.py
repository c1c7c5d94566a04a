"""BIOS and management controllers: gathered over Redfish from the lab's double, played back, and each fault named."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import pytest

from lab.hosts.redfish.controller import SETTINGS, Controller, error
from lab.hosts.redfish.server import RedfishServer
from rackproof.connect.access import LoadedAccess
from rackproof.releases.models import Component
from rackproof.site.access import Access, CredentialReference, DeviceAccess
from tests.validation.recorded import judged, not_passed, recorded_server, server_checks
from validation.expected.subjects import Server, SiteUnderTest
from validation.runner.gathering import gather
from validation.runner.options import RunOptions
from validation.runner.session_setup import PreparedRun
from validation.suites import test_server_settings
from validation.verdict.evidence import replay_evidence, site_evidence
from validation.verdict.judge import Rules
from validation.verdict.run_folder import RunFolder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SITE: Final = "metrum-h200"
NAME: Final = "gpu-001"
PASSWORD: Final = "calvin-of-the-lab"
PLANNED: Final = {"SysProfile": "PerfOptimized", "ProcVirtualization": "Enabled", "SriovGlobalEnable": "Enabled"}
SUITES: Final = [test_server_settings]
SET: Final = "server_settings/bios-is-set-as-planned"
WAITS: Final = "server_settings/no-bios-setting-waits-for-a-restart"
FIRMWARE: Final = "server_settings/management-controller-runs-the-firmware-of-the-release"


@dataclass
class Bench:
    """A server of a site, its management controller, and how that is reached."""

    folder: Path
    controller: Controller
    service: RedfishServer
    site: SiteUnderTest
    entry: DeviceAccess | None

    def gathered(self, replay: Path | None = None) -> Server:
        """The server after everything was gathered, or played back."""
        devices = {f"{NAME}-bmc": self.entry} if self.entry else {}
        self.site = replace(
            self.site,
            access=LoadedAccess(Access(devices=devices), self.folder / "access.yaml"),
            evidence=replay_evidence() if replay else site_evidence(),
        )
        asked = RunOptions(
            site=SITE,
            access=None,
            only=(),
            failed=False,
            disruptive=False,
            soak_hours=0.0,
            cold_start=False,
            replay=replay,
            calibrate=False,
            events=None,
        )
        gather(PreparedRun(asked, self.site, Rules(), (NAME,), {}), lambda *_: None)
        return Server(NAME, self.site, lambda *_: None)

    def told(self) -> dict[str, list[str]]:
        """Check to what is not well, after gathering."""
        return not_passed(SUITES, self.gathered())


@pytest.fixture(name="bench")
def _bench(tmp_path: Path) -> Iterator[Bench]:
    """All is as planned."""
    controller = Controller(NAME, "rackproof", PASSWORD)
    controller.bios |= PLANNED
    secret = tmp_path / "password"
    secret.touch(mode=0o600)
    secret.write_text(PASSWORD)
    with RedfishServer(controller, tmp_path) as service:
        entry = DeviceAccess(
            host="127.0.0.1",
            port=service.port,
            user="rackproof",
            password=CredentialReference(file=secret.name),
            certificates=service.certificate.name,
        )
        yield Bench(tmp_path, controller, service, recorded_server(tmp_path / "run", {}, site=SITE).site, entry)


def wait(controller: Controller, **attributes: object) -> None:
    """Have the BIOS take values at its next restart."""
    controller.request("PATCH", SETTINGS, {"Attributes": attributes}, "", ("rackproof", PASSWORD))


def test_a_server_as_planned_passes_and_its_recording_too(bench: Bench) -> None:
    server = bench.gathered()
    states = {one.check_id: one.state for check in server_checks(test_server_settings) for one in judged(check, server)}
    kept = server.site.run.path / "facts" / f"{NAME}-bmc.json"
    first, again = bench.folder / "first", RunFolder(bench.folder / "again")
    shutil.copytree(server.site.run.path, first)
    (again.path / "facts").mkdir(parents=True)
    bench.service.close()
    bench.site = replace(bench.site, run=again)

    assert states == dict.fromkeys((SET, WAITS, FIRMWARE), "passed")
    assert PASSWORD not in kept.read_text("utf-8")
    assert not_passed(SUITES, bench.gathered(replay=first)) == {}
    assert again.was_asked(f"{NAME}-bmc")


@pytest.mark.shows_failing(SET)
def test_a_bios_that_was_set_up_by_hand_is_named(bench: Bench) -> None:
    bench.controller.bios["SysProfile"] = "PerfPerWattOptimizedDapc"

    assert bench.told() == {
        SET: ["failed gpu-001:SysProfile: Expected PerfOptimized. Actual PerfPerWattOptimizedDapc."]
    }


@pytest.mark.shows_failing(SET)
def test_a_setting_that_a_bios_has_not_is_named(bench: Bench) -> None:
    del bench.controller.bios["SriovGlobalEnable"]

    assert bench.told() == {
        SET: ["failed gpu-001:SriovGlobalEnable: Expected Enabled. Actual not reported by this BIOS."]
    }


@pytest.mark.shows_failing(SET, WAITS)
def test_a_setting_that_waits_for_a_restart_is_told(bench: Bench) -> None:
    bench.controller.bios["SysProfile"] = "PerfPerWattOptimizedDapc"
    wait(bench.controller, SysProfile="PerfOptimized", LogicalProc="Enabled")

    server = bench.gathered()
    (profile,) = [one for one in judged(test_server_settings.test_bios_is_set_as_planned, server) if one.message]

    assert not_passed(SUITES, server)[WAITS] == [
        "failed gpu-001:waiting: Expected none. Actual SysProfile PerfPerWattOptimizedDapc → PerfOptimized."
    ]
    assert profile.values == {"at the next restart": "PerfOptimized"}


@pytest.mark.shows_failing(FIRMWARE)
def test_firmware_that_the_release_has_not_is_named(bench: Bench) -> None:
    sources = bench.site.sources
    level = Component(version="7.20.60.50", source="a table of a test")
    release = sources.release.model_copy(update={"components": {**sources.release.components, "idrac9": level}})
    bench.site = replace(bench.site, sources=replace(sources, release=release), _intents={})

    assert bench.told() == {FIRMWARE: ["failed gpu-001:iDRAC9: Expected 7.20.60.50. Actual 7.10.50.00."]}


@pytest.mark.shows_failing(SET, WAITS, FIRMWARE)
def test_a_controller_that_does_not_answer_is_an_error(bench: Bench) -> None:
    bench.service.close()

    found = bench.told()

    assert list(found) == [SET, WAITS, FIRMWARE]
    assert all("error gpu-001: gpu-001-bmc did not answer: " in lines[0] for lines in found.values())


@pytest.mark.shows_failing(SET, WAITS, FIRMWARE)
def test_a_controller_that_does_not_say_is_an_error(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench.controller, "_get", lambda path, _body: error(404, f"{path} was not found"))

    found = bench.told()

    assert [lines[0].partition(" failed: ")[2] for lines in found.values()] == [
        "status 404 /redfish/v1/Systems/System.Embedded.1/Bios was not found",
        "status 404 /redfish/v1/Systems/System.Embedded.1/Bios was not found",
        "status 404 /redfish/v1/Managers/iDRAC.Embedded.1 was not found",
    ]


def test_a_controller_that_nobody_says_how_to_reach_is_skipped(bench: Bench) -> None:
    bench.entry = None
    skipped = "skipped gpu-001: its management controller was not read: "

    by_access = bench.told()
    played_back = not_passed(SUITES, bench.gathered(replay=bench.folder / "nothing"))

    assert by_access.keys() == played_back.keys() == {SET, WAITS, FIRMWARE}
    reason = f"{skipped}access.yaml has no entry gpu-001-bmc"
    assert all(lines == [reason] for lines in by_access.values())
    assert all(lines == [f"{skipped}no recording exists"] for lines in played_back.values())
