"""The provider under the real engine, with devices that are files."""

from __future__ import annotations

import json
import os
import signal
from typing import TYPE_CHECKING

import pytest

from tests.infra import fake_devices
from tests.infra.fake_devices import BASE, TOKEN, Folder
from tests.infra.pulumi_project import (
    NOTHING_EXPECTED_BUT_SOMETHING_FOUND,
    STACK,
    Project,
    python_runtime,
    write_yaml,
)
from tests.infra.waiting import wait_for

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

pytestmark = pytest.mark.engine

PLANTED_PASSWORD = "planted-Pa55word"

PROGRAM = f"""
import json, pathlib, pulumi, signal

signal.signal(signal.SIGINT, signal.SIG_DFL)

class Site(pulumi.ComponentResource):
    def __init__(self):
        super().__init__("rackproof:fabric:Fabric", "backend")

site = Site()
for device, ports in json.loads(pathlib.Path("wanted.json").read_text()).items():
    inputs = {{"device": device, "intent": {{"ports": ports}}}}
    pulumi.CustomResource({TOKEN!r}, device, inputs, pulumi.ResourceOptions(parent=site))
"""


class FileProject(Project):
    """A project whose devices are files."""

    def __init__(self, folder: Path) -> None:
        self.devices = Folder(folder / "devices")
        self.devices.path.mkdir()
        super().__init__(folder, {"FAKE_DEVICES": str(self.devices.path), "FAKE_PASSWORD": PLANTED_PASSWORD})
        plugins = {"providers": [{"name": "rackproof", "path": "provider"}]}
        runtime = python_runtime()
        write_yaml(
            folder / "Pulumi.yaml", {"name": "rackproof", "runtime": runtime, "main": "program", "plugins": plugins}
        )
        write_yaml(folder / "provider" / "PulumiPlugin.yaml", {"runtime": runtime})
        start = f"import runpy\nrunpy.run_path({fake_devices.__file__!r}, run_name='__main__')\n"
        (folder / "provider" / "__main__.py").write_text(start)
        (folder / "program").mkdir()
        (folder / "program" / "__main__.py").write_text(PROGRAM)
        self.run("stack", "init", STACK)
        self.run("config", "set", "--secret", "password", PLANTED_PASSWORD)

    def want(self, **devices: dict[str, int]) -> None:
        (self.folder / "program" / "wanted.json").write_text(json.dumps(devices))
        for device in devices:
            if not self.devices.mark(f"{device}.json").exists():
                self.devices.write(device, dict(BASE))


def read_until(process: subprocess.Popen[str], text: str) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if text in line:
            return
    pytest.fail(f"the engine ended without saying {text!r}")


@pytest.fixture
def project(tmp_path: Path) -> FileProject:
    return FileProject(tmp_path)


def test_second_run_changes_nothing(project: FileProject) -> None:
    project.want(leaf={"a": 9100})

    project.run("preview")
    assert project.devices.read("leaf") == BASE
    project.up()
    project.run("preview", "--expect-no-changes")

    assert project.devices.read("leaf") == {"ports": {"a": 9100}}


def test_preview_shows_the_keys_that_change(project: FileProject) -> None:
    project.want(leaf={"a": 9100, "b": 9100})
    project.up()
    project.want(leaf={"a": 9216, "b": 9100})

    output = project.run("preview", "--diff")

    assert "~ a: 9100 => 9216" in output
    assert "b: 9100" not in output
    assert "port a: 9100 → 9216 (port reset)" in output


def test_change_made_by_hand_is_found_and_put_right(project: FileProject) -> None:
    project.want(leaf={"a": 9100})
    project.up()
    project.devices.write("leaf", {"ports": {"a": 1500}})

    status, _ = project.try_to("refresh", "--preview-only", "--expect-no-changes")
    shown = project.run("refresh", "--preview-only", "--diff")
    project.run("refresh", "--yes", "--skip-preview")
    project.up()

    assert status == NOTHING_EXPECTED_BUT_SOMETHING_FOUND
    assert "~ a: 9100 => 1500" in shown
    assert project.devices.read("leaf") == {"ports": {"a": 9100}}


def test_device_that_is_already_there_is_imported(project: FileProject) -> None:
    project.want()
    project.up()
    project.devices.write("leaf", {"ports": {"a": 1500}})
    parent = f"urn:pulumi:{STACK}::rackproof::rackproof:fabric:Fabric::backend"

    project.run(
        "import", TOKEN, "leaf", "leaf", "--parent", f"backend={parent}", "--yes", "--protect=false",
        "--generate-code=false", "--skip-preview",
    )  # fmt: skip
    project.want(leaf={"a": 1500})

    project.run("preview", "--expect-no-changes")


def test_destroy_leaves_the_base_configuration(project: FileProject) -> None:
    project.want(leaf={"a": 9100})
    project.up()

    project.run("destroy", "--yes", "--skip-preview")

    assert project.devices.read("leaf") == BASE
    assert "resources" not in project.state()["checkpoint"]["latest"]


def test_trouble_on_one_device_is_told_and_the_others_are_finished(project: FileProject) -> None:
    project.want(refusing={"a": 9100}, leaf={"a": 9100})

    status, output = project.try_to("up", "--yes", "--skip-preview", "--continue-on-error")

    assert status != 0
    assert "error: refusing: line 3 was refused" in output
    assert "refusing is now: rolled back" in output
    assert "Traceback" not in output
    assert project.devices.read("leaf") == {"ports": {"a": 9100}}
    assert "pending_operations" not in project.state()["checkpoint"]["latest"]


def test_cancel_finishes_the_device_in_hand(project: FileProject) -> None:
    project.want(slow={"a": 9100})
    os.mkfifo(project.devices.mark("go"))

    with project.start("up", "--yes", "--skip-preview") as process:
        wait_for(project.devices.mark("begun").exists)
        process.send_signal(signal.SIGINT)
        read_until(process, "cancelling")
        project.devices.mark("go").write_bytes(b"go")
        output, _ = process.communicate(timeout=60)

    assert process.returncode != 0
    assert "update canceled" in output
    assert "Traceback" not in output
    assert project.devices.read("slow") == {"ports": {"a": 9100}}
    assert project.resources()["slow"]["id"] == "slow"
    assert "pending_operations" not in project.state()["checkpoint"]["latest"]


def test_hundred_devices_at_once(project: FileProject) -> None:
    """Each device waits until all hundred are in hand, so that one at a time would never end."""
    names = [f"crowd-{number}" for number in range(100)]
    project.want(**{name: {"a": 9100} for name in names})

    project.up()

    assert all(project.devices.read(name) == {"ports": {"a": 9100}} for name in names)


def test_secret_is_nowhere_in_clear(project: FileProject) -> None:
    project.want(leaf={"a": 9100}, refusing={"a": 9100})

    _, shown = project.try_to("up", "--yes", "--diff", "--logtostderr", "-v=3")

    files = [path for path in project.folder.rglob("*") if path.is_file()]
    assert PLANTED_PASSWORD not in shown
    assert files
    assert [path for path in files if PLANTED_PASSWORD.encode() in path.read_bytes()] == []
