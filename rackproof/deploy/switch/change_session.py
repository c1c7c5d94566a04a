"""A switch in hand: everything that is done to one switch while it is being changed."""

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from rackproof.connect.errors import AttemptError, HostKeyError, LoginError, UnreachableError
from rackproof.connect.ssh import shell
from rackproof.deploy.events import Progressed, Report
from rackproof.deploy.protocol import Outcome
from rackproof.deploy.switch.driver import Driver
from rackproof.deploy.switch.job import Patience, SwitchTask
from rackproof.deploy.switch.read import SwitchState, look
from rackproof.deploy.switch.stage import Stage


class InterruptedByUserError(AttemptError):
    """The user stopped the deployment while this switch was being changed."""

    def __init__(self) -> None:
        super().__init__("interrupted")


@dataclass(frozen=True, slots=True)
class Return:
    """What became of a switch after a failure."""

    outcome: Outcome
    text: str
    """What it is now, for a person."""
    hint: str = ""


AS_BEFORE = Return(Outcome.ROLLED_BACK, "the switch is as it was before")


class SwitchInHand(ABC):
    """One switch while it is being changed; how it is changed, and how it gets back, is its NOS's own.

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
        self._report = report
        self._stop = stop

    # --- how a NOS is changed

    @abstractmethod
    async def prepare(self) -> None:
        """Make a way back that holds whatever happens to us.

        Raises
        ------
        RefusedError
            There is none, so the switch is not touched.
        """

    @abstractmethod
    async def bring_about(self, stage: Stage, *, first: bool) -> None:
        """Do what a stage asks for; raises AttemptError or UnreachableError.

        Parameters
        ----------
        stage
            What to do.
        first
            Whether no other stage came before it.
        """

    @abstractmethod
    async def keep(self) -> None:
        """Make what runs final, so that the switch starts with it too; raises AttemptError or UnreachableError."""

    @abstractmethod
    async def take_back(self, before: str, *, wait: bool) -> Return:
        """Take the switch back to the running configuration it had, and verify that.

        Parameters
        ----------
        before
            The running configuration it had.
        wait
            Whether to wait for the switch's own timer where it does not answer.
        """

    @abstractmethod
    def let_go(self) -> None:
        """End what holds the switch; nobody waits for that."""

    # --- telling, stopping

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

    def note(self, line: str) -> None:
        """Note a line that is about to be sent; raises InterruptedByUserError where the user wants to stop."""
        self.check_stop()
        self.sent.append(line)

    # --- over connections of its own

    async def shell(self, command: str, text: str = "", limit_s: float | None = None) -> str:
        """Run a command of the switch's shell, as `reading.shell` does; raises AttemptError or UnreachableError."""
        return await shell(self.task.target, command, text, limit_s)

    async def look(self) -> SwitchState:
        """Read the switch with its surroundings; raises UnreachableError."""
        return await look(self.task.target, self.driver, lambda _running: False)

    async def running(self) -> str:
        """Return the running configuration; raises UnreachableError."""
        return (await look(self.task.target, self.driver, lambda _running: True)).running

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
