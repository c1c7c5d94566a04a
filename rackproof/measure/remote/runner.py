"""Runs jobs on hosts together, each host over one SSH session of its own.

Every host starts its servers and reports that they listen; the caller may then read switches; then all clients start
together. When the run ends, for whatever reason, the sessions are closed, and a host that loses its session ends its
jobs.
"""

import asyncio
import inspect
import json
import shlex
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any, Final, Protocol

import asyncssh
from msgspec import Struct

from rackproof.connect.ssh import Target, connected
from rackproof.errors import RackproofError
from rackproof.measure.remote import agent

READY_S: Final = 60.0
"""Longest until a host's servers listen: the agent's own limit, and the time to connect."""
GRACE_S: Final = 30.0
"""For the last counters, once every command has reached its limit."""
STALE_S: Final = 20.0
"""Longest to open a session over a connection that was open before; a host that restarted does not answer on it."""
_ENTRY: Final = "\nmain()\n"


class Job(Struct, frozen=True):
    """A command on a host."""

    argv: list[str]
    port: int = 0
    """TCP port where it listens; 0: it is no server."""


class HostJobs(Struct, frozen=True):
    """The jobs of one host in a run."""

    servers: Mapping[str, Job]
    clients: Mapping[str, Job]
    limit_s: float
    inventory: bool = False
    """Whether the host also reports its RDMA devices and accelerators."""


class JobResult(Struct, frozen=True):
    """The result of one job."""

    status: int | None
    """None: it did not end in time."""
    out: str
    err: str
    took_s: float


Counts = Mapping[str, Any]
"""RDMA device to the counters that its host read; ``nic_counters.py`` parses them."""


class HostResult(Struct, frozen=True):
    """The results of a host's jobs."""

    before: Counts
    after: Counts
    results: Mapping[str, JobResult]
    inventory: Mapping[str, Any]
    error: str = ""
    """Why there are no results: the host does not answer, or its agent failed."""


class RemoteRun(Protocol):
    """A run on several hosts."""

    async def start_servers(self) -> None:
        """Start the servers of every host, and return when they listen."""
        ...

    async def run_clients(self) -> Mapping[str, HostResult]:
        """Run the clients of every host, and return the results of all jobs."""
        ...


class RemoteRunner(Protocol):
    """Runs jobs on the hosts of a site, or on a test's substitute for them."""

    def open_run(self, jobs: Mapping[str, HostJobs]) -> AbstractAsyncContextManager[RemoteRun]:
        """Open a run with the jobs of each host; leaving it ends every job."""
        ...

    async def close(self) -> None:
        """Close the connections to the hosts."""
        ...


EMPTY: Final[Mapping[str, Any]] = {}


def failed_host(error: str) -> HostResult:
    """Return the result of a host without results."""
    return HostResult(EMPTY, EMPTY, {}, EMPTY, error)


class HostSession:
    """One host's session with its agent."""

    def __init__(self, host: str, jobs: HostJobs, process: "asyncssh.SSHClientProcess[str]") -> None:
        self.host = host
        self._jobs = jobs
        self._process = process
        self._opened: dict[str, Any] = {}

    async def open(self) -> None:
        """Send the jobs and wait until the servers listen."""
        servers = {key: {"argv": job.argv, "port": job.port} for key, job in self._jobs.servers.items()}
        clients = {key: {"argv": job.argv} for key, job in self._jobs.clients.items()}
        limits = {"limit_s": self._jobs.limit_s, "inventory": self._jobs.inventory}
        self._send(json.dumps({**limits, "servers": servers, "clients": clients}))
        self._opened = await self._receive(READY_S)

    async def start(self) -> None:
        """Start the clients, and wait until they have ended."""
        self._send("go")
        await self._receive(self._jobs.limit_s + GRACE_S)

    async def finish(self) -> HostResult:
        """End the servers that still wait for a client, and return the results of all jobs."""
        self._send("stop")
        message = await self._receive(self._jobs.limit_s + GRACE_S)
        results = {key: JobResult(**result) for key, result in message["results"].items()}
        return HostResult(self._opened["before"], message["after"], results, self._opened["inventory"])

    def _send(self, line: str) -> None:
        self._process.stdin.write(line + "\n")

    async def _receive(self, limit_s: float) -> dict[str, Any]:
        """Return the agent's next message.

        Raises
        ------
        HostFailedError
            The agent sent no message in time, or something else.
        """
        try:
            line = await asyncio.wait_for(self._process.stdout.readline(), limit_s)
        except TimeoutError as error:
            raise HostFailedError(f"{self.host} sent nothing for {limit_s:g} s") from error
        except (asyncssh.Error, OSError) as error:
            raise HostFailedError(f"the connection to {self.host} broke: {error}") from error
        try:
            message: dict[str, Any] = json.loads(line)
        except ValueError as error:
            raise HostFailedError(f"{self.host} broke off: {await self._last_error()}") from error
        return message

    async def _last_error(self) -> str:
        """Return the last line on the agent's standard error."""
        self._process.stdin.write_eof()
        try:
            text = await asyncio.wait_for(self._process.stderr.read(), 5)
        except (TimeoutError, asyncssh.Error, OSError):
            return "no reason given"
        return (str(text).strip().splitlines() or ["no reason given"])[-1]


