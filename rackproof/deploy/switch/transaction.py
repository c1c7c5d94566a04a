"""A change of one switch as a transaction: checkpoint, apply, confirm and save; or roll back."""

import asyncio
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from rackproof.connect.errors import CommandError, UnreachableError
from rackproof.deploy.errors import StepError
from rackproof.deploy.protocol import Applied, Outcome
from rackproof.deploy.switch.change_session import ChangeSession
from rackproof.deploy.switch.compare.managed_config import managed_tree
from rackproof.deploy.switch.confirmation import Verdict, verdict
from rackproof.deploy.switch.operational_state import OperationalState
from rackproof.deploy.switch.read import SwitchState
from rackproof.plan.model.plan import SwitchIntent
from rackproof.render.config_tree import ConfigTree

STAGES_MAX = 8
"""Stages of one change; more means that the switch does not keep the lines that it accepted."""


@dataclass(frozen=True, slots=True)
class Goal:
    """The configuration that a switch is to run."""

    intent: SwitchIntent
    tree: ConfigTree
    """The part of it that Rackproof owns."""
    wait_for_return: bool
    """Whether to wait for the switch's own rollback timer after a failure."""
    confirmed: AbstractSet[str]
    """Switches that are deployed and confirmed."""


async def apply_goal(session: ChangeSession, goal: Goal, before: SwitchState) -> Applied:
    """Change a switch, confirm and save it; roll it back if anything fails.

    Raises
    ------
    StepError
        The change failed; the error names the state of the switch.
    """
    await session.prepare()
    try:
        await apply_stages(session, goal)
        seen = await confirm(session, goal, before.operational or OperationalState())
        session.report("saving")
        await session.commit()
    except (CommandError, UnreachableError) as error:
        raise await rolled_back(session, goal, before, error) from error
    except Exception:
        # A defect of Rackproof is raised as one, after the rollback: no switch stays half configured.
        await session.rollback(before.running, wait=goal.wait_for_return)
        raise
    finally:
        session.close()
    return Applied(tuple(session.sent), seen.pending, seen.notes)


async def finish(session: ChangeSession, goal: Goal, before: SwitchState) -> Applied:
    """Confirm and save a switch that runs its intent already, after an interrupted deployment.

    Raises
    ------
    StepError
        It could not be finished; an armed return stays armed.
    """
    session.report("finishing an interrupted deployment")
    try:
        session.check_stop()
        seen = await confirm(session, goal, OperationalState())
        session.report("saving")
        await session.finish(before.unfinished)
    except (CommandError, UnreachableError) as error:
        raise unfinished_error(session, before, error) from error
    finally:
        session.close()
    return Applied(tuple(session.sent), seen.pending, seen.notes)


async def return_now(session: ChangeSession, before: SwitchState) -> SwitchState:
    """Return a switch to the configuration from before an interrupted deployment, and read it.

    Raises
    ------
    StepError
        It could not be returned; an armed return stays armed.
    """
    session.report("returning from an interrupted deployment")
    try:
        session.check_stop()
        await session.return_now()
        return await session.read_state()
    except (CommandError, UnreachableError) as error:
        raise unfinished_error(session, before, error) from error


def unfinished_error(session: ChangeSession, before: SwitchState, error: CommandError | UnreachableError) -> StepError:
    """Return the error for a switch that could neither be finished nor returned."""
    armed = before.unfinished.armed
    cause = f"{error.cause}; {armed}" if armed else error.cause
    outcome = Outcome.RETURNING if armed else Outcome.FAILED
    return StepError(
        session.task.device, cause, outcome, error.hint or "run the same command again", tuple(session.sent)
    )


async def rolled_back(
    session: ChangeSession, goal: Goal, before: SwitchState, error: CommandError | UnreachableError
) -> StepError:
    """Roll a switch back after a failure and return the step's error, with the state of the switch."""
    back = await session.rollback(before.running, wait=goal.wait_for_return)
    hint = back.hint or error.hint or "fix the cause and run the same command again"
    cause = f"{error.cause}; {back.text}"
    outcome = back.outcome if session.sent or back.outcome is not Outcome.ROLLED_BACK else Outcome.UNTOUCHED
    return StepError(session.task.device, cause, outcome, hint, tuple(session.sent))


async def apply_stages(session: ChangeSession, goal: Goal) -> None:
    """Apply one stage after another; the switch is read again after each.

    Raises
    ------
    CommandError
        The switch refuses a line, its session breaks, or it does not keep the lines that it accepted.
    UnreachableError
        It does not answer.
    """
    done: list[tuple[str, ...]] = []
    for _ in range(STAGES_MAX):
        session.check_stop()
        printed = await session.running()
        running = managed_tree(session.task.nos.model, printed, session.task.unmanaged)
        stage = session.rules.next_stage(running, goal.tree, printed)
        if stage is None:
            return
        if stage.all_lines in done:
            break
        done.append(stage.all_lines)
        if len(done) > 1:
            await session.lock.renew()
        await session.apply(stage, first=len(done) == 1)
    repeated = next((line for line in done[-1] if line not in {"exit", "end"}), "")
    raise CommandError(f"the switch accepts lines that its running configuration then lacks, such as `{repeated}`")


async def confirm(session: ChangeSession, goal: Goal, before: OperationalState) -> Verdict:
    """Wait until a new connection shows that the switch kept its links and sessions.

    Raises
    ------
    CommandError
        What was up before the change stays down, or the cabling contradicts the plan.
    """
    session.report("confirming over a fresh connection")
    loop = asyncio.get_running_loop()
    began = loop.time()
    while True:
        session.check_stop()
        waited_s = loop.time() - began
        seen = await observed(session, goal, before, waited_s)
        if seen is not None and not seen.lost and not seen.contradicting:
            return seen
        if seen is not None and seen.contradicting and waited_s >= session.timeouts.contradiction_s:
            raise CommandError(f"the cabling contradicts the plan: {'; '.join(seen.contradicting)}")
        if seen is not None and waited_s >= session.timeouts.confirm_s:
            raise CommandError(f"down after the change: {'; '.join(seen.lost)}")
        await asyncio.sleep(session.timeouts.poll_s)


async def observed(session: ChangeSession, goal: Goal, before: OperationalState, waited_s: float) -> Verdict | None:
    """Read the switch once and return the verdict; None: it does not answer yet.

    Raises
    ------
    CommandError
        It no longer runs the configuration that was applied.
    UnreachableError
        It has not answered within the confirmation timeout.
    """
    try:
        now = await session.read_state()
    except UnreachableError:
        if waited_s >= session.timeouts.confirm_s:
            raise
        return None
    if managed_tree(session.task.nos.model, now.running, session.task.unmanaged) != goal.tree:
        raise CommandError("the switch rolled back by its own timer before the change was confirmed")
    return verdict(session.task, goal.intent, before, now.operational or OperationalState(), goal.confirmed)
