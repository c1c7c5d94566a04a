"""Runs single commands on many hosts at once, and reads their results."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

import msgspec

from rackproof.measure.remote.runner import HostJobs, HostResult, Job, JobResult, RemoteRunner

T = TypeVar("T")

HostCommands = Mapping[str, Mapping[str, Sequence[str]]]
"""Host to its commands, each by a key that names its result."""


async def run_commands(
    runner: RemoteRunner, commands: HostCommands, limit_s: float, *, inventory: bool = False
) -> Mapping[str, HostResult]:
    """Run commands on hosts, all at once, and return each host's results.

    Parameters
    ----------
    runner
        Runs jobs on the hosts.
    commands
        The commands of each host.
    limit_s
        Longest that a command may run.
    inventory
        Whether hosts also report their RDMA devices and accelerators.
    """
    async with runner.open_run(_host_jobs(commands, limit_s, inventory=inventory)) as run:
        await run.start_servers()
        return await run.run_clients()


async def run_commands_during(
    runner: RemoteRunner, commands: HostCommands, limit_s: float, work: Callable[[], Awaitable[T]]
) -> tuple[Mapping[str, HostResult], T]:
    """Run commands on hosts and, once all hosts are ready, await ``work`` meanwhile; return both results."""
    async with runner.open_run(_host_jobs(commands, limit_s)) as run:
        await run.start_servers()
        clients = asyncio.ensure_future(run.run_clients())
        try:
            done = await work()
            return await clients, done
        finally:
            clients.cancel()


def _host_jobs(commands: HostCommands, limit_s: float, *, inventory: bool = False) -> dict[str, HostJobs]:
    return {
        host: HostJobs({}, {key: Job(list(argv)) for key, argv in own.items()}, limit_s, inventory=inventory)
        for host, own in commands.items()
    }


def command_result(host: HostResult, key: str) -> JobResult | str:
    """Return the result of a command, or the reason why there is none."""
    if host.error:
        return host.error
    result = host.results[key]
    if result.status is None:
        return "it did not end in time"
    return result


def json_output(host: HostResult, key: str, kind: type[T]) -> T | str:
    """Return what a command printed in JSON, or the reason why there is none."""
    result = command_result(host, key)
    if isinstance(result, str):
        return result
    try:
        return msgspec.json.decode(result.out, type=kind)
    except msgspec.MsgspecError:
        return (result.err.strip().splitlines() or [f"status {result.status}"])[-1]
