"""Reads a switch: configuration and unfinished deployments in one command, and its operational state where needed."""

from collections.abc import Callable
from dataclasses import dataclass

from rackproof.connect.combined_output import MARK, split_output
from rackproof.connect.errors import CommandError, UnreadableError
from rackproof.connect.ssh import Target, connected, run
from rackproof.deploy.switch.nos_rules import NosRules
from rackproof.deploy.switch.operational_state import OperationalState
from rackproof.deploy.switch.unfinished import NOTHING_UNFINISHED, Unfinished


@dataclass(frozen=True, slots=True)
class SwitchState:
    """A switch as it was read."""

    running: str
    """Its running configuration, as it prints it."""
    operational: OperationalState | None = None
    """None: not read, because the running configuration is as intended."""
    unfinished: Unfinished = NOTHING_UNFINISHED
    """What an interrupted deployment left on it."""


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
            printed = await run(connection, state_command(rules), target.limits)
            running, unfinished = split_state(printed, rules)
            if is_enough(running):
                return SwitchState(running, None, unfinished)
            output = await run(connection, rules.OPERATIONAL_STATE, target.limits)
            return SwitchState(running, rules.parse_operational_state(output), unfinished)
        except CommandError as error:
            hint = "does this address belong to the device, and does it run the NOS that the site file names?"
            raise UnreadableError(target.device, error.cause, hint) from error


def state_command(rules: NosRules) -> str:
    """Return the command that prints the running configuration and then what is unfinished; it fails as the first."""
    return " && ".join((rules.RUNNING, *(f"echo '{MARK} {name}' && {one}" for name, one in rules.UNFINISHED.items())))


def split_state(printed: str, rules: NosRules) -> tuple[str, Unfinished]:
    """Return the running configuration and what is unfinished from the output of `state_command`.

    Raises
    ------
    CommandError
        The output is no configuration, or a part of it is missing or garbled.
    """
    first = f"{MARK} {next(iter(rules.UNFINISHED))}\n"
    running, mark, rest = printed.partition(first) if printed.startswith(first) else cut(printed, first)
    checked = rules.checked_running(running)
    return checked, rules.parse_unfinished(split_output(f"{mark}{rest}", rules.UNFINISHED))


def cut(printed: str, mark: str) -> tuple[str, str, str]:
    """Return a text before the last line that is ``mark``, the line, and the text behind it."""
    before, found, after = printed.rpartition(f"\n{mark}")
    return (f"{before}\n", mark, after) if found else (printed, "", "")
