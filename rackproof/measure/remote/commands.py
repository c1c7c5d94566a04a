"""Single commands on many hosts at once, bounded, with nothing left behind."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

import msgspec

from rackproof.measure.remote.runner import Outcome, Played, Scene, Theatre, Work

T = TypeVar("T")

Asked = Mapping[str, Mapping[str, Sequence[str]]]
"""Host to the commands that it runs, by a key of one's own."""


async def ask(theatre: Theatre, asked: Asked, limit_s: float, *, look: bool = False) -> Mapping[str, Played]:
    """Run commands on hosts, all at once.

    Parameters
    ----------
    theatre
        Where they run.
    asked
        What each host runs.
    limit_s
        Until every command has ended, or is ended.
    look
        Whether hosts say which devices they have, too.
    """
    async with theatre.stage(_scenes(asked, limit_s, look=look)) as play:
        await play.ready()
        return await play.perform()


async def ask_during(
    theatre: Theatre, asked: Asked, limit_s: float, work: Callable[[], Awaitable[T]]
) -> tuple[Mapping[str, Played], T]:
    """Run commands on hosts and, once all of them have begun, do something else meanwhile; see `ask`."""
    async with theatre.stage(_scenes(asked, limit_s)) as play:
        await play.ready()
        playing = asyncio.ensure_future(play.perform())
        try:
            done = await work()
            return await playing, done
        finally:
            playing.cancel()


def _scenes(asked: Asked, limit_s: float, *, look: bool = False) -> dict[str, Scene]:
    return {
        host: Scene({}, {key: Work(list(argv)) for key, argv in commands.items()}, limit_s, look=look)
        for host, commands in asked.items()
    }


def outcome_of(played: Played, key: str) -> Outcome | str:
    """Return what came of a command, or why that is not known."""
    if played.error:
        return played.error
    outcome = played.outcomes[key]
    if outcome.status is None:
        return "it did not end in time"
    return outcome


def printed(played: Played, key: str, kind: type[T]) -> T | str:
    """Return what a command printed in JSON, or why that is not known."""
    said = outcome_of(played, key)
    if isinstance(said, str):
        return said
    try:
        return msgspec.json.decode(said.out, type=kind)
    except msgspec.MsgspecError:
        return (said.err.strip().splitlines() or [f"status {said.status}"])[-1]
