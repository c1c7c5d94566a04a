"""Single commands on many hosts at once, bounded, with nothing left behind."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

import msgspec

from rackproof.measure.remote.runner import HostJobs, HostResult, Job, JobResult, RemoteRunner

T = TypeVar("T")

HostCommands = Mapping[str, Mapping[str, Sequence[str]]]
"""Host to the commands that it runs, by a key of one's own."""


async def run_commands(
    runner: RemoteRunner, asked: HostCommands, limit_s: float, *, look: bool = False
) -> Mapping[str, HostResult]:
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
    async with runner.open_run(_host_jobs(asked, limit_s, look=look)) as play:
        await play.start_servers()
        return await play.run_clients()


async def run_commands_during(
    runner: RemoteRunner, asked: HostCommands, limit_s: float, work: Callable[[], Awaitable[T]]
) -> tuple[Mapping[str, HostResult], T]:
    """Run commands on hosts and, once all of them have begun, do something else meanwhile; see `ask`."""
    async with runner.open_run(_host_jobs(asked, limit_s)) as play:
        await play.start_servers()
        playing = asyncio.ensure_future(play.run_clients())
        try:
            done = await work()
            return await playing, done
        finally:
            playing.cancel()


def _host_jobs(asked: HostCommands, limit_s: float, *, look: bool = False) -> dict[str, HostJobs]:
    return {
        host: HostJobs({}, {key: Job(list(argv)) for key, argv in commands.items()}, limit_s, look=look)
        for host, commands in asked.items()
    }


def command_result(played: HostResult, key: str) -> JobResult | str:
    """Return what came of a command, or why that is not known."""
    if played.error:
        return played.error
    outcome = played.results[key]
    if outcome.status is None:
        return "it did not end in time"
    return outcome


def json_output(played: HostResult, key: str, kind: type[T]) -> T | str:
    """Return what a command printed in JSON, or why that is not known."""
    said = command_result(played, key)
    if isinstance(said, str):
        return said
    try:
        return msgspec.json.decode(said.out, type=kind)
    except msgspec.MsgspecError:
        return (said.err.strip().splitlines() or [f"status {said.status}"])[-1]
