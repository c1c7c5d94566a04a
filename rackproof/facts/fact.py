"""A fact: commands for a device, and the pure function that parses their output.

A module of ``rackproof/facts/hosts/`` names its fact ``FACT``; all of them are gathered in one round trip.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from textwrap import shorten
from typing import Final, Generic, NamedTuple, TypeVar

from rackproof.errors import RackproofError

T = TypeVar("T")

SHOWN_CHARACTERS: Final = 100
"""Longest command in a message: some commands are small programs, and the recording has them in full."""


class FactError(RackproofError):
    """A device gave no usable answer, so what depends on it is unknown."""


class Answer(NamedTuple):
    """The result of a command of a device's shell."""

    output: str
    status: int | None
    """None: it was killed because it took too long."""
    error: str = ""
    """Standard error."""


Answers = Mapping[str, Answer]
"""Command, word for word, to its answer."""


@dataclass(frozen=True, slots=True)
class Fact(Generic[T]):
    """One subject of a server."""

    name: str
    commands: tuple[str, ...]
    """Run as root by ``/bin/sh``, all at once; each reads only, and ends by itself within seconds."""
    parse: Callable[[Answers], T]
    """Parses the answers to ``commands``; raises `FactError` or `ValueError` where they have no value."""


def command_output(answers: Answers, command: str) -> str:
    """Return what a command printed.

    Raises
    ------
    FactError
        It was not run, took too long, or failed.
    """
    answer, words = answers.get(command), shorten(command, SHOWN_CHARACTERS, placeholder=" ...")
    if answer is None:
        raise FactError(f"`{words}` was not run", "an older recording? gather anew")
    if answer.status is None:
        reason = (answer.error.splitlines() or ["ended"])[-1]
        raise FactError(f"`{words}` was {reason}")
    if answer.status != 0:
        why = (answer.error.strip() or answer.output.strip()).splitlines()[-1:] or [f"status {answer.status}"]
        raise FactError(f"`{words}` failed: {why[0]}")
    return answer.output


def named(found: Mapping[str, T], name: str, kind: str, hint: str) -> T:
    """Return the object of a name.

    Parameters
    ----------
    found
        All objects of a kind, by their names.
    name
        The name to find.
    kind
        The kind, for the message: ``interface``.
    hint
        What to check where there is no such name.

    Raises
    ------
    FactError
        There is no such name.
    """
    if name not in found:
        raise FactError(f"there is no {kind} {name}, only {', '.join(sorted(found)) or 'none'}", hint)
    return found[name]
