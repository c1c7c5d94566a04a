"""NVUE's JSON: the commands for one port, the answers of all ports, and what is not configured."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from rackproof.facts.fact import Answers, command_output

ABSENT: Final = "does not exist"
"""What NVUE prints of something that is not configured."""
PORT: Final = re.compile(r"(swp\d+(s\d+)?|bond\S+)\Z")
YES: Final = frozenset({"yes", "on", "enabled", "enable"})


def port_view(view: str) -> str:
    """Return the command for one view of a port, with ``{port}`` in place of the port's name."""
    return f"nv show interface {{port}} {view} -o json"


def port_outputs(answers: Answers, command: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each port that was asked, with the object that ``command`` printed for it."""
    start, end = command.split("{port}")
    for asked in answers:
        port = asked.removeprefix(start).removesuffix(end)
        if asked == command.format(port=port) and PORT.match(port):
            yield port, json_object(answers, asked)


def json_object(answers: Answers, command: str) -> Mapping[str, Any]:
    """Return the one object that a command prints; empty where nothing is configured."""
    answer = answers.get(command)
    if answer is not None and answer.status and ABSENT in answer.error + answer.output:
        return {}
    text = command_output(answers, command)
    found = json.loads(text) if text.strip() else {}
    return found if isinstance(found, Mapping) else {}
