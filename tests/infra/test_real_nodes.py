"""The real engine and two hosts that are machines: brought up, found drifted, put right, and let go as they are."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Final

import pytest

from lab.hosts.requirements import why_not
from tests.conftest import NO_FABRIC
from tests.deploy.nodes.real_lab import COMMAND_S, TWO, RealLab, real_lab
from tests.infra.pulumi_project import NOTHING_EXPECTED_BUT_SOMETHING_FOUND, STACK, Project

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.engine, pytest.mark.lab_hosts, pytest.mark.slow, pytest.mark.proof]

BY_HAND: Final = """echo '192.0.2.9 stranger' | sudo tee -a /etc/hosts
sudo sysctl -w net.ipv4.conf.all.arp_ignore=0
sudo ip address flush dev rail1 scope global
"""


@pytest.fixture(scope="module", name="lab")
def _lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealLab]:
    if why_not():
        pytest.skip(NO_FABRIC)
    with real_lab(tmp_path_factory.mktemp("site")) as lab:
        assert lab.rackproof("discover").status == 0
        yield lab


def pulumi_project(lab: RealLab, checkout: Path, folder: Path) -> Project:
    """Return the project's own Pulumi.yaml, program and provider, for the site of a lab."""
    shutil.copy(checkout / "Pulumi.yaml", folder)
    (folder / "infra").symlink_to(checkout / "infra")
    (folder / ".venv").symlink_to(sys.prefix)
    project = Project(folder, {}, COMMAND_S)
    project.run("stack", "init", STACK)
    project.run("config", "set", "site", str(lab.file))
    return project


def test_hosts_are_brought_up_put_right_and_let_go(lab: RealLab, checkout: Path, tmp_path: Path) -> None:
    project = pulumi_project(lab, checkout, tmp_path)
    assert TWO in project.run("preview", "--diff")
    project.up()
    project.run("preview", "--expect-no-changes")

    lab.on(TWO, BY_HAND)

    status, _ = project.try_to("refresh", "--preview-only", "--expect-no-changes")
    assert status == NOTHING_EXPECTED_BUT_SOMETHING_FOUND
    found = project.run("refresh", "--yes", "--skip-preview", "--diff")
    assert [text for text in ("stranger", "arp_ignore", "rail1") if text not in found] == [], found
    project.up()
    project.run("refresh", "--preview-only", "--expect-no-changes")

    project.run("destroy", "--yes", "--skip-preview")
    left = lab.rackproof("diff", "--only", "gpu")
    assert "2 devices without changes" in left.text, left.text
