"""What a command is handed on its standard input."""

from __future__ import annotations

from typing import Any, cast

import pytest

from rackproof.connect.ssh import write_input


class Pipe:
    def __init__(self, *, is_open: bool) -> None:
        self.is_open = is_open
        self.heard: list[str] = []

    def write(self, text: str) -> None:
        if not self.is_open:
            raise BrokenPipeError("Channel not open for sending")  # asyncssh's words
        self.heard.append(text)

    def write_eof(self) -> None:
        self.heard.append("EOF")


@pytest.mark.parametrize(
    ("is_open", "text", "heard"), [(True, "script", ["script", "EOF"]), (True, "", []), (False, "script", [])]
)
def test_a_command_that_ended_without_reading_is_heard_out(*, is_open: bool, text: str, heard: list[str]) -> None:
    pipe = Pipe(is_open=is_open)

    write_input(cast("Any", pipe), text)

    assert pipe.heard == heard