class HostFailedError(Exception):
    """A host did not run its jobs to the end."""


class SshRun:
    """The sessions of all hosts of a run."""

    def __init__(self, sessions: Mapping[str, HostSession], errors: Mapping[str, str]) -> None:
        self._sessions = dict(sessions)
        self._errors = dict(errors)

    async def start_servers(self) -> None:
        """Start the servers of every host; a host that fails is left out of the rest of the run."""
        await self._each(HostSession.open)

    async def run_clients(self) -> Mapping[str, HostResult]:
        """Run the clients of every host, and return the results of all jobs."""
        await self._each(HostSession.start)
        results = await self._each(HostSession.finish)
        return {**results, **{host: failed_host(error) for host, error in self._errors.items()}}

    async def _each(self, step: Callable[[HostSession], Any]) -> dict[str, Any]:
        """Take a step with every host at once, and return each host's result."""
        names = tuple(self._sessions)
        done = await asyncio.gather(*(step(self._sessions[name]) for name in names), return_exceptions=True)
        for name, result in zip(names, done, strict=True):
            if isinstance(result, HostFailedError):
                self._errors[name] = str(result)
                del self._sessions[name]
            elif isinstance(result, BaseException):
                raise result
        return {name: result for name, result in zip(names, done, strict=True) if name in self._sessions}


def agent_command() -> str:
    """Return the shell command that starts the agent, as root where the user may become root."""
    source = shlex.quote(inspect.getsource(agent) + _ENTRY)
    return f'[ "$(id -u)" = 0 ] || set -- sudo -n; exec "$@" python3 -c {source}'


class SshRunner:
    """Runs jobs on the hosts of a site over SSH; connections stay open from one run to the next.

    All runs use one event loop.
    """

    def __init__(self, target: Callable[[str], Target]) -> None:
        self._target = target
        self._open: dict[str, asyncssh.SSHClientConnection] = {}
        self._connections = AsyncExitStack()

    async def close(self) -> None:
        """Close all connections."""
        self._open.clear()
        await self._connections.aclose()

    @asynccontextmanager
    async def open_run(self, jobs: Mapping[str, HostJobs]) -> AsyncIterator[RemoteRun]:
        """Open a session on every host, all at once."""
        async with AsyncExitStack() as stack:
            opened = await asyncio.gather(*(self._session(name, own, stack) for name, own in jobs.items()))
            sessions = {name: one for name, one in zip(jobs, opened, strict=True) if isinstance(one, HostSession)}
            errors = {name: one for name, one in zip(jobs, opened, strict=True) if isinstance(one, str)}
            yield SshRun(sessions, errors)

    async def _session(self, host: str, jobs: HostJobs, stack: AsyncExitStack) -> HostSession | str:
        try:
            process = await self._process(host)
        except RackproofError as error:
            return error.message
        except (asyncssh.Error, OSError) as error:
            return f"{host}: no session: {error}"
        stack.callback(process.stdin.close)
        return HostSession(host, jobs, process)

    async def _process(self, host: str) -> "asyncssh.SSHClientProcess[str]":
        """Start the agent over the open connection, or over a new one where that one is dead.

        Raises
        ------
        RackproofError, asyncssh.Error, OSError
            The host does not answer.
        """
        if host in self._open:
            try:
                return await asyncio.wait_for(_start_agent(self._open[host]), STALE_S)
            except (asyncssh.Error, OSError):
                del self._open[host]
        self._open[host] = await self._connections.enter_async_context(connected(self._target(host)))
        return await _start_agent(self._open[host])


async def _start_agent(connection: asyncssh.SSHClientConnection) -> "asyncssh.SSHClientProcess[str]":
    return await connection.create_process(agent_command(), encoding="utf-8", errors="replace")
