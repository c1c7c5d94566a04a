"""A change of one switch from checkpoint to saved configuration, or back to what it was."""

import asyncio
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from rackproof.connect.errors import AttemptError, UnreachableError
from rackproof.deploy.errors import StepError
from rackproof.deploy.protocol import Applied, Outcome
from rackproof.deploy.switch.change_session import SwitchInHand
from rackproof.deploy.switch.confirmation import Verdict, verdict
from rackproof.deploy.switch.managed_config import managed_tree
from rackproof.deploy.switch.operational_state import Surroundings
from rackproof.deploy.switch.read import SwitchState
from rackproof.plan.model.plan import SwitchIntent
from rackproof.render.config_tree import ConfigTree

STAGES_MAX = 8
"""Rounds from one configuration to another; more means that the switch does not keep what it was told."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What a switch is to become."""

    intent: SwitchIntent
    tree: ConfigTree
    """Its configuration, as far as Rackproof owns it."""
    wait_for_return: bool
    """Whether to wait for the switch's own timer after a failure."""
    confirmed: AbstractSet[str]
    """Switches that are deployed and confirmed."""


async def bring_about(hand: SwitchInHand, goal: Goal, before: SwitchState) -> Applied:
    """Change a switch, confirm and save it; or take it back to what it was.

    Raises
    ------
    StepError
        It did not go well; the error says what the switch is now.
    """
    await hand.prepare()
    try:
        await through_stages(hand, goal)
        seen = await confirm(hand, goal, before.surroundings or Surroundings())
        hand.tell("saving")
        await hand.keep()
    except (AttemptError, UnreachableError) as error:
        back = await hand.take_back(before.running, wait=goal.wait_for_return)
        hint = back.hint or (error.hint or "put that right and run the same command again")
        cause = f"{error.cause}; {back.text}"
        outcome = back.outcome if hand.sent or back.outcome is not Outcome.ROLLED_BACK else Outcome.UNTOUCHED
        raise StepError(hand.task.device, cause, outcome, hint, tuple(hand.sent)) from error
    except Exception:
        # A defect of ours is told as one, and leaves no switch half configured either.
        await hand.take_back(before.running, wait=goal.wait_for_return)
        raise
    finally:
        hand.let_go()
    return Applied(tuple(hand.sent), seen.pending, seen.notes)


async def through_stages(hand: SwitchInHand, goal: Goal) -> None:
    """Bring about stage after stage, reading the switch again after each.

    Raises
    ------
    AttemptError
        The switch refuses a line, is lost, or does not keep what it was told.
    UnreachableError
        It does not answer.
    """
    done: list[tuple[str, ...]] = []
    for _ in range(STAGES_MAX):
        hand.check_stop()
        printed = await hand.running()
        running = managed_tree(hand.task.nos.model, printed, hand.task.unmanaged)
        stage = hand.driver.next_stage(running, goal.tree, printed)
        if stage is None:
            return
        if stage.all_lines in done:
            break
        done.append(stage.all_lines)
        await hand.bring_about(stage, first=len(done) == 1)
    kept = next((line for line in done[-1] if line not in {"exit", "end"}), "")
    raise AttemptError(f"the switch accepts the lines and does not keep them, such as `{kept}`")


async def confirm(hand: SwitchInHand, goal: Goal, before: Surroundings) -> Verdict:
    """Wait until a fresh connection finds the switch where it was in the network.

    Raises
    ------
    AttemptError
        What was up stays down, or cables are not where the plan has them.
    """
    hand.tell("confirming over a fresh connection")
    loop = asyncio.get_running_loop()
    began = loop.time()
    while True:
        hand.check_stop()
        waited_s = loop.time() - began
        seen = await looked(hand, goal, before, waited_s)
        if seen is not None and not seen.lost and not seen.contradicting:
            return seen
        if seen is not None and seen.contradicting and waited_s >= hand.patience.contradiction_s:
            raise AttemptError(f"the cabling contradicts the plan: {'; '.join(seen.contradicting)}")
        if seen is not None and waited_s >= hand.patience.confirm_s:
            raise AttemptError(f"after the change is down: {'; '.join(seen.lost)}")
        await asyncio.sleep(hand.patience.poll_s)


async def looked(hand: SwitchInHand, goal: Goal, before: Surroundings, waited_s: float) -> Verdict | None:
    """Look around once; None where the switch does not answer yet.

    Raises
    ------
    AttemptError
        It does not run what it was given any more.
    UnreachableError
        It has not answered for as long as it may.
    """
    try:
        now = await hand.look()
    except UnreachableError:
        if waited_s >= hand.patience.confirm_s:
            raise
        return None
    if managed_tree(hand.task.nos.model, now.running, hand.task.unmanaged) != goal.tree:
        raise AttemptError("the switch lost its new configuration before it was confirmed: its own timer came first")
    return verdict(hand.task, goal.intent, before, now.surroundings or Surroundings(), goal.confirmed)
