"""A change session: everything that is done to one switch while its configuration changes."""

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from rackproof.connect.errors import CommandError, HostKeyError, LoginError, UnreachableError
from rackproof.connect.ssh import shell
from rackproof.deploy.events import Progressed, Report
from rackproof.deploy.protocol import Outcome
from rackproof.deploy.switch.device_lock import DeviceLock
from rackproof.deploy.switch.job import SwitchTask, Timeouts
from rackproof.deploy.switch.nos_rules import NosRules
from rackproof.deploy.switch.read import SwitchState, read_switch
from rackproof.deploy.switch.stage import Stage
from rackproof.deploy.switch.unfinished import Unfinished


class InterruptedByUserError(CommandError):
    """The user stopped the deployment while this switch was being changed."""

    def __init__(self) -> None:
        super().__init__("interrupted")


@dataclass(frozen=True, slots=True)
class Return:
    """State of a switch after a rollback."""

    outcome: Outcome
    text: str
    """The state in one sentence, for the user."""
    hint: str = ""


AS_BEFORE = Return(Outcome.ROLLED_BACK, "the switch is as it was before")


class ChangeSession(ABC):
    """Changes one switch; each NOS implements how lines are applied, confirmed and rolled back.

    Parameters
    ----------
    task, rules, timeouts
        The switch, the rules of its NOS, and the timeouts of the change.
    report
        Called with each progress event.
    stop
        Set when the user stops the deployment; the work then ends before the next line or read.
    """

    def __init__(
        self, task: SwitchTask, rules: NosRules, timeouts: Timeouts, report: Report, stop: threading.Event
    ) -> None:
        self.task = task
        self.rules = rules
        self.timeouts = timeouts
        self.sent: list[str] = []
        """Lines sent so far."""
        self.lock = DeviceLock(self.shell, rules.LOCK, task.device, task.site, timeouts.lock_s)
        """The lock of this deployment on the switch."""
        self._report = report
        self._stop = stop

    # --- implemented by each NOS

    @abstractmethod
    async def prepare(self) -> None:
        """Prepare a rollback that works even if the connection or this process is lost.

        Raises
        ------
        RefusedError
            No rollback can be prepared, so the switch is not touched.
        """

    @abstractmethod
    async def apply(self, stage: Stage, *, first: bool) -> None:
        """Apply the lines of a stage; raises CommandError or UnreachableError.

        Parameters
        ----------
        stage
            Lines to apply.
        first
            Whether this is the first stage of the change.
        """

    @abstractmethod
    async def commit(self) -> None:
        """Confirm the running configuration and save it as startup; raises CommandError or UnreachableError."""

    @abstractmethod
    async def finish(self, unfinished: Unfinished) -> None:
        """Confirm and save what an interrupted deployment applied; raises CommandError or UnreachableError."""

    @abstractmethod
    async def return_now(self) -> None:
        """Return at once to the configuration to which an armed return leads; raises CommandError, UnreachableError."""

    @abstractmethod
    async def rollback(self, before: str, *, wait: bool) -> Return:
        """Restore the running configuration from before the change, and verify it.

        Parameters
        ----------
        before
            The running configuration from before the change.
        wait
            Whether to wait for the switch's own rollback timer where the switch does not answer.
        """

    @abstractmethod
    def close(self) -> None:
        """Close connections without waiting for them."""

    # --- progress and interruption

    def report(self, doing: str) -> None:
        """Report the current activity."""
        self._report(Progressed(self.task.device, doing))

    def check_stop(self) -> None:
        """Stop here if the user asked to stop.

        Raises
        ------
        InterruptedByUserError
            The user asked to stop.
        """
        if self._stop.is_set():
            raise InterruptedByUserError

    def note(self, line: str) -> None:
        """Record a line that is about to be sent; raises InterruptedByUserError if the user asked to stop."""
        self.check_stop()
        self.sent.append(line)

    # --- over a new connection each

    async def shell(self, command: str, text: str = "", limit_s: float | None = None) -> str:
        """Run a command of the switch's shell, see `ssh.shell`; raises CommandError or UnreachableError."""
        return await shell(self.task.target, command, text, limit_s)

    async def read_state(self) -> SwitchState:
        """Read running configuration and operational state; raises UnreachableError."""
        return await read_switch(self.task.target, self.rules, lambda _running: False)

    async def running(self) -> str:
        """Return the running configuration; raises UnreachableError."""
        return (await read_switch(self.task.target, self.rules, lambda _running: True)).running

    async def until(self, condition: Callable[[], Awaitable[bool]], limit_s: float, otherwise: str) -> None:
        """Poll until a condition holds; failed commands and unanswered connections are retried.

        Raises
        ------
        CommandError
            The condition did not hold within the limit; the text is ``otherwise`` and the last reason.
        """
        reason = ""
        try:
            async with asyncio.timeout(limit_s):
                while True:
                    try:
                        if await condition():
                            return
                    except (HostKeyError, LoginError) as error:
                        raise CommandError(error.cause) from error
                    except (CommandError, UnreachableError) as error:
                        reason = f" ({error.cause})"
                    await asyncio.sleep(self.timeouts.poll_s)
        except TimeoutError as error:
            raise CommandError(f"{otherwise}{reason}") from error
