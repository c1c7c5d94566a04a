"""The change session of Enterprise SONiC: lines typed in ``sonic-cli``, with a checkpoint and a timer as rollback."""

from typing_extensions import override

from rackproof.connect.errors import CommandError, UnreachableError
from rackproof.deploy.errors import RefusedError
from rackproof.deploy.switch.change_session import Return
from rackproof.deploy.switch.nos.enterprise_sonic import return_timer
from rackproof.deploy.switch.nos.enterprise_sonic.device_control import SonicDevice
from rackproof.deploy.switch.nos.enterprise_sonic.rollback import roll_back
from rackproof.deploy.switch.stage import Stage
from rackproof.deploy.switch.unfinished import Unfinished


class SonicChangeSession(SonicDevice):
    """Changes one switch with Enterprise SONiC; parameters as of `ChangeSession`."""

    @override
    async def prepare(self) -> None:
        self.report("creating a checkpoint")
        try:
            self.check_stop()
            await self.shell(return_timer.MAKE_CHECKPOINT)
            await self.arm()
        except (CommandError, UnreachableError) as error:
            await self._drop_checkpoint()
            cause = f"not touched, because no rollback could be prepared: {error.cause}"
            raise RefusedError(self.task.device, cause, error.hint) from error

    async def _drop_checkpoint(self) -> None:
        """Remove an incomplete checkpoint as far as the switch allows it."""
        for command in (return_timer.DISARM, return_timer.DROP_CHECKPOINT):
            try:
                await self.shell(command)
            except (CommandError, UnreachableError) as error:
                self.report(f"the checkpoint could not be removed: {error.cause}")

    @override
    async def apply(self, stage: Stage, *, first: bool) -> None:
        if not first or stage.restarts:
            await self.arm(restarts=stage.restarts)
        self.report(f"{stage.title}: {len(stage.all_lines)} lines")
        boot = await self.shell(return_timer.BOOT) if stage.restarts else ""
        await self.type_stage(stage)
        if stage.restarts:
            await self._restart_after(stage)
            await self.close_cli()
            self.report(f"{stage.title}: waiting for the restart")
            await self.await_restart(boot, self.timeouts.restart_s)

    async def _restart_after(self, stage: Stage) -> None:
        """Restart the switch by the stage's own line, or by a save and a reboot."""
        self.restarted = True
        if stage.restarting_line is not None:
            await self.type_restarting_line(stage.restarting_line)
        else:
            await self.write_memory()
            await self.restart(return_timer.RESTART)

    @override
    async def commit(self) -> None:
        await self.cli()
        self.saved = True
        await self.write_memory()
        await self.shell(return_timer.DISARM)

    @override
    async def finish(self, unfinished: Unfinished) -> None:
        if unfinished.armed:
            await self.arm()  # the return is not to fire between the save and its end
        await self.commit()

    @override
    async def return_now(self) -> None:
        boot = await self.shell(return_timer.BOOT)
        await self.restart(return_timer.RETURN_NOW)
        await self.await_restart(boot, self.timeouts.restart_s)
        await self.shell(return_timer.DISARM)

    @override
    async def rollback(self, before: str, *, wait: bool) -> Return:
        return await roll_back(self, before, wait=wait)
