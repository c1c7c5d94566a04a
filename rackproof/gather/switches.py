"""Gathers the facts of switches: all switches at once, one session each, read-only commands."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import asyncssh

from rackproof.connect.bounded_output import OutputTooLongError, printed
from rackproof.connect.errors import DeviceError, UnreachableError, UnreadableError
from rackproof.connect.ssh import Limits, Target, connected
from rackproof.errors import BadInputError
from rackproof.facts.fact import Answer, Answers
from rackproof.facts.nos.readers import Subject
from rackproof.facts.redaction import without_secrets
from rackproof.facts.switches import GATHERED, fact_commands

AT_ONCE: Final = 8
"""Commands that run on one switch at once: sshd allows ten channels a connection by default (MaxSessions)."""
COMMAND_S: Final = 60.0
"""How long one read-out may take; a whole table of a full switch takes seconds."""

OnAnswer = Callable[[str, Answers | DeviceError], object]
"""Called with a switch's name and its answers, or why there are none."""


@dataclass(frozen=True, slots=True)
class SwitchQuery:
    """A switch and the subjects to gather from it."""

    target: Target
    nos: str
    """Name in the catalogue."""
    ports: tuple[str, ...] = ()
    """Ports in use, as the NOS names them: some read-outs are one port's."""
    subjects: tuple[Subject, ...] = GATHERED

    @property
    def commands(self) -> tuple[str, ...]:
        """The commands, word for word."""
        return fact_commands(self.nos, self.ports, self.subjects)


async def gather_switches(
    targets: Iterable[SwitchQuery], on_each: OnAnswer | None = None
) -> dict[str, Answers | DeviceError]:
    """Gather the answers of switches, all at once.

    Parameters
    ----------
    targets
        The switches, with the subjects of each.
    on_each
        Called with each switch as soon as it has answered or failed.

    Returns
    -------
    dict
        Name of each switch to its answers, as they are recorded and replayed, or to why there are none.
    """

    async def gather_one(asked: SwitchQuery) -> tuple[str, Answers | DeviceError]:
        found = await gather_switch(asked)
        if on_each is not None:
            on_each(asked.target.device, found)
        return asked.target.device, found

    return dict(await asyncio.gather(*map(gather_one, targets)))


async def gather_switch(asked: SwitchQuery) -> Answers | DeviceError:
    """Return the answers of one switch, or why there are none."""
    try:
        commands = asked.commands
        async with connected(asked.target) as connection:
            return await _all_answers(connection, commands)
    except DeviceError as error:
        return error
    except BadInputError as error:
        return UnreadableError(asked.target.device, error.message, error.hint)
    except (asyncssh.Error, OSError) as error:
        return UnreachableError(asked.target.device, f"the connection broke: {error}")


async def _all_answers(connection: asyncssh.SSHClientConnection, commands: Sequence[str]) -> Answers:
    slots = asyncio.Semaphore(AT_ONCE)

    async def one(command: str) -> tuple[str, Answer]:
        async with slots:
            return command, await _answer(connection, command)

    return dict(await asyncio.gather(*map(one, commands)))


async def _answer(connection: asyncssh.SSHClientConnection, command: str) -> Answer:
    """Run one command; a command that does not end in time is killed with its session.

    Raises
    ------
    asyncssh.Error, OSError
        The connection broke.
    """
    process = await connection.create_process(command, encoding="utf-8", errors="replace", stdin=asyncssh.DEVNULL)
    try:
        async with asyncio.timeout(COMMAND_S):
            done = await printed(process, command, Limits().output_bytes)
    except TimeoutError:
        process.close()
        return Answer("", None)
    except OutputTooLongError as error:
        return Answer("", None, error.cause)
    return Answer(without_secrets(done.out), done.status, done.error)
