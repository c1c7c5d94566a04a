"""A lab of switches is proven, then broken: the command line names what was broken, and how it ends is its status."""

from __future__ import annotations

import json
import signal
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import pytest

from lab.daemon import client
from rackproof.paths import ROOT, latest_validation
from rackproof.plan.from_file import plan_site
from rackproof.results import load_run
from tests.deploy.nodes.real_lab import PROGRAM, RealLab, real_lab

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rackproof.plan.model.plan import Plan

pytestmark = [pytest.mark.lab, pytest.mark.slow]

SITE: Final = ROOT / "lab" / "sites" / "clos" / "site.yaml"
LEAF: Final = "backend-leaf-01"


@pytest.fixture(scope="module", name="lab")
def _lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealLab]:
    with real_lab(tmp_path_factory.mktemp("site"), SITE, "--hosts", "0") as lab:
        yield lab


@pytest.fixture(scope="module", name="plan")
def _plan(lab: RealLab) -> Plan:
    return plan_site(lab.file).plan


def validated(lab: RealLab, *options: str) -> tuple[int, dict[str, Any]]:
    said = lab.rackproof("validate", "--json", *options)
    return said.status, json.loads(said.text[said.text.index("{") :])


def uplinks(plan: Plan) -> list[str]:
    """The ports of the first leaf that lead to spines."""
    ends = [(link.a, link.b) for link in plan.links] + [(link.b, link.a) for link in plan.links]
    return sorted(here.port for here, there in ends if here.device == LEAF and "spine" in there.device)


def test_switches_pass_their_rehearsal(lab: RealLab) -> None:
    status, said = validated(lab)

    assert (status, said["verdict"]) == (0, "rehearsal passed"), said["not_well"]
    assert said["counts"]["passed"] > 100
    run = load_run(latest_validation(lab.name) / "run.json")
    evidence = {one.check_id: one.evidence for one in run.results if one.state == "passed"}
    assert evidence["reach/switch-answers"] == "real"
    assert evidence["underlay/session-is-established"] == "simulated"
    assert any("no packet is sent" in line for line in run.not_proven)


def test_two_swapped_cables_are_named(lab: RealLab, plan: Plan) -> None:
    first, second = uplinks(plan)[:2]
    client.fault(lab.folder, "swapped-cable", {"switch": LEAF, "first": first, "second": second})
    try:
        status, said = validated(lab, "-k", "cabling")
    finally:
        client.clear(lab.folder)

    named = {one["subject"]: one for one in said["not_well"]}
    assert status == 1
    assert {f"{LEAF}/{first}", f"{LEAF}/{second}"} <= named.keys()
    assert first in named[f"{LEAF}/{second}"]["remedy"] or second in named[f"{LEAF}/{first}"]["remedy"]


def test_pfc_that_is_off_on_one_port_is_named(lab: RealLab, plan: Plan) -> None:
    port = uplinks(plan)[0]
    client.fault(lab.folder, "pfc-off", {"switch": LEAF, "port": port})
    try:
        status, said = validated(lab, "-k", "pfc_is_on")
    finally:
        client.clear(lab.folder)

    assert status == 1
    assert [one["subject"] for one in said["not_well"]] == [f"{LEAF}/{port}"]


def test_switch_that_is_silent_is_named_and_the_rest_is_carried_over(lab: RealLab) -> None:
    client.fault(lab.folder, "dead-switch", {"switch": LEAF})
    try:
        status, said = validated(lab, "-k", "reach")
    finally:
        client.clear(lab.folder)

    assert status == 1
    assert [one["subject"] for one in said["not_well"]] == [LEAF]


@pytest.mark.usefixtures("ctrl_c_is_heard")
def test_interrupted_run_leaves_what_was_done(lab: RealLab) -> None:
    folder = latest_validation(lab.name).parent
    before = set(folder.iterdir())
    process = subprocess.Popen(
        [str(PROGRAM), "validate", str(lab.file)], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )  # fmt: skip
    while set(folder.iterdir()) == before:
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.05)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=120)

    run = load_run(latest_validation(lab.name) / "run.json")
    assert process.returncode == 130
    assert run.interrupted
    assert f"{lab.name}: incomplete" in said
