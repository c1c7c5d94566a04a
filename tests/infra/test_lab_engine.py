"""The whole way under the real engine: the project's own program and provider, and a site's lab switches."""

from __future__ import annotations

import json
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from tests.infra.lab_site import SiteWithLab, site_with_lab
from tests.infra.pulumi_project import NOTHING_EXPECTED_BUT_SOMETHING_FOUND, STACK, Project

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.engine, pytest.mark.lab]

SWITCH = "frontend-leaf-01"
SWITCH_TYPE = "rackproof:fabric:Fabric$rackproof:switch:SwitchConfig"
MAX_STATE_BYTES = 30_000


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SiteWithLab]:
    with site_with_lab("metrum-h200", tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture(scope="module")
def project(site: SiteWithLab, checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """The project's own Pulumi.yaml, program and provider, deployed; its state is in a folder of the tests.

    Every test finds the site as it is intended, and leaves it so.
    """
    folder = tmp_path_factory.mktemp("project")
    shutil.copy(checkout / "Pulumi.yaml", folder)
    (folder / "infra").symlink_to(checkout / "infra")
    (folder / ".venv").symlink_to(sys.prefix)
    project = Project(folder, {})
    project.run("stack", "init", STACK)
    project.run("config", "set", "site", str(site.file))
    access, password = site.access_by_pulumi_secret("switchPassword")
    project.run("config", "set", "access", str(access))
    project.run("config", "set", "--secret", "switchPassword", password)
    assert password not in project.up("--diff")
    yield project
    project.run("destroy", "--yes", "--skip-preview")


def test_second_run_changes_nothing(project: Project) -> None:
    project.run("preview", "--expect-no-changes")
    project.run("refresh", "--preview-only", "--expect-no-changes")


def test_change_made_by_hand_is_found_and_put_right(site: SiteWithLab, project: Project) -> None:
    site.type_by_hand(SWITCH, "interface Eth1/1/1", "description mine", "exit")

    status, _ = project.try_to("refresh", "--preview-only", "--expect-no-changes")
    assert status == NOTHING_EXPECTED_BUT_SOMETHING_FOUND
    assert '"gpu-001 frontend0" => "mine"' in project.run("refresh", "--yes", "--skip-preview", "--diff")

    project.up()
    project.run("refresh", "--preview-only", "--expect-no-changes")


def test_change_that_interrupts_somebody_waits_for_leave(site: SiteWithLab, project: Project) -> None:
    site.type_by_hand(SWITCH, "interface Eth1/1/1", "mtu 9000", "exit")
    project.run("refresh", "--yes", "--skip-preview")

    status, output = project.try_to("up", "--yes", "--skip-preview")
    assert status != 0
    assert "this would interrupt gpu-001 on Eth1/1/1" in output

    project.run("config", "set", "allowDisruption", "true")
    project.up()
    project.run("config", "rm", "allowDisruption")


def test_switch_that_is_already_deployed_is_imported_by_its_name(project: Project) -> None:
    project.run("state", "delete", "--yes", f"urn:pulumi:{STACK}::rackproof::{SWITCH_TYPE}::{SWITCH}")

    project.run(
        "import", "rackproof:switch:SwitchConfig", SWITCH, SWITCH, "--yes", "--skip-preview", "--generate-code=false"
    )

    project.run("preview", "--expect-no-changes")
    project.up()


def test_state_of_a_switch_is_small(project: Project) -> None:
    sizes = {
        name: len(json.dumps(resource))
        for name, resource in project.resources().items()
        if resource["type"] == "rackproof:switch:SwitchConfig"
    }
    assert len(sizes) == 3
    assert max(sizes.values()) < MAX_STATE_BYTES


def test_password_is_nowhere_in_clear(site: SiteWithLab, project: Project) -> None:
    _, password = site.access_by_pulumi_secret("switchPassword")

    files = [path for path in project.folder.rglob("*") if path.is_file()]

    assert project.folder / "Pulumi.yaml" in files
    assert [path for path in files if password.encode() in path.read_bytes()] == []
