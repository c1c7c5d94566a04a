"""A switch with Enterprise SONiC in hand: lines typed in a session, a checkpoint and a timer as the way back."""

import asyncio
import threading

from typing_extensions import override

from rackproof.connect.device_thread import DeviceThread
from rackproof.connect.errors import AttemptError, UnreachableError
from rackproof.deploy.errors import RefusedError
from rackproof.deploy.events import Report
from rackproof.deploy.switch.change_session import Return, SwitchInHand
from rackproof.deploy.switch.driver import Driver
from rackproof.deploy.switch.job import Patience, SwitchTask
from rackproof.deploy.switch.nos.enterprise_sonic import return_timer
from rackproof.deploy.switch.nos.enterprise_sonic.cli_session import SonicSession
from rackproof.deploy.switch.nos.enterprise_sonic.rollback import roll_back
from rackproof.deploy.switch.stage import Stage


class SonicInHand(SwitchInHand):
    """One switch with Enterprise SONiC while it is being changed; parameters as of `SwitchInHand`."""

    def __init__(
        self, task: SwitchTask, driver: Driver, patience: Patience, report: Report, stop: threading.Event
    ) -> None:
        super().__init__(task, driver, patience, report, stop)
        self.restarted = False
        """Whether a stage that restarts the switch was begun."""
        self.saved = False
        """Whether a save was begun, so that the startup configuration may have changed."""
        self.due_epoch_s = 0
        """When the timed return fires, by the switch's clock."""
        self._thread = DeviceThread(task.device)
        self._session: SonicSession | None = None

    # --- the way back

    @override
    async def prepare(self) -> None:
        self.tell("keeping a checkpoint")
        try:
            self.check_stop()
            if (await self.shell(return_timer.IS_ARMED)).strip() == "active":
                due = (await self.shell(return_timer.DUE)).partition("OnCalendar=")[2].partition("\n")[0]
                cause = f"an earlier deployment was cut off; the switch returns to what it was before it at {due}"
                raise RefusedError(self.task.device, cause, "wait until then, and run the same command again")
            await self.shell(return_timer.MAKE_CHECKPOINT)
            await self.arm()
        except (AttemptError, UnreachableError) as error:
            await self._forget_checkpoint()
            cause = f"not touched, because no way back could be prepared: {error.cause}"
            raise RefusedError(self.task.device, cause, error.hint) from error

    async def _forget_checkpoint(self) -> None:
        """Clear away a checkpoint that was begun, as far as the switch lets us."""
        for command in (return_timer.DISARM, return_timer.DROP_CHECKPOINT):
            try:
                await self.shell(command)
            except (AttemptError, UnreachableError) as error:
                self.tell(f"the checkpoint could not be cleared away: {error.cause}")

    @override
    async def keep(self) -> None:
        await self.save()
        await self.shell(return_timer.DISARM)

    @override
    async def take_back(self, before: str, *, wait: bool) -> Return:
        return await roll_back(self, before, wait=wait)

    async def arm(self, *, restarts: bool = False) -> None:
        """Arm the timed return, or give it a new time; raises AttemptError or UnreachableError.

        Parameters
        ----------
        restarts
            Whether a restart comes first, which takes its own time.
        """
        now = int(await self.shell(return_timer.CLOCK))
        wait_s = self.patience.return_after_s + (self.patience.restart_s if restarts else 0)
        self.due_epoch_s = now + int(wait_s)
        await self.shell(return_timer.arm(self.due_epoch_s))

    @property
    def due_text(self) -> str:
        """When the timed return fires, for a person."""
        return return_timer.clock_text(self.due_epoch_s)

    # --- in the interactive session

    @override
    async def bring_about(self, stage: Stage, *, first: bool) -> None:
        if not first or stage.restarts:
            await self.arm(restarts=stage.restarts)
        self.tell(f"{stage.title}: {len(stage.all_lines)} lines")
        boot = await self.shell(return_timer.BOOT) if stage.restarts else ""
        session = await self.session()
        await self._thread.call(session.type_lines, stage.lines, self.note)
        if not stage.restarts:
            return
        self.restarted = True
        if stage.restarting_line is not None:
            await self._thread.call(session.restart_by, stage.restarting_line, self.note)
        else:
            await self._thread.call(session.save)
            await self.restart(return_timer.RESTART)
        await self.close_session()
        self.tell(f"{stage.title}: waiting for the restart")
        await self.await_restart(boot, self.patience.restart_s)

    async def undo(self, stage: Stage) -> None:
        """Type the lines of a stage that undoes another, whoever wants to stop; raises AttemptError."""
        session = await self.session()
        await self._thread.call(session.type_lines, stage.lines, self.sent.append)

    async def save(self) -> None:
        """Make the running configuration the one that the switch starts with; raises AttemptError."""
        session = await self.session()
        self.saved = True
        await self._thread.call(session.save)

    async def session(self) -> SonicSession:
        """Return the session, opened now if there is none."""
        if self._session is None:
            self._session = await self._thread.call(SonicSession, self.task.target)
        return self._session

    async def close_session(self) -> None:
        """End the session, if there is one."""
        session, self._session = self._session, None
        if session is not None:
            await self._thread.call(session.close)

    def abandon_session(self) -> None:
        """Leave a session that may hang to its thread, and go on with another."""
        self.let_go()
        self._thread = DeviceThread(self.task.device)

    @override
    def let_go(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            self._thread.leave(session.close)
        self._thread.stop()

    # --- restarts

    async def restart(self, command: str) -> None:
        """Run a command that restarts the switch, so that its connection breaks."""
        try:
            await self.shell(command)
        except (AttemptError, UnreachableError):
            self.tell("the switch went down")

    async def await_restart(self, boot: str, limit_s: float) -> None:
        """Wait until the switch has restarted and its configuration stands.

        Parameters
        ----------
        boot
            What ``BOOT`` printed before.
        limit_s
            How long to wait.

        Raises
        ------
        AttemptError
            It has not restarted, or does not answer, within the limit.
        """

        async def restarted() -> bool:
            return await self.shell(return_timer.BOOT) != boot

        async def stands() -> bool:
            before = await self.running()
            await asyncio.sleep(self.patience.settle_s)
            return before == await self.running()

        await self.until(restarted, limit_s, f"it did not restart within {limit_s:g} s")
        await self.until(stands, limit_s, f"its configuration did not settle within {limit_s:g} s of the restart")

    async def until_it_answers(self, limit_s: float) -> None:
        """Wait until the switch answers; raises AttemptError when it does not within the limit."""

        async def answers() -> bool:
            return bool(await self.shell(return_timer.BOOT))

        await self.until(answers, limit_s, f"no answer within {limit_s:g} s")
