"""The recording of a whole site: every check of switches finds it as planned, on leaves, spines and out of band."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

import pytest

from benchmarks.record_site import write_site
from benchmarks.recorded_switches import recorded_switches
from rackproof.plan.from_file import plan_site
from tests.validation.switches import RecordedSite, judged
from validation.verdict.run_folder import RunFolder

if TYPE_CHECKING:
    from pathlib import Path

    from rackproof.plan.from_file import PlannedSite
    from validation.expected.subjects import SiteUnderTest


async def keep_switches(planned: PlannedSite, run: RunFolder) -> None:
    async for name, answers in recorded_switches(planned):
        run.write_answers(name, answers)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> SiteUnderTest:
    folder: Path = tmp_path_factory.mktemp("recorded")
    planned, run = plan_site(write_site(8, folder)), RunFolder(folder)
    asyncio.run(keep_switches(planned, run))
    return cast("SiteUnderTest", RecordedSite(planned, run))


def test_every_switch_is_as_planned(site: SiteUnderTest) -> None:
    results = [one for name in site.plan.intents() for one in judged(site, name)]

    assert {one.device.rpartition("-")[0] for one in results} == {"backend-leaf", "backend-spine", "oob-leaf"}
    assert [(one.check_id, one.subject, one.message) for one in results if one.state != "passed"] == []


def test_results_of_leaves_say_their_rail(site: SiteUnderTest) -> None:
    leaves = [name for name in site.plan.intents() if name.startswith("backend-leaf")]
    rails = {name: {one.rail for one in judged(site, name)} - {None} for name in leaves}

    assert {rail for found in rails.values() for rail in found} == set(range(8))
    assert sum(map(len, rails.values())) == 8
