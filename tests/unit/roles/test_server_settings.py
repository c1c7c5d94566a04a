"""BIOS settings reach a management controller once, take effect at its restart, and what is wrong with it is told."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from lab.hosts.redfish.controller import Controller
from lab.hosts.redfish.server import RedfishServer
from rackproof.paths import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PASSWORD = "calvin-of-the-lab"
PLAYBOOK = """
- {hosts: all, gather_facts: false, roles: [server_settings]}
"""


@pytest.fixture
def controller() -> Controller:
    return Controller("gpu-001", "rackproof", PASSWORD)


@pytest.fixture
def server(controller: Controller, tmp_path: Path) -> Iterator[RedfishServer]:
    with RedfishServer(controller, tmp_path) as server:
        yield server


def play(
    server: RedfishServer,
    folder: Path,
    *options: str,
    hosts: dict[str, dict[str, object]] | None = None,
    variables: dict[str, object] | None = None,
) -> str:
    playbook, inventory = folder / "play.yml", folder / "hosts.json"
    playbook.write_text(PLAYBOOK)
    known: dict[str, Any] = {
        "server_settings_bmc_address": "127.0.0.1",
        "server_settings_bmc_port": server.port,
        "server_settings_bmc_user": "rackproof",
        "server_settings_bmc_password": "{{ lookup('ansible.builtin.env', 'BMC_PASSWORD', default=undef()) }}",
        "server_settings_bmc_ca": str(server.certificate),
        "server_settings_bios": {"SysProfile": "PerfOptimized", "SriovGlobalEnable": "Enabled"},
        "ansible_become": False,
        "ansible_connection": "local",
        **(variables or {}),
    }
    inventory.write_text(json.dumps({"all": {"hosts": hosts or {"gpu-001": {}}, "vars": known}}))
    ansible = str(ROOT / ".venv" / "bin" / "ansible-playbook")
    # The task that asks for a restart writes into /run of the server, which here is the machine that tests.
    command = [ansible, "-i", str(inventory), "--skip-tags", "server_settings_restart", str(playbook)]
    finished = subprocess.run(
        [*command, *options],
        env=os.environ | {"ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "BMC_PASSWORD": PASSWORD},
        capture_output=True,
        text=True,
        check=False,
    )
    assert PASSWORD not in finished.stdout + finished.stderr
    return finished.stdout


def test_settings_wait_for_a_restart_and_are_set_once(
    controller: Controller, server: RedfishServer, tmp_path: Path
) -> None:
    wanted: dict[str, object] = {"server_settings_idrac": {"NTPConfigGroup.1.NTPEnable": "Enabled"}}

    foretold = play(server, tmp_path, "--check", variables=wanted)
    assert controller.attributes["NTPConfigGroup.1.NTPEnable"] == "Disabled"
    first = play(server, tmp_path, variables=wanted)
    assert controller.bios["SysProfile"] == "PerfPerWattOptimizedDapc"
    controller.restart()
    second = play(server, tmp_path, variables=wanted)

    assert "changed=2" in foretold, foretold
    assert "changed=2" in first, first
    assert "changed=0" in second, second
    assert "failed=0" in second
    assert (controller.bios["SysProfile"], controller.bios["SriovGlobalEnable"]) == ("PerfOptimized", "Enabled")


def test_what_is_wrong_is_told_and_changes_nothing(
    controller: Controller, server: RedfishServer, tmp_path: Path
) -> None:
    before = dict(controller.bios)
    hosts: dict[str, dict[str, object]] = {
        "unknown": {"server_settings_bios": {"SysProfile": "PerfOptimized", "Turbo": "On"}},
        "value": {"server_settings_bios": {"SubNumaCluster": "8-Way"}},
        "away": {"server_settings_bmc_port": 1},
        "login": {"server_settings_bmc_user": "somebody"},
    }

    said = " ".join(play(server, tmp_path, hosts=hosts).split())
    controller.restart()

    assert "BIOS of unknown: it has no setting Turbo. Nothing was changed" in said
    assert "BIOS of value: SubNumaCluster accepts Disabled, 2-Way, 4-Way, not 8-Way. Nothing was changed" in said
    assert "cannot read the BIOS settings from the management controller of away at 127.0.0.1:1: " in said
    assert "Check its cable, its address and its certificate; nothing was changed" in said
    assert "It refuses the user or the password; nothing was changed" in said
    assert controller.bios == before


def test_the_double_refuses_what_a_controller_refuses(controller: Controller) -> None:
    login = ("rackproof", PASSWORD)
    settings = "/redfish/v1/Systems/System.Embedded.1/Bios/Settings"
    wanted = {"Attributes": {"SysProfile": "PerfOptimized"}, "@Redfish.SettingsApplyTime": {"ApplyTime": "Immediate"}}

    def patch(**attributes: object) -> int:
        return controller.request("PATCH", settings, {"Attributes": attributes}, "", login).status

    assert controller.request("GET", settings, {}, "", ("rackproof", "wrong")).status == 401
    assert controller.request("GET", f"{settings}/nowhere", {}, "", login).status == 404
    assert controller.request("PATCH", settings, wanted, "", login).status == 400
    assert patch(NoSuchSetting="Enabled") == 400
    assert patch(SystemBiosVersion="9.9.9") == 400
    assert patch(AcPwrRcvryUserDelay=3) == 400
    assert patch(AcPwrRcvryUserDelay=180) == 200
    assert controller.bios["AcPwrRcvryUserDelay"] == 120
