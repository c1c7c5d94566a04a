"""Combined output: several commands of a switch in one shell command, separated by marker lines."""

from collections.abc import Mapping
from typing import Final

from rackproof.connect.errors import CommandError

MARK: Final = "@@"


def in_one_command(commands: Mapping[str, str]) -> str:
    """Return one command that runs all of ``commands`` (name to command), with a marker line before each."""
    return "; ".join(f"echo '{MARK} {name}'; {command}" for name, command in commands.items())


def split_output(text: str, shows: Mapping[str, str]) -> dict[str, str]:
    """Return the output of each command by its name.

    Parameters
    ----------
    text
        Output of the combined command.
    shows
        Name of each command to its text for messages.

    Raises
    ------
    CommandError
        The output of one is missing.
    """
    marks = {f"{MARK} {name}": name for name in shows}
    parts: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines(keepends=True):
        name = marks.get(line.rstrip("\r\n"))
        if name is None:
            lines.append(line)
        else:
            lines = parts[name] = []
    missing = shows.keys() - parts.keys()
    if missing:
        raise CommandError(f"the switch did not answer `{shows[min(missing)]}`")
    return {name: "".join(printed) for name, printed in parts.items()}


def no_configuration(show: str, text: str) -> CommandError:
    """Return the error for a ``show`` that printed no configuration, with the first line of its output."""
    said = next((line for line in text.splitlines() if line.strip()), "nothing")
    return CommandError(f"`{show}` printed no configuration, but: {said.strip()}")
