"""A switch in hand: everything that is done to one switch while it is being changed."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import TypeVar

from rackproof.deploy.device_thread import DeviceThread
from rackproof.deploy.driver import Driver, Session
from rackproof.deploy.events import Progressed, Report
from rackproof.deploy.failures import AttemptError, HostKeyError, LoginError, UnreachableError
from rackproof.deploy.reading import SwitchState, look, shell
from rackproof.deploy.stage import Stage
from rackproof.deploy.task import Patience, SwitchTask

T = TypeVar("T")


class InterruptedByUserError(AttemptError):
    """The user stopped the deployment while this switch was being changed."""

    def __init__(self) -> None:
        super().__init__("interrupted")


class SwitchInHand:
    """One switch while it is being changed.

    Parameters
    ----------
    task, driver, patience
        The switch, its NOS, and how long to wait for it.
    report
        Where progress is told.
    stop
        Set when the user wants to stop: the work ends at the next line or look.
    """

    def __init__(
        self, task: SwitchTask, driver: Driver, patience: Patience, report: Report, stop: threading.Event
    ) -> None:
        self.task = task
        self.driver = driver
        self.patience = patience
        self.sent: list[str] = []
        """Lines sent so far."""
        self.restarted = False
        """Whether a stage that restarts the switch was begun."""
        self.saved = False
        """Whether a save was begun, so that the startup configuration may have changed."""
        self.due_epoch_s = 0
        """When the timed return fires, by the switch's clock."""
        self._report = report
        self._stop = stop
        self._thread = DeviceThread(task.device)
        self._session: Session | None = None

    def tell(self, doing: str) -> None:
        """Report what happens now."""
        self._report(Progressed(self.task.device, doing))

    def check_stop(self) -> None:
        """Stop here if the user wants to.

        Raises
        ------
        InterruptedByUserError
            The user wants to.
        """
        if self._stop.is_set():
            raise InterruptedByUserError

    # --- over connections of its own

    async def shell(self, command: str) -> str:
        """Run a command of the switch's shell; raises AttemptError or UnreachableError."""
        return await shell(self.task.target, command)

    async def look(self) -> SwitchState:
        """Read the switch with its surroundings; raises UnreachableError."""
        return await look(self.task.target, self.driver, lambda _running: False)

    async def running(self) -> str:
        """Return the running configuration; raises UnreachableError."""
        return (await look(self.task.target, self.driver, lambda _running: True)).running

    async def arm(self, *, restarts: bool = False) -> None:
        """Arm the timed return, or give it a new time; raises AttemptError or UnreachableError.

        Parameters
        ----------
        restarts
            Whether a restart comes first, which takes its own time.
        """
        now = int(await self.shell(self.driver.safeguard.CLOCK))
        wait_s = self.patience.return_after_s + (self.patience.restart_s if restarts else 0)
        self.due_epoch_s = now + int(wait_s)
        await self.shell(self.driver.safeguard.arm(self.due_epoch_s))

    @property
    def due_text(self) -> str:
        """When the timed return fires, for a person."""
        return self.driver.safeguard.clock_text(self.due_epoch_s)

    # --- in the interactive session

    async def bring_about(self, stage: Stage) -> None:
        """Type a stage's lines and wait for the restart it brings; raises AttemptError or UnreachableError."""
        self.tell(f"{stage.title}: {len(stage.all_lines)} lines")
        boot = await self.shell(self.driver.safeguard.BOOT) if stage.restarts else ""
        session = await self.session()
        await self._thread.call(session.type_lines, stage.lines, self._note)
        if not stage.restarts:
            return
        self.restarted = True
        if stage.restarting_line is not None:
            await self._thread.call(session.restart_by, stage.restarting_line, self._note)
        else:
            await self._thread.call(session.save)
            await self.restart(self.driver.safeguard.RESTART)
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

    async def session(self) -> Session:
        """Return the session, opened now if there is none."""
        if self._session is None:
            self._session = await self._thread.call(self.driver.Session, self.task.target)
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

    def let_go(self) -> None:
        """Leave the session to its thread, which closes it and ends; nobody waits for that."""
        session, self._session = self._session, None
        if session is not None:
            self._thread.leave(session.close)
        self._thread.stop()

    def _note(self, line: str) -> None:
        self.check_stop()
        self.sent.append(line)

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
            return await self.shell(self.driver.safeguard.BOOT) != boot

        async def stands() -> bool:
            before = await self.running()
            await asyncio.sleep(self.patience.settle_s)
            return before == await self.running()

        await self.until(restarted, limit_s, f"it did not restart within {limit_s:g} s")
        await self.until(stands, limit_s, f"its configuration did not settle within {limit_s:g} s of the restart")

    async def until_it_answers(self, limit_s: float) -> None:
        """Wait until the switch answers; raises AttemptError when it does not within the limit."""

        async def answers() -> bool:
            return bool(await self.shell(self.driver.safeguard.BOOT))

        await self.until(answers, limit_s, f"no answer within {limit_s:g} s")

    async def until(self, condition: Callable[[], Awaitable[bool]], limit_s: float, otherwise: str) -> None:
        """Try until a condition holds; a switch that does not answer is tried again.

        Raises
        ------
        AttemptError
            It does not hold within the limit; the text is ``otherwise`` and the last reason.
        """
        reason = ""
        try:
            async with asyncio.timeout(limit_s):
                while True:
                    try:
                        if await condition():
                            return
                    except (HostKeyError, LoginError) as error:
                        raise AttemptError(error.cause) from error
                    except (AttemptError, UnreachableError) as error:
                        reason = f" ({error.cause})"
                    await asyncio.sleep(self.patience.poll_s)
        except TimeoutError as error:
            raise AttemptError(f"{otherwise}{reason}") from error
