"""The way back: a switch on which something failed becomes what it was, and that is verified."""

from typing import TYPE_CHECKING

from rackproof.connect.errors import AttemptError, UnreachableError
from rackproof.deploy.protocol import Outcome
from rackproof.deploy.switch.change_session import AS_BEFORE, Return
from rackproof.deploy.switch.managed_config import same_configuration
from rackproof.deploy.switch.nos.enterprise_sonic import return_timer
from rackproof.deploy.switch.nos.enterprise_sonic.stages import next_stage
from rackproof.render.config_tree import parse_tree

if TYPE_CHECKING:
    from rackproof.deploy.switch.nos.enterprise_sonic.change_session import SonicInHand

UNDO_ROUNDS = 3
"""Rounds of lines that may be needed to undo a change; when that is not enough, lines do not help."""


async def roll_back(hand: "SonicInHand", before: str, *, wait: bool) -> Return:
    """Take a switch back to the running configuration it had.

    The gentlest way that works: undoing lines, where nothing was restarted; else the checkpoint and a restart; else
    the switch's own timer, where it does not answer.

    Parameters
    ----------
    hand
        The switch, with an armed return.
    before
        The running configuration it had.
    wait
        Whether to wait for the switch's own timer where it does not answer.
    """
    hand.tell("rolling back")
    hand.abandon_session()
    limit_s = hand.patience.restart_s if hand.restarted else hand.patience.unreachable_s
    try:
        await hand.until_it_answers(limit_s)
        if not hand.restarted and await undone(hand, before):
            return AS_BEFORE
        return await returned(hand, before)
    except (AttemptError, UnreachableError) as error:
        return await left_to_timer(hand, before, error.cause, wait=wait)


async def undone(hand: "SonicInHand", before: str) -> bool:
    """Undo the lines that were typed, with lines; return whether the switch is as before and needs no return."""
    wanted = parse_tree(before)
    try:
        for _ in range(UNDO_ROUNDS):
            stage = next_stage(parse_tree(await hand.running()), wanted)
            if stage is None:
                break
            if stage.restarts:
                return False
            await hand.undo(stage)
        if not same_configuration(await hand.running(), before):
            hand.tell("lines do not undo all of it")
            return False
        await hand.shell(return_timer.GIVE_UP if hand.saved else return_timer.DISARM)
    except (AttemptError, UnreachableError) as error:
        hand.tell(f"lines do not undo it: {error.cause}")
        hand.abandon_session()
        return False
    return True


async def returned(hand: "SonicInHand", before: str) -> Return:
    """Return to the checkpoint now, with a restart, and look whether the switch is as before.

    Raises
    ------
    AttemptError
        The switch does not come back.
    """
    hand.tell("returning to the checkpoint with a restart")
    boot = await hand.shell(return_timer.BOOT)
    if (await hand.shell(return_timer.HAS_CHECKPOINT)).strip() == "yes":
        await hand.restart(return_timer.RETURN_NOW)
        await hand.await_restart(boot, hand.patience.restart_s)
    return await verified(hand, before)


async def verified(hand: "SonicInHand", before: str) -> Return:
    """Return whether the switch that has returned is as before, and clear away what the return needed."""

    async def as_before() -> bool:
        return same_configuration(await hand.running(), before)

    try:
        await hand.until(as_before, hand.patience.unreachable_s, "it differs")
    except AttemptError:
        text = "the switch returned to its checkpoint, and its configuration still is not what it was before"
        return Return(Outcome.FAILED, text, "compare with `rackproof diff`, and look at the switch before going on")
    await hand.shell(return_timer.DISARM)
    return Return(Outcome.ROLLED_BACK, "the switch is as it was before, after a restart")


async def left_to_timer(hand: "SonicInHand", before: str, reason: str, *, wait: bool) -> Return:
    """Leave a switch that does not answer to its own timer, and wait for that where somebody asked to."""
    if not wait:
        text = f"the switch does not answer ({reason}); its own timer returns it to what it was at {hand.due_text}"
        return Return(Outcome.RETURNING, text, "wait until then, find out why it does not answer, and run it again")
    hand.tell(f"waiting for its own timer, due at {hand.due_text}")
    patience = hand.patience

    async def has_returned() -> bool:
        gone = (await hand.shell(return_timer.HAS_CHECKPOINT)).strip() != "yes"
        return gone and same_configuration(await hand.running(), before)

    try:
        await hand.until(has_returned, patience.return_after_s + 2 * patience.restart_s, "it has not returned")
        await hand.shell(return_timer.DISARM)
    except (AttemptError, UnreachableError) as error:
        text = f"the switch should have returned by its own timer at {hand.due_text}, and has not ({error.cause})"
        return Return(Outcome.FAILED, text, "connect to its console")
    return Return(Outcome.ROLLED_BACK, "the switch is as it was before, returned by its own timer")
