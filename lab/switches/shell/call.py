"""A program of the lab's shell and its call: arguments, standard input, terminal and output."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

from lab.switches.machine import Machine


class Terminal(Protocol):
    """An interactive session: lines come in, text goes out."""

    async def read_line(self, prompt: str) -> str | None:
        """Print ``prompt`` and return the line typed; None at the end of input."""
        ...

    async def write(self, text: str) -> None:
        """Print text."""
        ...

    def drop(self) -> None:
        """Cut the connection."""
        ...


@dataclass(slots=True)
class Call:
    """One run of a program."""

    switch: Machine
    arguments: tuple[str, ...]
    stdin: "Input"
    root: bool
    terminal: Terminal | None = None
    """None when the program's output goes into a pipe or there is no terminal."""
    out: list[str] = field(default_factory=list)
    error: list[str] = field(default_factory=list)

    @property
    def user(self) -> str:
        """Name of the user it runs as."""
        return "root" if self.root else self.switch.user

    def print(self, text: str) -> None:
        """Print a line."""
        self.out.append(f"{text}\n")

    def fail(self, text: str, status: int = 1) -> int:
        """Print a line to standard error and return an exit status."""
        self.error.append(f"{text}\n")
        return status


Input = Callable[[], Awaitable[str]]
"""Reads all of standard input; only a program that needs it waits for its end."""


async def no_input() -> str:
    """Standard input of a program that has none."""
    return ""


def text_input(text: str) -> Input:
    """Return standard input that is this text."""

    async def read() -> str:
        return text

    return read


Program = Callable[[Call], Awaitable[int]]
"""A program: returns its exit status."""
