"""QEMU's control socket: one JSON object a line each way (QEMU, docs/interop/qmp-spec)."""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self

from lab.daemon.messages import socket_address
from lab.errors import LabError

_LINE: Final = 1 << 20
_ANSWER_S: Final = 30.0


class Qmp:
    """A connection to one host's QEMU. Commands are answered one after the other."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, on_event: Callable[[str], None]
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._answers: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._one_at_a_time = asyncio.Lock()
        self._on_event = on_event
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def connect(cls, path: Path, on_event: Callable[[str], None]) -> Self:
        """Return a connection for commands.

        Parameters
        ----------
        path
            The socket.
        on_event
            Called with the name of each event: RESET, SHUTDOWN, STOP, ...

        Raises
        ------
        OSError
            No process listens there.
        LabError
            The process that listens is not QEMU.
        """
        with socket_address(path) as address:
            reader, writer = await asyncio.open_unix_connection(address, limit=_LINE)
        await reader.readline()  # the greeting
        connection = cls(reader, writer, on_event)
        await connection.execute("qmp_capabilities")
        return connection

    async def execute(self, command: str, **arguments: object) -> Any:  # noqa: ANN401 each command's own answer
        """Run a command and return what it answers.

        Raises
        ------
        LabError
            It was refused, or QEMU is gone or does not answer.
        """
        async with self._one_at_a_time:
            with suppress(ConnectionError):
                self._writer.write(json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n")
                await self._writer.drain()
            try:
                answer = await asyncio.wait_for(self._answers.get(), _ANSWER_S)
            except TimeoutError as error:
                raise LabError(f"QEMU does not answer to {command}") from error
        if "error" in answer:
            raise LabError(f"QEMU refused {command}: {answer['error'].get('desc', '')}")
        return answer["return"]

    async def monitor(self, line: str) -> str:
        """Run a line of the human monitor and return what it printed (savevm has no other way)."""
        return str(await self.execute("human-monitor-command", **{"command-line": line}))

    async def close(self) -> None:
        """Close the connection; QEMU continues."""
        self._listening.cancel()
        await asyncio.gather(self._listening, return_exceptions=True)
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()

    async def _listen(self) -> None:
        with suppress(OSError, ValueError):
            while line := await self._reader.readline():
                message = json.loads(line)
                if "event" in message:
                    self._on_event(str(message["event"]))
                else:
                    self._answers.put_nowait(message)
        self._answers.put_nowait({"error": {"desc": "it has ended"}})
