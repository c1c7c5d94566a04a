"""Commands of ``sonic-cli`` in the switch's shell, and their output."""

import re
from collections.abc import Callable
from typing import Final, TypeVar

from rackproof.facts.fact import Answers, FactError, command_output
from rackproof.facts.nos.readers import Reader

T = TypeVar("T")

REFUSED: Final = re.compile(r"^\s*%?\s?Error:?\s*(?P<why>.*)$", re.MULTILINE)
PORT: Final = re.compile(r"Eth\d\S*\Z")
FIELD: Final = re.compile(r"^[ ]*(?P<name>[A-Za-z][A-Za-z ]*?)[ ]*:[ ]+(?P<value>\S.*?)[ ]*$", re.MULTILINE)


def shell(show: str) -> str:
    """Return the command of the switch's shell for a command of ``sonic-cli``."""
    return f"sonic-cli -c '{show}'"


def show_reader(read: Callable[[Answers], T], *shows: str) -> Reader[T]:
    """Return the reader of a subject from its commands of ``sonic-cli``; each answers for all ports."""
    return Reader(read, tuple(map(shell, shows)))


def show_output(answers: Answers, show: str) -> str:
    """Return what a command of ``sonic-cli`` printed.

    Raises
    ------
    FactError
        It was not run, or the switch refuses it: the exit status of ``sonic-cli`` does not show that.
    """
    text = command_output(answers, shell(show))
    head = "\n".join(text.splitlines()[:3])
    if refused := REFUSED.search(head):
        raise FactError(f"the switch refuses `{show}`: {refused['why'] or 'no reason given'}")
    return text


def fields(text: str) -> dict[str, str]:
    """Return name to value of lines such as ``SysName: leaf-01``."""
    return {match["name"]: match["value"] for match in FIELD.finditer(text)}
