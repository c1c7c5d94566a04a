"""Reads: what a switch runs, in one command, and what it sees around it where somebody needs to know."""

from collections.abc import Callable
from dataclasses import dataclass

from rackproof.connect.errors import AttemptError, UnreadableError
from rackproof.connect.ssh import Target, connected, run
from rackproof.deploy.switch.driver import Driver
from rackproof.deploy.switch.operational_state import Surroundings


@dataclass(frozen=True, slots=True)
class SwitchState:
    """A switch as it was read."""

    running: str
    """Its running configuration, as it prints it."""
    surroundings: Surroundings | None = None
    """None: nobody needed to know, because the configuration is as intended."""


async def look(target: Target, driver: Driver, is_enough: Callable[[str], bool]) -> SwitchState:
    """Read a switch.

    Parameters
    ----------
    target, driver
        The switch and its NOS.
    is_enough
        Whether its running configuration is all that has to be known; else its surroundings are read too.

    Raises
    ------
    UnreachableError
        It does not answer, or not what a switch of its kind answers.
    """
    async with connected(target) as connection:
        try:
            running = driver.checked_running(await run(connection, driver.RUNNING, target.limits))
            if is_enough(running):
                return SwitchState(running)
            around = await run(connection, driver.SURROUNDINGS, target.limits)
            return SwitchState(running, driver.surroundings_of(around))
        except AttemptError as error:
            raise UnreadableError(
                target.device, error.cause, "is it the device and the NOS that the site says?"
            ) from error
