"""The switches from Ansible: the playbook does what the steps do, and check mode is the comparison."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.infra.lab_site import SiteWithLab, site_with_lab

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.lab, pytest.mark.slow]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SiteWithLab]:
    with site_with_lab("metrum-h200", tmp_path_factory.mktemp("site")) as site:
        yield site


class Played(NamedTuple):
    status: int
    said: str

    @property
    def changed(self) -> bool:
        return "changed=1" in self.said


def played(site: SiteWithLab, checkout: Path, *words: str, **variables: object) -> Played:
    values = json.dumps({"site": str(site.file), "fabric_access": str(site.access), **variables})
    command = [sys.executable, "-m", "ansible", "playbook", "playbooks/fabric.yml", "-e", values, *words]
    environment = {**os.environ, "ANSIBLE_CONFIG": str(checkout / "ansible.cfg"), "ANSIBLE_NOCOLOR": "1"}
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)
    return Played(done.returncode, done.stdout + done.stderr)


def test_check_mode_tells_what_the_run_does_and_the_second_run_changes_nothing(
    site: SiteWithLab, checkout: Path
) -> None:
    foreseen = played(site, checkout, "--check", "--diff")
    assert (foreseen.status, foreseen.changed) == (0, True), foreseen.said
    assert "Ethernet 1/1: breakout none → 4x25G" in foreseen.said

    first, second = played(site, checkout), played(site, checkout)

    assert (first.status, first.changed) == (0, True), first.said
    assert (second.status, second.changed) == (0, False), second.said
    assert not played(site, checkout, "--check").changed


def test_what_the_product_refuses_fails_the_play(site: SiteWithLab, checkout: Path) -> None:
    done = played(site, checkout, fabric_only=["no-such-fabric"])

    assert done.status != 0
    assert "no-such-fabric is neither a fabric nor a switch nor a server" in done.said
