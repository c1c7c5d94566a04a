"""A fact: what a server is asked, and the pure function that reads the answer.

A module of ``rackproof/facts/hosts/`` that has one calls it ``FACT``; all of them are gathered in one round trip.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from textwrap import shorten
from typing import Final, Generic, NamedTuple, TypeVar

from rackproof.errors import RackproofError

T = TypeVar("T")

SHOWN_CHARACTERS: Final = 100
"""Of a command in a message: some are small programs, and the recording has all of it."""


class FactError(RackproofError):
    """A device did not say what it was asked, so what depends on it cannot be told."""


class Answer(NamedTuple):
    """What a command of a server's shell came to."""

    output: str
    status: int | None
    """None: it was ended because it took too long."""
    error: str = ""
    """What it said on standard error."""


Answers = Mapping[str, Answer]
"""Command, word for word, to what it came to."""


@dataclass(frozen=True, slots=True)
class Fact(Generic[T]):
    """One subject of a server."""

    name: str
    commands: tuple[str, ...]
    """Run as root by ``/bin/sh``, all at once; each reads only, and ends by itself within seconds."""
    parse: Callable[[Answers], T]
    """Reads the answers to ``commands``; raises `FactError` or `ValueError` where they do not say."""


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
        said = (answer.error.strip() or answer.output.strip()).splitlines()[-1:] or [f"status {answer.status}"]
        raise FactError(f"`{words}` failed: {said[0]}")
    return answer.output


def named(found: Mapping[str, T], name: str, kind: str, hint: str) -> T:
    """Return what has a name.

    Parameters
    ----------
    found
        All of its kind, by their names.
    name
        Whose is wanted.
    kind
        What they are, for the message: ``interface``.
    hint
        What to look at where there is none of that name.

    Raises
    ------
    FactError
        There is none of that name.
    """
    if name not in found:
        raise FactError(f"there is no {kind} {name}, only {', '.join(sorted(found)) or 'none'}", hint)
    return found[name]
