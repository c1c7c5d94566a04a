"""Everything that goes wrong: the switch is as it was, the others are finished, and the message says which is which."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from rackproof.deploy.protocol import Outcome
from rackproof.deploy.scheduler import Run, StepResult, compare
from rackproof.deploy.switch.job import SwitchOptions
from rackproof.deploy.switch.nos.enterprise_sonic.cli_session import SonicCli
from tests.deploy.conftest import BACKEND, FRONTEND, TIMEOUTS

if TYPE_CHECKING:
    from tests.deploy.conftest import Bench

pytestmark = pytest.mark.lab
WAITING = SwitchOptions(wait_for_return=True, timeouts=TIMEOUTS)


def assert_as_before(bench: Bench, name: str, before: object) -> None:
    assert bench.machine(name) == before


def test_a_refused_line_is_undone_without_a_restart(bench: Bench) -> None:
    before = bench.machine(FRONTEND)
    boot = bench.lab.lab.switch(FRONTEND).boot_id
    bench.inject("refused-line", FRONTEND, pattern="channel-group")
    results = bench.up(FRONTEND, "oob-leaf-01")
    failed = results[FRONTEND]
    assert failed.outcome is Outcome.ROLLED_BACK
    assert "refuses `channel-group" in failed.text
    assert "the switch is as it was before" in failed.text
    assert failed.hint
    assert "router bgp" not in " ".join(failed.applied.commands)
    assert_as_before(bench, FRONTEND, before)
    assert results["oob-leaf-01"].outcome is Outcome.CHANGED
    assert bench.lab.lab.switch(FRONTEND).boot_id == boot


def test_a_line_refused_after_a_restart_returns_to_the_checkpoint(bench: Bench) -> None:
    before = bench.machine(BACKEND)
    bench.inject("refused-line", BACKEND, pattern="ip address 10.10")
    failed = bench.up(BACKEND)[BACKEND]
    assert failed.outcome is Outcome.ROLLED_BACK
    assert "as it was before, after a restart" in failed.text
    assert_as_before(bench, BACKEND, before)


@pytest.mark.parametrize("lines", ["1", "30"])
def test_a_session_that_drops(bench: Bench, lines: str) -> None:
    before = bench.machine(FRONTEND)
    bench.inject("session-cut", FRONTEND, lines=lines)
    failed = bench.up(FRONTEND)[FRONTEND]
    assert failed.outcome is Outcome.ROLLED_BACK, failed
    assert "the session broke at" in failed.text
    assert_as_before(bench, FRONTEND, before)


def test_a_session_that_drops_in_lossless_mode(bench: Bench) -> None:
    before = bench.machine(BACKEND)
    bench.when["configuration"] = lambda: bench.inject("session-cut", BACKEND, lines="100")
    failed = bench.up(BACKEND)[BACKEND]
    assert failed.outcome is Outcome.ROLLED_BACK, failed
    assert_as_before(bench, BACKEND, before)


def test_a_switch_that_dies_in_the_middle_is_left_to_its_timer(bench: Bench) -> None:
    before = bench.machine(FRONTEND)
    bench.when["configuration"] = lambda: bench.inject("dead-switch", FRONTEND)
    results = bench.up(FRONTEND, "oob-leaf-01")
    failed = results[FRONTEND]
    assert failed.outcome is Outcome.RETURNING, failed
    assert "its own timer rolls it back at 20" in failed.text
    assert results["oob-leaf-01"].outcome is Outcome.CHANGED
    bench.clear()
    assert bench.machine(FRONTEND).running == before.running
    assert bench.machine(FRONTEND).armed
    again = bench.up(FRONTEND)[FRONTEND]
    assert again.outcome is Outcome.UNTOUCHED
    assert "an earlier deployment was interrupted; the switch rolls back to its checkpoint at 20" in again.text


def test_a_switch_that_dies_and_comes_back_is_waited_for(bench: Bench) -> None:
    before = bench.machine(FRONTEND)
    bench.when["configuration"] = lambda: bench.inject("dead-switch", FRONTEND)
    bench.when["waiting for its own timer"] = bench.power_on_after_its_timer
    failed = bench.up(FRONTEND, options=WAITING)[FRONTEND]
    assert failed.outcome is Outcome.ROLLED_BACK, failed
    assert "rolled back by its own timer" in failed.text
    assert_as_before(bench, FRONTEND, before)


def test_a_switch_that_cannot_be_reached_after_the_change_returns_by_itself(bench: Bench) -> None:
    before = bench.machine(FRONTEND)
    bench.inject("return-timer-fires", FRONTEND)
    failed = bench.up(FRONTEND)[FRONTEND]
    assert failed.outcome is Outcome.ROLLED_BACK, failed
    assert_as_before(bench, FRONTEND, before)


def test_a_switch_that_is_dead_from_the_start(bench: Bench) -> None:
    bench.inject("dead-switch", FRONTEND)
    results = bench.up(FRONTEND, "oob-leaf-01")
    assert results[FRONTEND].outcome is Outcome.UNKNOWN
    assert "does not answer" in results[FRONTEND].text
    assert results["oob-leaf-01"].outcome is Outcome.CHANGED


def test_a_switch_that_takes_connections_and_says_nothing(bench: Bench) -> None:
    bench.inject("dead-switch", FRONTEND, silent="true")
    result = bench.up(FRONTEND)[FRONTEND]
    assert result.outcome is Outcome.UNKNOWN
    assert "no SSH session" in result.text


def test_a_full_disk_from_the_start_touches_nothing(bench: Bench) -> None:
    before = bench.machine(FRONTEND)
    bench.inject("full-disk", FRONTEND)
    failed = bench.up(FRONTEND)[FRONTEND]
    assert failed.outcome is Outcome.UNTOUCHED
    assert "No space left on device" in failed.text
    assert not failed.applied.commands
    assert_as_before(bench, FRONTEND, before)


@pytest.mark.parametrize("name", [FRONTEND, BACKEND])
def test_a_disk_that_fills_before_the_save(bench: Bench, name: str) -> None:
    before = bench.machine(name)
    bench.when["saving"] = lambda: bench.inject("full-disk", name)
    failed = bench.up(name)[name]
    assert failed.outcome is Outcome.ROLLED_BACK, failed
    assert "write memory" in failed.text
    bench.clear()
    assert_as_before(bench, name, before)


def test_a_changed_host_key_is_refused(bench: Bench) -> None:
    access = bench.access()
    before = bench.machine(FRONTEND)
    bench.inject("changed-host-key", FRONTEND)
    failed = bench.up(FRONTEND, access=access)[FRONTEND]
    assert failed.outcome is Outcome.UNKNOWN
    assert "another host key" in failed.text
    assert "trust" in failed.hint
    assert_as_before(bench, FRONTEND, before)


def test_a_host_key_that_changes_in_the_middle_is_refused(bench: Bench) -> None:
    bench.when["saving"] = lambda: bench.inject("changed-host-key", FRONTEND)
    failed = bench.up(FRONTEND)[FRONTEND]
    assert failed.outcome in {Outcome.ROLLED_BACK, Outcome.RETURNING}, failed


def test_a_wrong_password_is_told_apart(bench: Bench) -> None:
    bench.inject("wrong-password", FRONTEND)
    failed = bench.up(FRONTEND)[FRONTEND]
    assert failed.outcome is Outcome.UNKNOWN
    assert "does not accept the credential" in failed.text


def test_slow_answers_are_waited_for(bench: Bench) -> None:
    bench.inject("slow-answer", FRONTEND, seconds="0.02")
    assert bench.up(FRONTEND)[FRONTEND].outcome is Outcome.CHANGED


def test_a_swapped_cable_found_afterwards_rolls_back_and_names_both(bench: Bench) -> None:
    before = bench.machine(FRONTEND)
    bench.inject("swapped-cable", FRONTEND, first="Eth1/1/1", second="Eth1/1/3")
    failed = bench.up(FRONTEND)[FRONTEND]
    assert failed.outcome is Outcome.ROLLED_BACK
    assert "the cables at Eth1/1/1 and Eth1/1/3 are swapped" in failed.text
    assert_as_before(bench, FRONTEND, before)


def test_a_swapped_cable_known_before_stops_the_switch_untouched(bench: Bench) -> None:
    bench.up(FRONTEND)
    bench.inject("swapped-cable", FRONTEND, first="Eth1/1/1", second="Eth1/1/3")
    bench.type(FRONTEND, "interface Eth1/32", "description somebody")
    before = bench.machine(FRONTEND)
    failed = bench.up(FRONTEND)[FRONTEND]
    assert failed.outcome is Outcome.UNTOUCHED
    assert "the cables at Eth1/1/1 and Eth1/1/3 are swapped" in failed.text
    assert_as_before(bench, FRONTEND, before)


def test_a_failure_leaves_the_other_of_a_pair_alone(pair: Bench) -> None:
    before = pair.machine("frontend-leaf-02")
    pair.inject("refused-line", "frontend-leaf-01", pattern="router-id")
    results = pair.up()
    assert results["frontend-leaf-01"].outcome is Outcome.ROLLED_BACK
    assert results["frontend-leaf-02"].outcome is Outcome.UNTOUCHED
    assert results["frontend/gate"].outcome is Outcome.UNTOUCHED
    assert results["oob-leaf-01"].outcome is Outcome.CHANGED
    assert pair.machine("frontend-leaf-02") == before


@pytest.mark.parametrize(
    ("moment", "ends"),
    [("creating a checkpoint", Outcome.UNTOUCHED), ("configuration", Outcome.ROLLED_BACK), ("saving", Outcome.CHANGED)],
)
def test_an_interruption_ends_the_switch_in_hand_well(bench: Bench, moment: str, ends: Outcome) -> None:
    before = bench.machine(FRONTEND)

    async def interrupted() -> tuple[StepResult, ...]:
        steps = tuple(bench.steps(FRONTEND).values())
        run = Run(steps, await compare(steps, bench.report), bench.report)
        task = asyncio.create_task(run.all())
        bench.when[moment] = task.cancel
        return await task

    (result,) = asyncio.run(interrupted())
    assert result.outcome is ends, result
    if ends is Outcome.CHANGED:
        assert not bench.compared(FRONTEND)[FRONTEND].changes
    else:
        assert "interrupted" in result.text
        assert_as_before(bench, FRONTEND, before)


def test_somebody_else_changing_the_switch_is_noticed(bench: Bench) -> None:
    async def meanwhile() -> tuple[StepResult, ...]:
        steps = tuple(bench.steps(FRONTEND).values())
        compared = await compare(steps, bench.report)
        await asyncio.to_thread(bench.type, FRONTEND, "lldp timer 10")
        return await Run(steps, compared, bench.report).all()

    (result,) = asyncio.run(meanwhile())
    assert result.outcome is Outcome.UNTOUCHED
    assert "the running configuration changed since it was compared" in result.text


def test_a_switch_that_does_not_keep_its_lines_is_rolled_back(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SonicCli, "type_lines", lambda _self, lines, note: [note(line) for line in lines])
    before = bench.machine(FRONTEND)
    failed = bench.up(FRONTEND)[FRONTEND]
    assert failed.outcome is Outcome.ROLLED_BACK
    assert "accepts lines that its running configuration then lacks" in failed.text
    assert_as_before(bench, FRONTEND, before)


def test_a_defect_of_ours_leaves_no_switch_half_configured(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_self: object) -> None:
        raise KeyError("lost")

    monkeypatch.setattr(SonicCli, "save", broken)
    before = bench.machine(FRONTEND)
    with pytest.raises(KeyError):
        bench.up(FRONTEND)
    assert_as_before(bench, FRONTEND, before)
