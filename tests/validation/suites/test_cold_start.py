"""Cold start: who is restarted, in which order, and how it is judged that everything came back by itself."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import msgspec
import pytest

from rackproof.connect.errors import UnreachableError
from rackproof.errors import RackproofError
from rackproof.facts.hosts.recording import decode_answers
from rackproof.measure.outage import cold_start
from rackproof.measure.outage.cold_start import Adjacencies, Recovery, restart_waves, switch_adjacencies
from tests.validation.recorded import planned, recorded_server
from tests.validation.switches import RECORDINGS
from validation.expected.cold_start import COLD_START_FILE
from validation.suites import test_resilience as suite
from validation.verdict.judge import Judge, Rules

if TYPE_CHECKING:
    from pathlib import Path

CHECK: Final = "resilience/everything-starts-by-itself"
SITE: Final = "metrum-h200"
LEAF: Final = "backend-leaf-01"


@dataclass
class Crew:
    """Hands and switches that do as they are told."""

    gone: frozenset[str] = frozenset()
    """Devices that do not answer."""
    stuck: frozenset[str] = frozenset()
    """Devices that never come back."""
    later: Adjacencies = field(default_factory=lambda: {LEAF: frozenset({"gpu-001 at Eth1/1", "BGP with 10.0.0.1"})})
    done: list[str] = field(default_factory=list)
    asked: int = 0

    async def restart(self, device: str) -> str:
        if device in self.gone:
            raise RackproofError(f"{device} does not answer")
        self.done.append(f"restart {device}")
        return "before"

    async def wait_restarted(self, device: str, before: str, limit_s: float) -> float | None:
        assert (before, limit_s) == ("before", cold_start.RESTART_S)
        self.done.append(f"wait {device}")
        return None if device in self.stuck else 60.0

    async def adjacencies(self) -> Adjacencies:
        self.asked += 1
        return {LEAF: frozenset({"gpu-001 at Eth1/1", "BGP with 10.0.0.1"})} if self.asked == 1 else self.later


def started(crew: Crew, *told: tuple[str, ...]) -> dict[str, Recovery]:
    return asyncio.run(cold_start.cold_start(crew, crew, told))


def judged(folder: Path, recoveries: dict[str, Recovery] | None) -> Judge:
    site = recorded_server(folder, {}, site=SITE).site
    (folder / "logs").mkdir()
    if recoveries is not None:
        (folder / COLD_START_FILE).write_bytes(msgspec.json.encode(recoveries))
    judge = Judge(CHECK, rules=Rules(devices=frozenset((*site.plan.switches, *site.plan.servers))))
    suite.test_everything_starts_by_itself(site, judge)
    return judge


def test_everything_is_told_before_anything_is_waited_for_and_the_way_there_last() -> None:
    first, last = restart_waves(planned(SITE).plan, ("oob-leaf-01", LEAF, "gpu-001"))
    crew = Crew()

    recoveries = started(crew, first, last)

    assert crew.done[:3] == [f"restart {LEAF}", "restart gpu-001", "restart oob-leaf-01"]
    assert {one.partition(" ")[0] for one in crew.done[3:]} == {"wait"}
    assert set(recoveries.values()) == {Recovery(60.0)}


def test_whom_a_switch_hears_and_talks_to() -> None:
    answers = decode_answers((RECORDINGS / "clos" / f"{LEAF}.json").read_bytes())

    assert switch_adjacencies("enterprise-sonic", answers) >= {"backend-spine-02 at Eth1/32", "BGP with Eth1/32"}
    assert switch_adjacencies("enterprise-sonic", UnreachableError(LEAF, "no answer")) == frozenset()
    assert switch_adjacencies("enterprise-sonic", {}) == frozenset()


@pytest.mark.shows_failing(CHECK)
@pytest.mark.parametrize(
    ("crew", "state", "said"),
    [
        (Crew(stuck=frozenset({"gpu-001"})), "failed", "Expected back within 900 s. Actual not back."),
        (Crew(gone=frozenset({"gpu-001"})), "error", "gpu-001 does not answer"),
        (Crew(later={LEAF: frozenset({"gpu-001 at Eth1/1"})}), "failed", "Actual BGP with 10.0.0.1."),
    ],
)
def test_what_does_not_come_back_fails(
    crew: Crew, state: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cold_start, "SETTLE_S", 0.0)

    judge = judged(tmp_path, started(crew, (LEAF, "gpu-001")))

    assert [(one.state, said in one.message) for one in judge.results if one.state != "passed"] == [(state, True)]


def test_what_comes_back_passes(tmp_path: Path) -> None:
    judge = judged(tmp_path, started(Crew(), (LEAF, "gpu-001")))

    assert {one.subject: one.state for one in judge.results} == {
        LEAF: "passed", f"{LEAF}: lost neighbours": "passed", "gpu-001": "passed",
    }  # fmt: skip


def test_without_a_cold_start_nothing_is_said_to_be_proven(tmp_path: Path) -> None:
    judge = judged(tmp_path, None)

    assert [(one.state, "--cold-start" in one.message) for one in judge.results] == [("skipped", True)]
