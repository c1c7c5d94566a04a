"""What goes wrong on Cumulus Linux: the switch is as it was, the others are finished, and it is said which is which."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

import pytest

from rackproof.deploy.protocol import Outcome
from rackproof.deploy.scheduler import Run, StepResult, compare
from rackproof.deploy.switch.job import SwitchOptions
from tests.deploy.conftest import BACKEND, FRONTEND, TIMEOUTS

if TYPE_CHECKING:
    from tests.deploy.conftest import Bench, Machine

pytestmark = pytest.mark.lab
OOB: Final = "oob-leaf-01"
WAITING: Final = SwitchOptions(wait_for_return=True, timeouts=TIMEOUTS)


def assert_as_before(bench: Bench, name: str, before: Machine) -> None:
    assert bench.machine(name) == before
    outcome = bench.lab.call(bench.lab.lab.switch(name).shell.run("nv config diff"))
    assert not outcome.out, "something is pending"
    assert not bench.lab.call(bench.lab.lab.switch(name).shell.run("ls /tmp")).out


def test_a_refused_key_leaves_nothing_pending(spectrum: Bench) -> None:
    before = spectrum.machine(FRONTEND)
    spectrum.inject("refused-line", FRONTEND, pattern="traffic-class|router-id")
    results = spectrum.up(FRONTEND, OOB)
    failed = results[FRONTEND]
    assert failed.outcome is Outcome.ROLLED_BACK, failed
    assert "operation failed" in failed.text
    assert "the switch is as it was before" in failed.text
    assert results[OOB].outcome is Outcome.CHANGED
    assert_as_before(spectrum, FRONTEND, before)


@pytest.mark.parametrize("lines", ["1", "30"])
def test_a_session_that_drops_before_the_patch_has_arrived(spectrum: Bench, lines: str) -> None:
    before = spectrum.machine(FRONTEND)
    spectrum.inject("session-cut", FRONTEND, lines=lines)
    failed = spectrum.up(FRONTEND)[FRONTEND]
    assert failed.outcome is Outcome.ROLLED_BACK, failed
    assert_as_before(spectrum, FRONTEND, before)


def test_a_session_that_drops_while_it_is_applied(spectrum: Bench) -> None:
    before = spectrum.machine(FRONTEND)
    spectrum.when["applying with commit-confirm"] = lambda: spectrum.inject("session-cut", FRONTEND, lines="1")
    failed = spectrum.up(FRONTEND)[FRONTEND]
    assert failed.outcome is Outcome.ROLLED_BACK, failed
    assert "--confirm-no" in failed.applied.commands[-1]
    assert_as_before(spectrum, FRONTEND, before)


def test_a_switch_that_dies_on_trial_starts_with_what_it_had(spectrum: Bench) -> None:
    before = spectrum.machine(FRONTEND)
    spectrum.when["confirming over"] = lambda: spectrum.inject("dead-switch", FRONTEND)
    results = spectrum.up(FRONTEND, OOB)
    failed = results[FRONTEND]
    assert failed.outcome is Outcome.RETURNING, failed
    assert "its own timer rolls it back at 20" in failed.text
    assert results[OOB].outcome is Outcome.CHANGED
    spectrum.clear()
    assert_as_before(spectrum, FRONTEND, before)
    assert spectrum.up(FRONTEND)[FRONTEND].outcome is Outcome.CHANGED


def test_a_switch_that_dies_before_anything_was_applied_says_so(spectrum: Bench) -> None:
    spectrum.when["configuration"] = lambda: spectrum.inject("dead-switch", FRONTEND)
    failed = spectrum.up(FRONTEND)[FRONTEND]
    assert "nothing had been applied" in failed.text
    spectrum.clear()


def test_a_switch_that_cannot_be_reached_after_the_change_returns_by_itself(spectrum: Bench) -> None:
    before = spectrum.machine(FRONTEND)
    spectrum.inject("return-timer-fires", FRONTEND)
    failed = spectrum.up(FRONTEND)[FRONTEND]
    assert failed.outcome is Outcome.ROLLED_BACK, failed
    assert_as_before(spectrum, FRONTEND, before)


def test_a_switch_that_is_lost_for_long_is_waited_for_when_asked(spectrum: Bench) -> None:
    before = spectrum.machine(FRONTEND)
    spectrum.inject("return-timer-fires", FRONTEND, hold="true")
    spectrum.when["waiting for its own timer"] = lambda: spectrum.advance(TIMEOUTS.return_after_s + 60)
    failed = spectrum.up(FRONTEND, options=WAITING)[FRONTEND]
    assert failed.outcome is Outcome.ROLLED_BACK, failed
    assert "rolled back by its own timer" in failed.text
    assert_as_before(spectrum, FRONTEND, before)


def test_a_trial_that_nobody_ended_is_respected(spectrum: Bench) -> None:
    switch = spectrum.lab.lab.switch(FRONTEND)
    spectrum.lab.call(switch.shell.run("nv set system timezone Europe/Berlin"))
    spectrum.lab.call(switch.shell.run("nv config apply -y --confirm 10"))
    failed = spectrum.up(FRONTEND)[FRONTEND]
    assert failed.outcome is Outcome.UNTOUCHED, failed
    assert "an earlier deployment was interrupted; revision 2 awaits confirmation" in failed.text
    assert "--confirm-no" in failed.hint
    spectrum.advance(601)
    assert spectrum.up(FRONTEND)[FRONTEND].outcome is Outcome.CHANGED


def test_what_somebody_has_pending_is_not_brought_along(spectrum: Bench) -> None:
    switch = spectrum.lab.lab.switch(FRONTEND)
    spectrum.lab.call(switch.shell.run("nv set interface swp9 description half-done"))
    failed = spectrum.up(FRONTEND)[FRONTEND]
    assert failed.outcome is Outcome.UNTOUCHED
    assert "the switch has pending changes, which this deployment would apply too" in failed.text
    assert "half-done" in failed.text


@pytest.mark.parametrize("silent", ["false", "true"])
def test_a_switch_that_is_dead_from_the_start(spectrum: Bench, silent: str) -> None:
    spectrum.inject("dead-switch", FRONTEND, silent=silent)
    results = spectrum.up(FRONTEND, OOB)
    assert results[FRONTEND].outcome is Outcome.UNKNOWN
    assert results[OOB].outcome is Outcome.CHANGED


def test_a_full_disk_from_the_start_touches_nothing(spectrum: Bench) -> None:
    before = spectrum.machine(FRONTEND)
    spectrum.inject("full-disk", FRONTEND)
    failed = spectrum.up(FRONTEND)[FRONTEND]
    assert failed.outcome is Outcome.UNTOUCHED
    assert "No space left on device" in failed.text
    assert not failed.applied.commands
    spectrum.clear()
    assert_as_before(spectrum, FRONTEND, before)


@pytest.mark.parametrize("moment", ["configuration", "applying with commit-confirm", "saving"])
def test_a_disk_that_fills_in_the_middle(spectrum: Bench, moment: str) -> None:
    before = spectrum.machine(FRONTEND)
    spectrum.when[moment] = lambda: spectrum.inject("full-disk", FRONTEND)
    failed = spectrum.up(FRONTEND)[FRONTEND]
    assert failed.outcome is Outcome.ROLLED_BACK, failed
    assert "No space left on device" in failed.text
    spectrum.clear()
    assert_as_before(spectrum, FRONTEND, before)


def test_a_changed_host_key_is_refused(spectrum: Bench) -> None:
    access = spectrum.access()
    before = spectrum.machine(FRONTEND)
    spectrum.inject("changed-host-key", FRONTEND)
    failed = spectrum.up(FRONTEND, access=access)[FRONTEND]
    assert failed.outcome is Outcome.UNKNOWN
    assert "another host key" in failed.text
    assert_as_before(spectrum, FRONTEND, before)


def test_a_wrong_password_is_told_apart(spectrum: Bench) -> None:
    spectrum.inject("wrong-password", FRONTEND)
    failed = spectrum.up(FRONTEND)[FRONTEND]
    assert failed.outcome is Outcome.UNKNOWN
    assert "does not accept the credential of user cumulus" in failed.text


def test_slow_answers_are_waited_for(spectrum: Bench) -> None:
    spectrum.inject("slow-answer", FRONTEND, seconds="0.02")
    assert spectrum.up(FRONTEND)[FRONTEND].outcome is Outcome.CHANGED


def test_a_swapped_cable_found_afterwards_rolls_back_and_names_both(spectrum: Bench) -> None:
    before = spectrum.machine(BACKEND)
    spectrum.inject("swapped-cable", BACKEND, first="swp1s0", second="swp2s0")
    failed = spectrum.up(BACKEND)[BACKEND]
    assert failed.outcome is Outcome.ROLLED_BACK, failed
    assert "the cables at swp1s0 and swp2s0 are swapped" in failed.text
    assert_as_before(spectrum, BACKEND, before)


def test_a_swapped_cable_known_before_stops_the_switch_untouched(spectrum: Bench) -> None:
    spectrum.up(BACKEND)
    spectrum.inject("swapped-cable", BACKEND, first="swp1s0", second="swp2s0")
    spectrum.type(BACKEND, "nv set interface swp1s0 description somebody")
    before = spectrum.machine(BACKEND)
    failed = spectrum.up(BACKEND)[BACKEND]
    assert failed.outcome is Outcome.UNTOUCHED
    assert "the cables at swp1s0 and swp2s0 are swapped" in failed.text
    assert_as_before(spectrum, BACKEND, before)


def test_a_failure_leaves_the_other_of_a_pair_alone(spectrum: Bench) -> None:
    before = spectrum.machine("backend-leaf-02")
    spectrum.inject("refused-line", BACKEND, pattern="router-id")
    results = spectrum.up("backend")
    assert results[BACKEND].outcome is Outcome.ROLLED_BACK
    assert results["backend-leaf-02"].outcome is Outcome.UNTOUCHED
    assert results["backend/gate"].outcome is Outcome.UNTOUCHED
    assert_as_before(spectrum, "backend-leaf-02", before)


@pytest.mark.parametrize(
    ("moment", "ends"),
    [
        ("checking that a rollback is possible", Outcome.UNTOUCHED),
        ("configuration", Outcome.UNTOUCHED),
        ("applying with commit-confirm", Outcome.ROLLED_BACK),
        ("saving", Outcome.CHANGED),
    ],
)
def test_an_interruption_ends_the_switch_in_hand_well(spectrum: Bench, moment: str, ends: Outcome) -> None:
    before = spectrum.machine(FRONTEND)

    async def interrupted() -> tuple[StepResult, ...]:
        steps = tuple(spectrum.steps(FRONTEND).values())
        run = Run(steps, await compare(steps, spectrum.report), spectrum.report)
        task = asyncio.create_task(run.all())
        spectrum.when[moment] = task.cancel
        return await task

    (result,) = asyncio.run(interrupted())
    assert result.outcome is ends, result
    if ends is Outcome.CHANGED:
        assert not spectrum.compared(FRONTEND)[FRONTEND].changes
    else:
        assert_as_before(spectrum, FRONTEND, before)


def test_somebody_else_changing_the_switch_is_noticed(spectrum: Bench) -> None:
    async def meanwhile() -> tuple[StepResult, ...]:
        steps = tuple(spectrum.steps(FRONTEND).values())
        compared = await compare(steps, spectrum.report)
        await asyncio.to_thread(spectrum.type, FRONTEND, "nv set service lldp tx-interval 60")
        return await Run(steps, compared, spectrum.report).all()

    (result,) = asyncio.run(meanwhile())
    assert result.outcome is Outcome.UNTOUCHED
    assert "the running configuration changed since it was compared" in result.text


def test_a_change_slipped_in_between_is_not_applied(spectrum: Bench) -> None:
    before = spectrum.machine(FRONTEND)

    def slip_in() -> None:
        switch = spectrum.lab.lab.switch(FRONTEND)
        spectrum.lab.call(switch.shell.run("nv set service lldp tx-interval 60"))

    spectrum.when["configuration"] = slip_in
    failed = spectrum.up(FRONTEND)[FRONTEND]
    assert failed.outcome is Outcome.ROLLED_BACK, failed
    assert "`service lldp tx-interval 60`, which is not part of the change" in failed.text
    assert_as_before(spectrum, FRONTEND, before)
