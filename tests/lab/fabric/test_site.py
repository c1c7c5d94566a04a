"""A whole site deployed to switches whose sessions, neighbours and links are real."""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING, Final, cast

import pytest

from lab.daemon.in_process import LabThread
from lab.daemon.limitations import limitations
from lab.fabric.fabric import Fabric
from lab.spec.from_plan import lab_site
from rackproof.deploy.protocol import Outcome
from rackproof.deploy.switch.job import SwitchOptions
from rackproof.gather.switches import gather_switches
from rackproof.plan.from_file import plan_site
from tests.deploy.conftest import PASSWORD, VARIABLE, Bench
from tests.validation.record_switches import asked_switches
from tests.validation.switches import RecordedSite, judged, states
from validation.verdict.evidence import EvidenceBook
from validation.verdict.run_folder import RunFolder

if TYPE_CHECKING:
    from pathlib import Path

    from validation.expected.subjects import SiteUnderTest

pytestmark = [pytest.mark.lab_hosts, pytest.mark.slow]

SITE: Final = "lab/sites/clos/site.yaml"


def verdicts(bench: Bench, folder: Path) -> set[str]:
    """What the suites about switches say of a leaf whose routes, sessions and neighbours are the kernel's.

    No host has a machine, so nobody tells of their subnets.
    """
    run = RunFolder(folder)
    (folder / "facts").mkdir()
    for device, answers in asyncio.run(gather_switches(asked_switches(bench))).items():
        run.write_answers(device, answers)
    hosts = EvidenceBook(replayed=True, absent=frozenset(bench.planned.plan.hosts()))
    site = RecordedSite(bench.planned, run, hosts)
    return set(states(judged(cast("SiteUnderTest", site), "backend-leaf-01")))


def test_the_two_leaf_site_comes_up_and_stays(checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, PASSWORD)
    planned = plan_site(checkout / SITE)
    fabric = Fabric(f"t{secrets.token_hex(2)}", lab_site(planned.plan, planned.catalogue))
    with LabThread(fabric.site, PASSWORD, fabric) as lab:
        bench = Bench(planned, lab)
        # Real sessions take the seconds that the product gives them.
        results = bench.up(options=SwitchOptions())
        assert {name: one.text for name, one in results.items() if one.outcome is Outcome.FAILED} == {}
        assert all(not one.changes for one in bench.compared().values())
        assert all(switch.problems == () for switch in fabric.switches.values())
        lab.call(lab.lab.refresh())
        speaker = lab.lab.switch("backend-leaf-01").nos.state.bgp
        assert speaker is not None
        states = [lab.lab.links.session_state("backend-leaf-01", speaker, peer) for peer in speaker.peers]
        assert states == ["Established"] * 16
        assert verdicts(bench, tmp_path) == {"passed"}
        assert {row.what for row in limitations(lab.lab)} >= {"BFD", "LACP"}
