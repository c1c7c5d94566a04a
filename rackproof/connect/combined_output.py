"""Several read-outs of a switch in one command of its shell, told apart by a line before each."""

from collections.abc import Mapping
from typing import Final

from rackproof.connect.errors import CommandError

MARK: Final = "@@"


def in_one_command(commands: Mapping[str, str]) -> str:
    """Return the command that prints what each of ``commands``, name to command, prints."""
    return "; ".join(f"echo '{MARK} {name}'; {command}" for name, command in commands.items())


def split_output(text: str, shows: Mapping[str, str]) -> dict[str, str]:
    """Return each read-out by its name.

    Parameters
    ----------
    text
        What the one command printed.
    shows
        Name of each read-out to how a person asks for it.

    Raises
    ------
    CommandError
        One of them is not there.
    """
    parts = dict(part.partition("\n")[::2] for part in text.split(f"{MARK} ")[1:])
    missing = shows.keys() - parts.keys()
    if missing:
        raise CommandError(f"the switch did not answer `{shows[min(missing)]}`")
    return parts


def no_configuration(show: str, text: str) -> CommandError:
    """Return the failure of a switch that answers something else to ``show``, with the first line it said."""
    said = next((line for line in text.splitlines() if line.strip()), "nothing")
    return CommandError(f"`{show}` answers no configuration, but: {said.strip()}")
