"""Everything that goes wrong: the switch is as it was, the others are finished, and the message says which is which.

Each case runs on every NOS; a case that only one NOS can have is marked with its name.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

import pytest

from rackproof.deploy.protocol import Outcome
from rackproof.deploy.scheduler import Run, StepResult, compare
from rackproof.deploy.switch.job import SwitchOptions
from rackproof.deploy.switch.nos.enterprise_sonic.cli_session import SonicCli
from tests.deploy.conftest import TIMEOUTS
from tests.deploy.nos_words import BACKEND, FRONTEND, OOB

if TYPE_CHECKING:
    from tests.deploy.conftest import Bench

pytestmark = pytest.mark.lab
SONIC: Final = "enterprise-sonic"
CUMULUS: Final = "cumulus"
WAITING: Final = SwitchOptions(wait_for_return=True, timeouts=TIMEOUTS)
enterprise_sonic_only = pytest.mark.parametrize("any_nos", [SONIC], indirect=True)
cumulus_only = pytest.mark.parametrize("any_nos", [CUMULUS], indirect=True)

# --- lines that are refused, sessions that drop


def test_a_refused_line_is_undone_without_a_restart(any_nos: Bench) -> None:
    before = any_nos.machine(FRONTEND)
    boot = any_nos.lab.lab.switch(FRONTEND).boot_id
    any_nos.inject("refused-line", FRONTEND, pattern=any_nos.words.refused_pattern)
    results = any_nos.up(FRONTEND, OOB)
    failed = results[FRONTEND]
    assert failed.outcome is Outcome.ROLLED_BACK, failed
    assert any_nos.words.refusal in failed.text
    assert "the switch is as it was before" in failed.text
    assert failed.hint
    assert any_nos.words.unsent not in " ".join(failed.applied.commands)
    assert results[OOB].outcome is Outcome.CHANGED
    any_nos.assert_as_before(FRONTEND, before)
    assert any_nos.lab.lab.switch(FRONTEND).boot_id == boot


@enterprise_sonic_only
def test_a_line_refused_after_a_restart_returns_to_the_checkpoint(any_nos: Bench) -> None:
    before = any_nos.machine(BACKEND)
    any_nos.inject("refused-line", BACKEND, pattern="ip address 10.10")
    failed = any_nos.up(BACKEND)[BACKEND]
    assert failed.outcome is Outcome.ROLLED_BACK
    assert "as it was before, after a restart" in failed.text
    any_nos.assert_as_before(BACKEND, before)


@pytest.mark.parametrize("lines", ["1", "30"])
def test_a_session_that_drops(any_nos: Bench, lines: str) -> None:
    before = any_nos.machine(FRONTEND)
    any_nos.inject("session-cut", FRONTEND, lines=lines)
    failed = any_nos.up(FRONTEND)[FRONTEND]
    assert failed.outcome is Outcome.ROLLED_BACK, failed
    assert any_nos.words.broken_session in failed.text
    any_nos.assert_as_before(FRONTEND, before)


@enterprise_sonic_only
def test_a_session_that_drops_in_lossless_mode(any_nos: Bench) -> None:
    before = any_nos.machine(BACKEND)
    any_nos.when["configuration"] = lambda: any_nos.inject("session-cut", BACKEND, lines="100")
    failed = any_nos.up(BACKEND)[BACKEND]
    assert failed.outcome is Outcome.ROLLED_BACK, failed
    any_nos.assert_as_before(BACKEND, before)


@cumulus_only
def test_a_session_that_drops_while_a_revision_is_applied(any_nos: Bench) -> None:
    before = any_nos.machine(FRONTEND)
    any_nos.when["applying with commit-confirm"] = lambda: any_nos.inject("session-cut", FRONTEND, lines="1")
    failed = any_nos.up(FRONTEND)[FRONTEND]
    assert failed.outcome is Outcome.ROLLED_BACK, failed
    assert "--confirm-no" in failed.applied.commands[-1]
    any_nos.assert_as_before(FRONTEND, before)


# --- switches that die, or cannot be reached


def test_a_switch_that_dies_in_the_middle_is_left_to_its_timer(any_nos: Bench) -> None:
    before = any_nos.machine(FRONTEND)
    any_nos.when[any_nos.words.death_moment] = lambda: any_nos.inject("dead-switch", FRONTEND)
    results = any_nos.up(FRONTEND, OOB)
    failed = results[FRONTEND]
    assert failed.outcome is Outcome.RETURNING, failed
    assert "its own timer rolls it back at 20" in failed.text
    assert results[OOB].outcome is Outcome.CHANGED
    any_nos.clear()
    assert any_nos.machine(FRONTEND).running == before.running


@enterprise_sonic_only
def test_an_armed_return_with_half_a_change_is_returned_and_then_configured(any_nos: Bench) -> None:
    any_nos.when["configuration"] = lambda: any_nos.inject("dead-switch", FRONTEND)
    any_nos.up(FRONTEND)
    any_nos.clear()
    assert any_nos.machine(FRONTEND).armed
    (shown, *_) = any_nos.compared(FRONTEND)[FRONTEND].changes
    assert "the switch rolls back to its checkpoint at 20" in shown.text
    assert "returned now, then configured" in shown.text
    again = any_nos.up(FRONTEND)[FRONTEND]
    assert again.outcome is Outcome.CHANGED, again
    assert "the switch was returned from an interrupted deployment first" in again.applied.notes
    assert not any_nos.compared(FRONTEND)[FRONTEND].changes
    assert not any_nos.machine(FRONTEND).armed


@cumulus_only
def test_an_unconfirmed_revision_does_not_outlive_a_restart(any_nos: Bench) -> None:
    before = any_nos.machine(FRONTEND)
    any_nos.when["confirming over"] = lambda: any_nos.inject("dead-switch", FRONTEND)
    any_nos.up(FRONTEND)
    any_nos.clear()
    any_nos.assert_as_before(FRONTEND, before)
    assert any_nos.up(FRONTEND)[FRONTEND].outcome is Outcome.CHANGED


@cumulus_only
def test_an_unconfirmed_revision_is_returned_and_then_configured(any_nos: Bench) -> None:
    switch = any_nos.lab.lab.switch(FRONTEND)
    any_nos.lab.call(switch.shell.run("nv set system timezone Europe/Berlin"))
    any_nos.lab.call(switch.shell.run("nv config apply -y --confirm 10"))
    (shown, *_) = any_nos.compared(FRONTEND)[FRONTEND].changes
    assert "revision 2 awaits confirmation" in shown.text
    done = any_nos.up(FRONTEND)[FRONTEND]
    assert done.outcome is Outcome.CHANGED, done
    assert "nv config apply 2 --confirm-no" in done.applied.commands
    running = any_nos.machine(FRONTEND).running
    any_nos.advance(601)
    assert any_nos.machine(FRONTEND).running == running


@cumulus_only
def test_a_switch_that_dies_before_anything_was_applied_says_so(any_nos: Bench) -> None:
    any_nos.when["configuration"] = lambda: any_nos.inject("dead-switch", FRONTEND)
    failed = any_nos.up(FRONTEND)[FRONTEND]
    assert "nothing had been applied" in failed.text
    any_nos.clear()


@enterprise_sonic_only
def test_a_switch_that_dies_and_comes_back_is_waited_for_when_asked(any_nos: Bench) -> None:
    before = any_nos.machine(FRONTEND)
    any_nos.when["configuration"] = lambda: any_nos.inject("dead-switch", FRONTEND)
    any_nos.when["waiting for its own timer"] = any_nos.power_on_after_its_timer
    failed = any_nos.up(FRONTEND, options=WAITING)[FRONTEND]
    assert failed.outcome is Outcome.ROLLED_BACK, failed
    assert "rolled back by its own timer" in failed.text
    any_nos.assert_as_before(FRONTEND, before)


@cumulus_only
def test_a_switch_that_is_lost_for_long_is_waited_for_when_asked(any_nos: Bench) -> None:
    before = any_nos.machine(FRONTEND)
    any_nos.inject("return-timer-fires", FRONTEND, hold="true")
    any_nos.when["waiting for its own timer"] = lambda: any_nos.advance(TIMEOUTS.return_after_s + 60)
    failed = any_nos.up(FRONTEND, options=WAITING)[FRONTEND]
    assert failed.outcome is Outcome.ROLLED_BACK, failed
    assert "rolled back by its own timer" in failed.text
    any_nos.assert_as_before(FRONTEND, before)


def test_a_switch_that_cannot_be_reached_after_the_change_returns_by_itself(any_nos: Bench) -> None:
    before = any_nos.machine(FRONTEND)
    any_nos.inject("return-timer-fires", FRONTEND)
    failed = any_nos.up(FRONTEND)[FRONTEND]
    assert failed.outcome is Outcome.ROLLED_BACK, failed
    any_nos.assert_as_before(FRONTEND, before)


@pytest.mark.parametrize(("silent", "text"), [("false", "does not answer"), ("true", "no SSH session")])
def test_a_switch_that_is_dead_from_the_start(any_nos: Bench, silent: str, text: str) -> None:
    any_nos.inject("dead-switch", FRONTEND, silent=silent)
    results = any_nos.up(FRONTEND, OOB)
    assert results[FRONTEND].outcome is Outcome.UNKNOWN
    assert text in results[FRONTEND].text
    assert results[OOB].outcome is Outcome.CHANGED


def test_slow_answers_are_waited_for(any_nos: Bench) -> None:
    any_nos.inject("slow-answer", FRONTEND, seconds="0.02")
    assert any_nos.up(FRONTEND)[FRONTEND].outcome is Outcome.CHANGED


# --- disks, host keys, passwords


def test_a_full_disk_from_the_start_touches_nothing(any_nos: Bench) -> None:
    before = any_nos.machine(FRONTEND)
    any_nos.inject("full-disk", FRONTEND)
    failed = any_nos.up(FRONTEND)[FRONTEND]
    assert failed.outcome is Outcome.UNTOUCHED
    assert "No space left on device" in failed.text
    assert not failed.applied.commands
    assert any_nos.machine(FRONTEND) == before
    any_nos.clear()
    any_nos.assert_as_before(FRONTEND, before)


@pytest.mark.parametrize(
    ("any_nos", "name", "moment", "text"),
    [
        (SONIC, FRONTEND, "saving", "write memory"),
        (SONIC, BACKEND, "saving", "write memory"),
        (CUMULUS, FRONTEND, "configuration", "No space left on device"),
        (CUMULUS, FRONTEND, "applying with commit-confirm", "No space left on device"),
        (CUMULUS, FRONTEND, "saving", "No space left on device"),
    ],
    indirect=["any_nos"],
)
def test_a_disk_that_fills_in_the_middle(any_nos: Bench, name: str, moment: str, text: str) -> None:
    before = any_nos.machine(name)
    any_nos.when[moment] = lambda: any_nos.inject("full-disk", name)
    failed = any_nos.up(name)[name]
    assert failed.outcome is Outcome.ROLLED_BACK, failed
    assert text in failed.text
    any_nos.clear()
    any_nos.assert_as_before(name, before)


def test_a_changed_host_key_is_refused(any_nos: Bench) -> None:
    access = any_nos.access()
    before = any_nos.machine(FRONTEND)
    any_nos.inject("changed-host-key", FRONTEND)
    failed = any_nos.up(FRONTEND, access=access)[FRONTEND]
    assert failed.outcome is Outcome.UNKNOWN
    assert "another host key" in failed.text
    assert "trust" in failed.hint
    any_nos.assert_as_before(FRONTEND, before)


def test_a_host_key_that_changes_in_the_middle_is_refused(any_nos: Bench) -> None:
    any_nos.when["saving"] = lambda: any_nos.inject("changed-host-key", FRONTEND)
    failed = any_nos.up(FRONTEND)[FRONTEND]
    assert failed.outcome in {Outcome.ROLLED_BACK, Outcome.RETURNING}, failed


def test_a_wrong_password_is_told_apart(any_nos: Bench) -> None:
    any_nos.inject("wrong-password", FRONTEND)
    failed = any_nos.up(FRONTEND)[FRONTEND]
    assert failed.outcome is Outcome.UNKNOWN
    assert f"does not accept the credential of user {any_nos.words.user}" in failed.text


# --- cabling, redundancy groups


def test_a_swapped_cable_found_afterwards_rolls_back_and_names_both(any_nos: Bench) -> None:
    name, (first, second) = any_nos.words.cabled, any_nos.words.swapped
    before = any_nos.machine(name)
    any_nos.inject("swapped-cable", name, first=first, second=second)
    failed = any_nos.up(name)[name]
    assert failed.outcome is Outcome.ROLLED_BACK, failed
    assert f"the cables at {first} and {second} are swapped" in failed.text
    any_nos.assert_as_before(name, before)


def test_a_swapped_cable_known_before_stops_the_switch_untouched(any_nos: Bench) -> None:
    name, (first, second) = any_nos.words.cabled, any_nos.words.swapped
    any_nos.up(name)
    any_nos.inject("swapped-cable", name, first=first, second=second)
    any_nos.type(name, *any_nos.words.harmless_edit)
    before = any_nos.machine(name)
    failed = any_nos.up(name)[name]
    assert failed.outcome is Outcome.UNTOUCHED
    assert f"the cables at {first} and {second} are swapped" in failed.text
    any_nos.assert_as_before(name, before)


def test_a_failure_leaves_the_other_of_a_pair_alone(any_nos_pair: Bench) -> None:
    first, second = any_nos_pair.words.pair
    before = any_nos_pair.machine(second)
    any_nos_pair.inject("refused-line", first, pattern="router-id")
    fabric = first.partition("-")[0]
    results = any_nos_pair.up(fabric, OOB)
    assert results[first].outcome is Outcome.ROLLED_BACK
    assert results[second].outcome is Outcome.UNTOUCHED
    assert results[f"{fabric}/gate"].outcome is Outcome.UNTOUCHED
    assert results[OOB].outcome is Outcome.CHANGED
    any_nos_pair.assert_as_before(second, before)


# --- the user, and others who configure the switch


@pytest.mark.parametrize(
    ("any_nos", "moment", "ends"),
    [
        (SONIC, "creating a checkpoint", Outcome.UNTOUCHED),
        (SONIC, "configuration", Outcome.ROLLED_BACK),
        (SONIC, "saving", Outcome.CHANGED),
        (CUMULUS, "checking that a rollback is possible", Outcome.UNTOUCHED),
        (CUMULUS, "configuration", Outcome.UNTOUCHED),
        (CUMULUS, "applying with commit-confirm", Outcome.ROLLED_BACK),
        (CUMULUS, "saving", Outcome.CHANGED),
    ],
    indirect=["any_nos"],
)
def test_an_interruption_finishes_or_rolls_back_the_switch(any_nos: Bench, moment: str, ends: Outcome) -> None:
    before = any_nos.machine(FRONTEND)

    async def interrupted() -> tuple[StepResult, ...]:
        steps = tuple(any_nos.steps(FRONTEND).values())
        run = Run(steps, await compare(steps, any_nos.report), any_nos.report)
        task = asyncio.create_task(run.all())
        any_nos.when[moment] = task.cancel
        return await task

    (result,) = asyncio.run(interrupted())
    assert result.outcome is ends, result
    if ends is Outcome.CHANGED:
        assert not any_nos.compared(FRONTEND)[FRONTEND].changes
    else:
        assert "interrupted" in result.text
        any_nos.assert_as_before(FRONTEND, before)


def test_somebody_else_changing_the_switch_is_noticed(any_nos: Bench) -> None:
    async def meanwhile() -> tuple[StepResult, ...]:
        steps = tuple(any_nos.steps(FRONTEND).values())
        compared = await compare(steps, any_nos.report)
        await asyncio.to_thread(any_nos.type, FRONTEND, *any_nos.words.foreign_edit)
        return await Run(steps, compared, any_nos.report).all()

    (result,) = asyncio.run(meanwhile())
    assert result.outcome is Outcome.UNTOUCHED
    assert "the running configuration changed since it was compared" in result.text


@cumulus_only
def test_pending_changes_of_somebody_else_are_not_applied(any_nos: Bench) -> None:
    switch = any_nos.lab.lab.switch(FRONTEND)
    any_nos.lab.call(switch.shell.run("nv set interface swp9 description half-done"))
    failed = any_nos.up(FRONTEND)[FRONTEND]
    assert failed.outcome is Outcome.UNTOUCHED
    assert "the switch has pending changes, which this deployment would apply too" in failed.text
    assert "half-done" in failed.text


@cumulus_only
def test_a_change_slipped_in_between_is_not_applied(any_nos: Bench) -> None:
    before = any_nos.machine(FRONTEND)

    def slip_in() -> None:
        switch = any_nos.lab.lab.switch(FRONTEND)
        any_nos.lab.call(switch.shell.run("nv set service lldp tx-interval 60"))

    any_nos.when["configuration"] = slip_in
    failed = any_nos.up(FRONTEND)[FRONTEND]
    assert failed.outcome is Outcome.ROLLED_BACK, failed
    assert "`service lldp tx-interval 60`, which is not part of the change" in failed.text
    any_nos.assert_as_before(FRONTEND, before)


# --- defects: of the switch, of Rackproof


@enterprise_sonic_only
def test_a_switch_that_does_not_keep_its_lines_is_rolled_back(any_nos: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SonicCli, "type_lines", lambda _self, lines, note: [note(line) for line in lines])
    before = any_nos.machine(FRONTEND)
    failed = any_nos.up(FRONTEND)[FRONTEND]
    assert failed.outcome is Outcome.ROLLED_BACK
    assert "accepts lines that its running configuration then lacks" in failed.text
    any_nos.assert_as_before(FRONTEND, before)


def test_a_defect_of_ours_leaves_no_switch_half_configured(any_nos: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_self: object) -> None:
        raise KeyError("lost")

    monkeypatch.setattr(*any_nos.words.save, broken)
    before = any_nos.machine(FRONTEND)
    with pytest.raises(KeyError):
        any_nos.up(FRONTEND)
    any_nos.assert_as_before(FRONTEND, before)
