"""The suites about a server's network, on what a guest of the lab said: Debian 12, virtio, rdma_rxe."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import pytest

from rackproof.facts.hosts import interfaces, rdma
from rackproof.plan.from_file import PlannedSite, host_sources, plan_site
from rackproof.site.as_built import load_as_built
from tests.validation.faults import edited
from tests.validation.recorded import RECORDINGS, not_passed, recorded
from validation.expected.subjects import Server, SiteUnderTest
from validation.runner.session_setup import NO_ACCESS
from validation.suites import test_addressing, test_links_hosts, test_nccl, test_roce_hosts, test_services
from validation.verdict.evidence import EvidenceBook
from validation.verdict.run_folder import RunFolder

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rackproof.facts.fact import Answer

SUITES: Final = [test_addressing, test_links_hosts, test_nccl, test_roce_hosts, test_services]
FOLDER: Final = RECORDINGS / "lab-guest"
SKIPPED: Final = {
    "links_hosts/speed-is-that-of-the-plan",
    "links_hosts/fec-is-that-of-the-cable",
    "roce_hosts/dscp-has-the-lossless-priority",
    "roce_hosts/notifications-have-their-priority",
    "roce_hosts/pfc-is-on-for-the-lossless-priority-alone",
    "roce_hosts/lossless-priority-has-a-class-of-its-own",
    "roce_hosts/congestion-control-is-on",
    "services/name-servers-answer",
    "services/clock-follows-a-time-server",
    "services/clock-is-right",
}
"""What a virtual adapter does not have, and what is outside of the lab."""


@cache
def planned() -> PlannedSite:
    return plan_site(FOLDER / "site.yaml")


def guest(folder: Path, answers: Mapping[str, Answer]) -> Server:
    (folder / "facts").mkdir(parents=True)
    run = RunFolder(folder)
    run.write_answers("gpu-001", dict(answers))
    sources = host_sources(planned(), load_as_built(FOLDER / "as-built.yaml"))
    site = SiteUnderTest(planned(), NO_ACCESS, sources, run, EvidenceBook(rehearsal=True))
    return Server("gpu-001", site)


def test_a_guest_that_was_brought_up_passes_what_a_lab_can_prove(tmp_path: Path) -> None:
    found = not_passed(SUITES, guest(tmp_path, recorded("lab-guest/gpu-001.json")))

    assert {line for lines in found.values() for line in lines if not line.startswith("skipped ")} == set()
    assert set(found) == SKIPPED


@pytest.mark.parametrize(
    ("command", "before", "after", "check"),
    [
        (rdma.LINKS, '"ifname":"rdma_rail1"', '"ifname":"rxe1"', "links_hosts/rdma-device-of-every-rail-is-active"),
        (interfaces.ADDRESSES, '"ifname":"rail0"', '"ifname":"rail9"', "links_hosts/every-port-is-up"),
        (rdma.MARKS, "default_roce_tos:104", "default_roce_tos:0", "roce_hosts/connections-are-marked"),
    ],
)
def test_a_fault_of_a_guest_is_found(command: str, before: str, after: str, check: str, tmp_path: Path) -> None:
    broken = edited(recorded("lab-guest/gpu-001.json"), command, before, after)

    found = not_passed(SUITES, guest(tmp_path, broken))

    assert any(line.startswith("failed gpu-001:") for line in found[check])
