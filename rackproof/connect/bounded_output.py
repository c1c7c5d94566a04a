"""The output of a remote command, bounded in size: a device that prints without end costs neither memory nor time."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass

import asyncssh

from rackproof.connect.errors import CommandError

CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Printed:
    """What a command printed, and how it ended."""

    out: str
    error: str
    status: int | None
    """Exit status; None: the connection broke, or a signal ended the command."""


class OutputTooLongError(CommandError):
    """A command printed more than its limit."""


async def printed(process: asyncssh.SSHClientProcess[str], command: str, most_bytes: int) -> Printed:
    """Wait until a command has ended and return what it printed.

    Parameters
    ----------
    process
        The command, which was started with an encoding.
    command
        Its text, for messages.
    most_bytes
        Longest output, of each of its two streams; more ends the command.

    Raises
    ------
    OutputTooLongError
        It printed more.
    """
    reading = [asyncio.ensure_future(_text(stream, most_bytes)) for stream in (process.stdout, process.stderr)]
    try:
        out, error = await asyncio.gather(*reading)
        await process.wait_closed()  # the exit status may follow the end of the output
    except _TooLongError as too_long:
        process.close()
        hint = "does this address belong to the device, and does something on it print without end?"
        text = f"`{command}` printed more than {most_bytes / (1 << 20):g} MiB, the limit for one command"
        raise OutputTooLongError(text, hint) from too_long
    finally:
        for one in reading:
            one.cancel()
    return Printed(out, error, process.exit_status)


class _TooLongError(Exception):
    """A stream is longer than its limit."""


async def _text(stream: asyncssh.SSHReader[str], most_bytes: int) -> str:
    """Return a stream up to its end, or up to the loss of its connection."""
    parts: list[str] = []
    size = 0
    with suppress(asyncssh.Error, OSError):
        while part := await stream.read(CHUNK):
            size += len(part)
            if size > most_bytes:
                raise _TooLongError
            parts.append(part)
    return "".join(parts)
