"""Reads a switch: its running configuration in one command, and its operational state where that is needed."""

from collections.abc import Callable
from dataclasses import dataclass

from rackproof.connect.errors import CommandError, UnreadableError
from rackproof.connect.ssh import Target, connected, run
from rackproof.deploy.switch.nos_rules import NosRules
from rackproof.deploy.switch.operational_state import OperationalState


@dataclass(frozen=True, slots=True)
class SwitchState:
    """A switch as it was read."""

    running: str
    """Its running configuration, as it prints it."""
    operational: OperationalState | None = None
    """None: not read, because the running configuration is as intended."""


async def read_switch(target: Target, rules: NosRules, is_enough: Callable[[str], bool]) -> SwitchState:
    """Read a switch.

    Parameters
    ----------
    target, rules
        The switch and the rules of its NOS.
    is_enough
        Whether the running configuration suffices; otherwise the operational state is read too.

    Raises
    ------
    UnreachableError
        The switch does not answer, or its output is not that of its NOS.
    """
    async with connected(target) as connection:
        try:
            running = rules.checked_running(await run(connection, rules.RUNNING, target.limits))
            if is_enough(running):
                return SwitchState(running)
            output = await run(connection, rules.OPERATIONAL_STATE, target.limits)
            return SwitchState(running, rules.parse_operational_state(output))
        except CommandError as error:
            hint = "does this address belong to the device, and does it run the NOS that the site file names?"
            raise UnreadableError(target.device, error.cause, hint) from error
