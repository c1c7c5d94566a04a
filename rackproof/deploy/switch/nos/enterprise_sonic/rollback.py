"""Rolls back a switch with Enterprise SONiC, and verifies the result."""

from rackproof.connect.errors import CommandError, UnreachableError
from rackproof.deploy.protocol import Outcome
from rackproof.deploy.switch.change_session import AS_BEFORE, Return
from rackproof.deploy.switch.compare.managed_config import same_configuration
from rackproof.deploy.switch.nos.enterprise_sonic import return_timer
from rackproof.deploy.switch.nos.enterprise_sonic.device_control import SonicDevice
from rackproof.deploy.switch.nos.enterprise_sonic.stages import next_stage
from rackproof.render.config_tree import parse_tree

UNDO_ROUNDS = 3
"""Rounds of undoing lines before the checkpoint is restored with a restart."""


async def roll_back(device: SonicDevice, before: str, *, wait: bool) -> Return:
    """Restore the running configuration from before the change, by the least disruptive way that works.

    Undo the typed lines if nothing was restarted; else restore the checkpoint with a restart; else leave a switch that
    does not answer to its return timer.

    Parameters
    ----------
    device
        The switch, with an armed return timer.
    before
        The running configuration from before the change.
    wait
        Whether to wait for the return timer where the switch does not answer.
    """
    device.report("rolling back")
    device.abandon_cli()
    limit_s = device.timeouts.restart_s if device.restarted else device.timeouts.unreachable_s
    try:
        await device.until_it_answers(limit_s)
        if not device.restarted and await undone(device, before):
            return AS_BEFORE
        return await return_to_checkpoint(device, before)
    except (CommandError, UnreachableError) as error:
        return await await_return_timer(device, before, error.cause, wait=wait)


async def undone(device: SonicDevice, before: str) -> bool:
    """Undo the typed lines; return whether the running configuration is restored without a restart."""
    try:
        if not await undo_lines(device, before):
            return False
        if not same_configuration(await device.running(), before):
            device.report("undoing the lines does not restore the whole configuration")
            return False
        await device.shell(return_timer.GIVE_UP if device.saved else return_timer.DISARM)
    except (CommandError, UnreachableError) as error:
        device.report(f"the lines cannot be undone: {error.cause}")
        device.abandon_cli()
        return False
    return True


async def undo_lines(device: SonicDevice, before: str) -> bool:
    """Type the lines that lead back; False: a restart is needed."""
    wanted = parse_tree(before)
    for _ in range(UNDO_ROUNDS):
        stage = next_stage(parse_tree(await device.running()), wanted)
        if stage is None:
            break
        if stage.restarts:
            return False
        await device.undo(stage)
    return True


async def return_to_checkpoint(device: SonicDevice, before: str) -> Return:
    """Restore the checkpoint now, with a restart, and verify the running configuration.

    Raises
    ------
    CommandError
        The switch does not come back.
    """
    device.report("returning to the checkpoint with a restart")
    boot = await device.shell(return_timer.BOOT)
    if (await device.shell(return_timer.HAS_CHECKPOINT)).strip() == "yes":
        await device.restart(return_timer.RETURN_NOW)
        await device.await_restart(boot, device.timeouts.restart_s)
    return await verified_return(device, before)


async def verified_return(device: SonicDevice, before: str) -> Return:
    """Return whether the restarted switch has its previous configuration; remove timer and checkpoint if it has."""

    async def as_before() -> bool:
        return same_configuration(await device.running(), before)

    try:
        await device.until(as_before, device.timeouts.unreachable_s, "it differs")
    except CommandError:
        text = "the switch returned to its checkpoint, but its configuration differs from the one before the change"
        return Return(Outcome.FAILED, text, "compare with `rackproof diff`, and check the switch before going on")
    await device.shell(return_timer.DISARM)
    return Return(Outcome.ROLLED_BACK, "the switch is as it was before, after a restart")


async def await_return_timer(device: SonicDevice, before: str, reason: str, *, wait: bool) -> Return:
    """Leave a switch that does not answer to its return timer, and wait for the timer if the user asked to."""
    if not wait:
        text = f"the switch does not answer ({reason}); its own timer rolls it back at {device.due_text}"
        return Return(Outcome.RETURNING, text, "wait until then, find out why it does not answer, and run it again")
    device.report(f"waiting for its own timer, due at {device.due_text}")
    timeouts = device.timeouts

    async def has_returned() -> bool:
        gone = (await device.shell(return_timer.HAS_CHECKPOINT)).strip() != "yes"
        return gone and same_configuration(await device.running(), before)

    try:
        await device.until(has_returned, timeouts.return_after_s + 2 * timeouts.restart_s, "it has not rolled back")
        await device.shell(return_timer.DISARM)
    except (CommandError, UnreachableError) as error:
        text = f"the switch has not rolled back by its own timer, due at {device.due_text} ({error.cause})"
        return Return(Outcome.FAILED, text, "connect to its console")
    return Return(Outcome.ROLLED_BACK, "the switch is as it was before, rolled back by its own timer")
