"""BIOS settings of hosts: compared over Redfish while the host is looked at, brought about, and no secret kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from lab.hosts.redfish.controller import SETTINGS, Controller
from lab.hosts.redfish.server import RedfishServer
from rackproof.connect.access import LoadedAccess
from rackproof.deploy.nodes.firmware_settings import left_alone
from rackproof.deploy.protocol import Outcome
from rackproof.paths import ROLES
from rackproof.plan.from_file import plan_site
from rackproof.site.access import Access, CredentialReference, DeviceAccess
from rackproof.site.load import find_site
from tests.deploy.nodes.conftest import ONE, OPTIONS, TWO

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.deploy.nodes.conftest import HostBench

PASSWORD: Final = "calvin-of-the-lab"
PLAYBOOK: Final = """
- name: Bring up nodes
  hosts: servers
  gather_facts: false
  roles: [server_settings, probe]
"""
PROFILE: Final = "BIOS SysProfile: PerfPerWattOptimizedDapc → PerfOptimized (reboot)"


@pytest.fixture
def controller() -> Controller:
    return Controller(ONE, "rackproof", PASSWORD)


@pytest.fixture
def server(bench: HostBench, controller: Controller, monkeypatch: pytest.MonkeyPatch) -> Iterator[RedfishServer]:
    """The controller of the first host, which is the only one."""
    bench.stop(TWO)
    del bench.hosts[TWO]
    bench.variables[ONE]["server_settings_bios"] = {"SysProfile": "PerfOptimized", "ProcVirtualization": "Enabled"}
    secret = bench.folder / "bmc-password"
    secret.touch(mode=0o600)
    secret.write_text(f"{PASSWORD}\n")
    (bench.folder / "nodes.yml").write_text(PLAYBOOK)
    monkeypatch.setenv("ANSIBLE_ROLES_PATH", f"{bench.folder / 'roles'}:{ROLES}")
    # The task that asks for a restart writes into /run of the host, which here is the machine that tests.
    monkeypatch.setenv("ANSIBLE_SKIP_TAGS", "server_settings_restart")
    with RedfishServer(controller, bench.folder) as server:
        bench.controllers[f"{ONE}-bmc"] = DeviceAccess(
            host="127.0.0.1",
            port=server.port,
            user="rackproof",
            password=CredentialReference(file=secret.name),
            certificates=server.certificate.name,
        )
        yield server


def told(bench: HostBench) -> list[str]:
    """What differs in the BIOS."""
    return [text for change in bench.compared()[ONE].changes if (text := str(change)).startswith("BIOS")]


def held_with(secret: str, folder: Path) -> set[str]:
    """Names of the files of a folder that hold a secret."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix() for path in files if secret.encode() in path.read_bytes()}


def command_lines() -> str:
    """The command lines of everything that runs."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(path.read_text("utf-8", "replace"))
        except OSError:  # it has ended meanwhile
            continue
    return "\n".join(found)


@pytest.mark.usefixtures("server")
def test_the_bios_is_set_and_then_nothing_differs(bench: HostBench, controller: Controller) -> None:
    kept: set[str] = set()

    def restarted() -> None:
        on_disk, in_memory = bench.left_behind()
        assert held_with(PASSWORD, on_disk) == set()
        kept.update(held_with(PASSWORD, in_memory))
        assert PASSWORD not in command_lines()
        controller.restart()

    bench.when[f"{ONE}: probe : Say that it began"] = restarted
    before = told(bench)
    done = bench.up()[ONE]

    assert before == [PROFILE]
    assert done.outcome is Outcome.CHANGED, done
    assert "server_settings : Set BIOS attributes" in done.applied.commands
    assert controller.bios["SysProfile"] == "PerfOptimized"
    assert kept == {"controller-0"}
    assert PASSWORD not in repr((done, bench.events))
    assert bench.left_behind() == []
    assert bench.up()[ONE].outcome is Outcome.UNCHANGED


@pytest.mark.usefixtures("server")
def test_a_controller_that_refuses_us_is_told_before_and_after(bench: HostBench) -> None:
    bench.controllers[f"{ONE}-bmc"] = bench.controllers[f"{ONE}-bmc"].model_copy(update={"user": "nobody"})

    (before,) = told(bench)
    done = bench.up()[ONE]

    assert "BIOS settings: could not be read: gpu-001-bmc: 127.0.0.1:" in before
    assert "refuses user nobody, or the password" in before
    assert done.outcome is Outcome.UNTOUCHED
    assert "server_settings : Check the response of the management controller" in done.text
    assert "its entry <server>-bmc of access.yaml; then `rackproof up site-a --only gpu-001`" in done.hint


def test_what_waits_for_a_restart_is_told_as_such(
    bench: HostBench, server: RedfishServer, controller: Controller
) -> None:
    wanted = {"Attributes": {"SysProfile": "PerfOptimized"}}
    controller.request("PATCH", SETTINGS, wanted, "", ("rackproof", PASSWORD))
    waiting = told(bench)
    server.close()

    assert waiting == ["BIOS SysProfile: waits for a restart, PerfPerWattOptimizedDapc → PerfOptimized (reboot)"]
    assert ["does not answer: " in text for text in told(bench)] == [True]


@pytest.mark.usefixtures("server")
def test_nobody_is_asked_where_nothing_is_said_or_planned(bench: HostBench) -> None:
    del bench.variables[ONE]["server_settings_bios"]
    unplanned = told(bench)
    bench.variables[ONE]["server_settings_bios"] = {"SysProfile": "PerfOptimized"}
    bench.controllers.clear()

    assert (unplanned, told(bench)) == ([], [])
    assert all(step.task.controller is None for step in bench.steps(OPTIONS).values())


def test_it_is_said_whose_bios_is_left_alone() -> None:
    site = plan_site(find_site("metrum-h200"))
    reached = DeviceAccess(host="192.0.2.1", user="rackproof")
    known = Access(devices={ONE: reached, TWO: reached, f"{ONE}-bmc": reached})

    def said(devices: Access) -> str:
        return left_alone(site, (ONE, TWO), LoadedAccess(devices, Path("inventory/metrum-h200/access.yaml")))

    assert said(known) == (
        "gpu-002: the BIOS is neither read nor changed, because access.yaml does not say how the management "
        "controller is reached (`gpu-002-bmc`)"
    )
    assert said(Access(devices={**known.devices, f"{TWO}-bmc": reached})) == ""
