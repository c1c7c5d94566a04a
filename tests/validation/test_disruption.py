"""What a run interrupts: told before it happens, and what was told is what is done."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest

from rackproof.errors import BadInputError
from rackproof.measure.outage.selection import disruptions
from rackproof.measure.traffic.participants import TrafficSite
from tests.validation.live_world import Bench, planned, site_world
from tests.validation.suites.test_resilience import CHECKS, LEAF, LEG, NODE, NODES, PAIR, SPINE, WHERE
from validation.runner.options import RunOptions, refuse_contradictions

if TYPE_CHECKING:
    from pathlib import Path

    from rackproof.plan.model.plan import Plan

CLOS: Final = WHERE[SPINE][0]
NOTHING: Final = RunOptions(
    site="any", access=None, only=(), failed=False, disruptive=False, soak_hours=0.0, cold_start=False, replay=None,
    calibrate=False, events=None,
)  # fmt: skip


def told(plan: Plan, *restarted: str, soak_hours: float = 0.0) -> list[str]:
    site = TrafficSite(plan, frozenset(plan.servers), rehearsal=False, accelerators={})
    return list(disruptions(site, NODES, soak_hours, restarted))


@pytest.mark.parametrize(
    ("site", "sentences"),
    [
        (PAIR, [
            "gpu-002 has frontend0 and then frontend1 down for 10 s",
            "frontend-leaf-01 restarts",
            "scale-003 restarts; who mounts from it waits",
        ]),
        (CLOS, ["backend-spine-01 restarts"]),
    ],
)  # fmt: skip
def test_what_will_be_interrupted_is_told(site: Path, sentences: list[str]) -> None:
    assert told(planned(site).plan) == sentences


def test_cold_start_and_soak_are_told_with_whom_and_how_long() -> None:
    sentences = told(planned(CLOS).plan, *(f"leaf-{number}" for number in range(10)), soak_hours=12)

    assert sentences[0] == (
        "all at once, leaf-0, leaf-1, leaf-2, leaf-3, leaf-4, leaf-5, leaf-6, leaf-7 and 2 more restart"
    )
    assert sentences[-1] == "all rails are busy for 12 hours"


def test_nothing_but_what_was_told_is_restarted(tmp_path: Path) -> None:
    bench = Bench(site_world(PAIR), tmp_path, reached=NODES)
    for check in (LEG, LEAF, NODE):
        bench.judged(check, CHECKS[check], "frontend")

    assert bench.world.restarted == ["frontend-leaf-01", "scale-003"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"soak_hours": 1.0}, "interrupt the site"),
        ({"cold_start": True}, "interrupt the site"),
        ({"soak_hours": -1.0, "disruptive": True}, "0 or more"),
        ({"cold_start": True, "disruptive": True, "failed": True}, "prove nothing after it"),
    ],
)
def test_what_does_not_go_together_is_refused(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInputError, match=said):
        refuse_contradictions(replace(NOTHING, **asked))


def test_a_soak_with_consent_is_taken() -> None:
    refuse_contradictions(replace(NOTHING, disruptive=True, soak_hours=24.0, cold_start=True))
