"""Shell text shared by several facts: files read in one command, and a command run for every network port."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from rackproof.facts.fact import Answers, FactError, command_output

FILE_LINE: Final = re.compile(
    r"(?P<path>/(?:[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]|[^:])*):(?P<value>.*)", re.IGNORECASE
)
"""What grep(1) prints of a file with ``-H``; the address of a PCI function is the one part of a path with colons."""
HEAD: Final = "== "
"""Begins the line with the name of the port whose output follows."""


def each_port_command(command: str) -> str:
    """Return a shell command that runs another for every port with an adapter behind it; ``$port`` is its name."""
    ports = 'for path in /sys/class/net/*/device; do port=${path%/device}; port=${port##*/}; echo "== $port"; '
    return f"{ports}{command}; done 2>&1"


def files(*patterns: str) -> str:
    """Return a shell command that prints every line of some files behind the file's path; absent files are left out."""
    return f"grep -sH . {' '.join(patterns)}; true"


def sections(text: str) -> dict[str, str]:
    """Return what a command of `of_each_port` printed, by port."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith(HEAD):
            lines = found.setdefault(line.removeprefix(HEAD).strip(), [])
        else:
            lines.append(line)
    return {name: "\n".join(rows) for name, rows in found.items()}


def file_lines(text: str) -> Iterator[tuple[str, str]]:
    """Yield path and line of the output of a command of `files`."""
    for line in text.splitlines():
        match = FILE_LINE.match(line)
        if match:
            yield match["path"], match["value"].strip()


def file_values(text: str) -> dict[str, str]:
    """Return path to content of files that hold one line each."""
    return dict(file_lines(text))


def json_objects(answers: Answers, command: str) -> list[Mapping[str, Any]]:
    """Return the list of objects that a command of iproute2 printed.

    Raises
    ------
    FactError
        It failed, or printed something else.
    """
    text = command_output(answers, command)
    try:
        found = json.loads(text or "[]")
    except ValueError as error:
        raise FactError(f"`{command}` printed no JSON: {error}") from error
    if not isinstance(found, list):
        raise FactError(f"`{command}` printed no list")
    return [one for one in found if isinstance(one, dict) and one]
