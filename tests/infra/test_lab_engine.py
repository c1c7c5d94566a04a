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


@pytest.fixture
def project(site: SiteWithLab, checkout: Path, tmp_path: Path) -> Iterator[Project]:
    """The project's own Pulumi.yaml, program and provider, with their state in a folder of the test."""
    shutil.copy(checkout / "Pulumi.yaml", tmp_path)
    (tmp_path / "infra").symlink_to(checkout / "infra")
    (tmp_path / ".venv").symlink_to(sys.prefix)
    project = Project(tmp_path, {})
    project.run("stack", "init", STACK)
    project.run("config", "set", "site", str(site.file))
    access, password = site.access_by_pulumi_secret("switchPassword")
    project.run("config", "set", "access", str(access))
    project.run("config", "set", "--secret", "switchPassword", password)
    yield project
    project.run("destroy", "--yes", "--skip-preview")


def test_site_is_deployed_kept_mended_and_taken_back(site: SiteWithLab, project: Project) -> None:
    project.up()
    project.run("preview", "--expect-no-changes")

    site.type_by_hand(SWITCH, "interface Eth1/1/1", "mtu 9000", "exit")
    status, _ = project.try_to("refresh", "--preview-only", "--expect-no-changes")
    assert status == NOTHING_EXPECTED_BUT_SOMETHING_FOUND
    assert "~ mtu_bytes: 9216 => 9000" in project.run("refresh", "--yes", "--skip-preview", "--diff")

    project.up()
    project.run("refresh", "--preview-only", "--expect-no-changes")


def test_switch_that_is_already_deployed_is_imported(project: Project) -> None:
    project.up()
    project.run("state", "delete", "--yes", f"urn:pulumi:{STACK}::rackproof::{SWITCH_TYPE}::{SWITCH}")

    project.run(
        "import", "rackproof:switch:SwitchConfig", SWITCH, SWITCH, "--yes", "--skip-preview", "--generate-code=false"
    )

    project.run("preview", "--expect-no-changes")
    project.up()


def test_state_of_a_switch_is_small(project: Project) -> None:
    project.up()

    sizes = {
        name: len(json.dumps(resource))
        for name, resource in project.resources().items()
        if resource["type"] == "rackproof:switch:SwitchConfig"
    }
    assert len(sizes) == 3
    assert max(sizes.values()) < MAX_STATE_BYTES


def test_password_is_nowhere_in_clear(site: SiteWithLab, project: Project) -> None:
    _, password = site.access_by_pulumi_secret("switchPassword")

    shown = project.up("--diff")

    files = [path for path in project.folder.rglob("*") if path.is_file() and not path.is_relative_to(site.folder)]
    assert password not in shown
    assert project.folder / "Pulumi.yaml" in files
    assert [path for path in files if password.encode() in path.read_bytes()] == []
