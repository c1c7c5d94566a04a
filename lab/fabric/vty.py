"""Connection to a daemon of FRR over its vty socket, as vtysh has it: a command ended by a zero byte each way.

Three zero bytes and the status end an answer (lib/vty.c, vtysh_flush and VTYSH_ANSWER_END of FRR 8.4).
"""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Final, Self

from lab.fabric.command import FabricError

_END: Final = b"\0\0\0"
_LIMIT_BYTES: Final = 2**24
_SUCCESS: Final = 0
"""CMD_SUCCESS of lib/command.h."""


class Vty:
    """A connection to one daemon; an asynchronous context manager."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket

    async def __aenter__(self) -> Self:
        """Connect.

        Raises
        ------
        FabricError
            The daemon does not answer.
        """
        try:
            self._reader, self._writer = await asyncio.open_unix_connection(str(self._socket), limit=_LIMIT_BYTES)
        except OSError as error:
            raise FabricError(f"{self._socket} does not answer: {error}") from error
        await self.run("enable")
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the connection."""
        self._writer.close()
        await self._writer.wait_closed()

    async def run(self, line: str) -> tuple[str, int]:
        """Run a command; return its output and its status.

        Raises
        ------
        FabricError
            The daemon closed the connection.
        """
        try:
            self._writer.write(line.encode() + b"\0")
            answer = await self._reader.readuntil(_END)
            status = await self._reader.readexactly(1)
        except (OSError, asyncio.IncompleteReadError) as error:
            raise FabricError(f"{self._socket} closed the connection at: {line}") from error
        return answer[: -len(_END)].decode(errors="replace"), status[0]

    async def configure(self, lines: Iterable[str]) -> tuple[str, ...]:
        """Type lines in configuration mode; return the answers to refused ones."""
        refused = []
        for line in ("configure terminal", *lines, "end"):
            printed, status = await self.run(line)
            if status != _SUCCESS:
                refused.append(f"{line}: {printed.strip()}")
        return tuple(refused)
