"""Switches that run an export format: rendered, named by every verb, and never connected to."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml12

from lab.errors import LabError
from rackproof import paths
from rackproof.cli.app import run
from rackproof.cli.lab.start import refuse_export_only
from rackproof.cli.output import ExitStatus
from rackproof.connect.credentials import Credential
from rackproof.connect.ssh import Target
from rackproof.deploy.switch.build_steps import selected, switch_orders
from rackproof.hardware.load import Catalogue
from rackproof.plan.from_file import plan_site
from rackproof.site.access import DeviceAccess
from validation.runner.options import RunOptions
from validation.runner.session_setup import input_hashes, prepare_run
from validation.verdict.run_folder import RunFolder

if TYPE_CHECKING:
    from rackproof.plan.model.plan import Plan

WHY: Final = Catalogue().nos("sonic").export_only
BACKEND: Final = f"export only: backend: SONiC (community): {WHY}"


@pytest.fixture(autouse=True)
def _wide_build_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "BUILD", tmp_path / "build")
    monkeypatch.setenv("COLUMNS", "400")


def site_file(folder: Path, **nos_by_fabric: str) -> str:
    """Write a small site, with the NOS of each fabric as named and Enterprise SONiC elsewhere; return its path."""
    switches = {"backend": "dell-z9864f-on", "frontend": "dell-s5232f-on", "oob": "dell-s3248t-on"}
    fabrics = {
        name: {
            "topology": "single-switch",
            "switch": switch,
            "nos": nos_by_fabric.get(name, "enterprise-sonic"),
            "prefix": f"10.{number}0.0.0/16",
        }
        for number, (name, switch) in enumerate(switches.items(), start=1)
    }
    site = {
        "site": "exported",
        "release": "metrum-2025",
        "racks": [{"name": "r1", "model": "apc-ar3350", "pdus": {"model": "apc-apdu10450sw", "count": 4}}],
        "servers": [
            {
                "group": "gpu",
                "model": "dell-xe9680-h200",
                "nics": {"backend": "broadcom-bcm57608-2x200g", "frontend": "broadcom-bcm57414-2x25g"},
                "count": 2,
                "rack": "r1",
            }
        ],
        "fabrics": fabrics,
    }
    file = folder / "site.yaml"
    file.write_text(yaml12.format_yaml(site), encoding="utf-8")
    return str(file)


def all_exported(folder: Path) -> str:
    return site_file(folder, backend="sonic", frontend="sonic", oob="sonic")


def no_devices(folder: Path) -> str:
    file = folder / "access.yaml"
    file.write_text("devices: {}\n", encoding="utf-8")
    return str(file)


def plan_with_exported_backend(folder: Path) -> Plan:
    return plan_site(Path(site_file(folder, backend="sonic"))).plan


def words(text: str) -> str:
    """Return what was printed, however the lines were broken."""
    return " ".join(text.split())


@pytest.mark.parametrize("verb", ["check", "plan", "render"])
def test_verbs_of_the_site_file_name_each_fabric(verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--output", str(tmp_path / "out")] if verb == "render" else []

    assert run([verb, site_file(tmp_path, backend="sonic"), *options]) == ExitStatus.DONE

    printed = capsys.readouterr().err
    assert BACKEND in words(printed)
    assert printed.count("export only:") == 1


def test_the_configuration_is_rendered_all_the_same(tmp_path: Path) -> None:
    run(["render", site_file(tmp_path, backend="sonic"), "--output", str(tmp_path / "out")])

    document = json.loads((tmp_path / "out/configs/backend-leaf-01.json").read_text(encoding="utf-8"))
    assert document["DEVICE_METADATA"]["localhost"]["hostname"] == "backend-leaf-01"


@pytest.mark.parametrize("verb", [["diff"], ["up", "--yes"]])
def test_deploying_verbs_report_switches_as_export_only(
    verb: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [*verb, all_exported(tmp_path), "--access", no_devices(tmp_path)]

    assert run(arguments) == ExitStatus.DONE
    printed = capsys.readouterr().out
    assert run([*arguments, "--json"]) == ExitStatus.DONE
    document: Any = json.loads(capsys.readouterr().out)

    names = ["backend-leaf-01", "frontend-leaf-01", "oob-leaf-01"]
    assert [line for line in printed.splitlines() if "export only, not compared" in line] == [
        f"{name}: export only, not compared" for name in names
    ]
    assert "without changes" not in printed
    assert document["devices"] == []
    assert document["export_only"] == names


@pytest.mark.parametrize("verb", ["diff", "up", "trust", "validate"])
@pytest.mark.parametrize("name", ["backend", "backend-leaf-01"])
def test_choosing_such_a_switch_is_refused(
    verb: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [verb, site_file(tmp_path, backend="sonic"), "--access", no_devices(tmp_path), "--only", name]

    assert run(arguments) == ExitStatus.BAD_INPUT

    printed = words(capsys.readouterr().err)
    assert f"{name} is export only: Rackproof writes its configuration and does not deploy it" in printed


def test_the_rest_of_the_site_is_deployed(tmp_path: Path) -> None:
    plan = plan_with_exported_backend(tmp_path).without_export_only()
    access = DeviceAccess(host="192.0.2.1", user="admin")
    targets = {name: Target(name, access, Credential) for name in plan.switches}

    assert selected(plan, ()) == ("frontend-leaf-01", "oob-leaf-01")
    assert [order.target.device for order in switch_orders(plan, targets)] == ["frontend-leaf-01", "oob-leaf-01"]


def test_discovery_still_asks_servers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["discover", site_file(tmp_path, backend="sonic"), "--access", no_devices(tmp_path)]) == 3

    printed = words(capsys.readouterr().err)
    assert BACKEND in printed
    assert "does not say how any server of exported is reached" in printed


def test_the_lab_says_why_it_cannot_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lab", "up", site_file(tmp_path, backend="sonic"), "--hosts", "0"]) != ExitStatus.DONE

    printed = words(capsys.readouterr().err)
    assert "the lab has no switch that runs sonic, which is export only: backend-leaf-01" in printed
    assert not (tmp_path / "build/exported/lab").exists()


def test_a_lab_of_other_switches_is_not_refused(tmp_path: Path) -> None:
    refuse_export_only(plan_site(Path(site_file(tmp_path))).plan)

    with pytest.raises(LabError, match="no switch that runs sonic"):
        refuse_export_only(plan_with_exported_backend(tmp_path))


def test_validation_leaves_them_out_and_holds_the_run_to_the_whole_plan(tmp_path: Path) -> None:
    file = site_file(tmp_path, backend="sonic")
    run(["render", file, "--output", str(tmp_path / "out")])
    asked = RunOptions(file, Path(no_devices(tmp_path)), (), False, False, 0.0, False, None, False, None)  # noqa: FBT003 a record

    prepared = prepare_run(asked, RunFolder(tmp_path / "run"))

    assert "backend-leaf-01" not in prepared.devices
    assert {"frontend-leaf-01", "oob-leaf-01", "gpu-001"} <= set(prepared.devices)
    assert prepared.site.plan.intents().keys() == {"frontend-leaf-01", "oob-leaf-01"}
    rendered = hashlib.sha256((tmp_path / "out/plan.json").read_bytes()).hexdigest()
    assert input_hashes(prepared)["plan.json"] == rendered
