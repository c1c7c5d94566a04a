"""Each lab site passes its rehearsal, all that is disruptive with it, and what it is there for is judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pytest

from lab.hosts.requirements import why_not
from rackproof import paths
from rackproof.results import load_run
from tests.conftest import NO_FABRIC
from tests.deploy.nodes.real_lab import real_lab

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.lab_hosts, pytest.mark.slow, pytest.mark.proof]


@dataclass(frozen=True)
class For:
    """How a lab site is started, and which checks it is there for."""

    checks: tuple[str, ...]
    options: tuple[str, ...] = ()


SITES: Final = {
    "clos": For(("rdma/joined-rails-reach-each-other", "resilience/a-lost-spine-is-not-missed")),
    "four": For(
        (
            "incast/incast-loses-no-lossless-packet",
            "incast/incast-pauses-the-lossless-priority-alone",
            "resilience/a-lost-spine-is-not-missed",
            "resilience/a-lost-leg-is-not-missed",
            "resilience/a-lost-leaf-is-not-missed",
        ),
        ("--hosts", "4"),
    ),
    "rails": For(
        (
            "rdma/parted-rails-do-not-reach-each-other",
            "resilience/a-lost-leg-is-not-missed",
            "resilience/a-lost-leaf-is-not-missed",
        )
    ),
    "storage": For(("resilience/a-lost-storage-node-is-not-missed",), ("--storage-nodes", "2")),
}


@pytest.mark.parametrize("name", SITES)
def test_lab_site_passes_its_rehearsal(tmp_path: Path, name: str) -> None:
    if why_not():
        pytest.skip(NO_FABRIC)
    source = paths.ROOT / "lab" / "sites" / name / "site.yaml"
    with real_lab(tmp_path, source, *SITES[name].options) as lab:
        said = lab.rackproof("up", "--yes")
        assert said.status == 0, said.text
        status, found = lab.validate("--disruptive", "--yes")
        assert (status, found["verdict"]) == (0, "rehearsal passed"), found["not_well"]
        run = load_run(paths.latest_validation(lab.name) / paths.RUN_FILE)
    passed = {result.check_id for result in run.results if result.state == "passed"}
    assert set(SITES[name].checks) <= passed
