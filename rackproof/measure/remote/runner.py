"""A stage: hosts that play a scene together, each over one SSH session of its own.

Every host starts its servers and says that they listen; then switches are read; then all clients start together. When
this ends, however it ends, the sessions are closed, and a host that loses its session ends what it started.
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
"""Until a host's servers listen: its own limit, and the way there."""
GRACE_S: Final = 30.0
"""For the last counters, once every command has had its time."""
STALE_S: Final = 20.0
"""Until a session is there over a connection that was open before; a host that restarted says nothing on it."""
_ENTRY: Final = "\nmain()\n"


class Job(Struct, frozen=True):
    """A command of a scene."""

    argv: list[str]
    port: int = 0
    """Where it listens, of a server."""


class HostJobs(Struct, frozen=True):
    """What one host does."""

    servers: Mapping[str, Job]
    clients: Mapping[str, Job]
    limit_s: float
    look: bool = False


class JobResult(Struct, frozen=True):
    """What came of one command."""

    status: int | None
    """None: it did not end in time."""
    out: str
    err: str
    took_s: float


Counts = Mapping[str, Any]
"""RDMA device to what its host counted; ``nic_counters.py`` reads it."""


class HostResult(Struct, frozen=True):
    """What came of a host's scene."""

    before: Counts
    after: Counts
    results: Mapping[str, JobResult]
    look: Mapping[str, Any]
    error: str = ""
    """Why nothing is known of it: it does not answer, or broke off."""


class RemoteRun(Protocol):
    """A scene under way."""

    async def start_servers(self) -> None:
        """Return when every host's servers listen."""
        ...

    async def run_clients(self) -> Mapping[str, HostResult]:
        """Let the clients start, and return what came of it."""
        ...


class RemoteRunner(Protocol):
    """Where scenes are played: the site's hosts, or what stands in for them in a test."""

    def open_run(self, host_jobs: Mapping[str, HostJobs]) -> AbstractAsyncContextManager[RemoteRun]:
        """Open a stage for a scene of each host; closing it ends what still runs on hosts."""
        ...

    async def close(self) -> None:
        """Let go of the hosts."""
        ...


EMPTY: Final[Mapping[str, Any]] = {}


def failed_host(error: str) -> HostResult:
    """Return what is known of a host that broke off."""
    return HostResult(EMPTY, EMPTY, {}, EMPTY, error)


class HostSession:
    """One host's side of a play."""

    def __init__(self, host: str, scene: HostJobs, process: "asyncssh.SSHClientProcess[str]") -> None:
        self.host = host
        self._scene = scene
        self._process = process
        self._opened: dict[str, Any] = {}

    async def open(self) -> None:
        """Hand over the scene and wait until its servers listen."""
        request = {name: getattr(self._scene, name) for name in ("limit_s", "look")}
        request["servers"] = {key: {"argv": job.argv, "port": job.port} for key, job in self._scene.servers.items()}
        request["clients"] = {key: {"argv": job.argv} for key, job in self._scene.clients.items()}
        self._say(json.dumps(request))
        self._opened = await self._heard(READY_S)

    async def start(self) -> None:
        """Let the clients start, and wait until they have ended."""
        self._say("go")
        await self._heard(self._scene.limit_s + GRACE_S)

    async def finish(self) -> HostResult:
        """End servers that nobody spoke to, and return what came of everything."""
        self._say("stop")
        said = await self._heard(self._scene.limit_s + GRACE_S)
        results = {key: JobResult(**answer) for key, answer in said["answers"].items()}
        return HostResult(self._opened["before"], said["after"], results, self._opened["look"])

    def _say(self, line: str) -> None:
        self._process.stdin.write(line + "\n")

    async def _heard(self, limit_s: float) -> dict[str, Any]:
        """Return the host's next message.

        Raises
        ------
        BrokenOffError
            It said none in time, or something else.
        """
        try:
            line = await asyncio.wait_for(self._process.stdout.readline(), limit_s)
        except TimeoutError as error:
            raise HostFailedError(f"{self.host} said nothing for {limit_s:g} s") from error
        except (asyncssh.Error, OSError) as error:
            raise HostFailedError(f"the connection to {self.host} broke: {error}") from error
        try:
            message: dict[str, Any] = json.loads(line)
        except ValueError as error:
            raise HostFailedError(f"{self.host} broke off: {await self._complaint()}") from error
        return message

    async def _complaint(self) -> str:
        """Return the last thing that the host said on standard error."""
        self._process.stdin.write_eof()
        try:
            said = await asyncio.wait_for(self._process.stderr.read(), 5)
        except (TimeoutError, asyncssh.Error, OSError):
            return "it does not say why"
        return (str(said).strip().splitlines() or ["it does not say why"])[-1]


class HostFailedError(Exception):
    """A host did not play its scene to the end."""


class SshRun:
    """The sessions of all hosts of a play."""

    def __init__(self, sessions: Mapping[str, HostSession], errors: Mapping[str, str]) -> None:
        self._sessions = dict(sessions)
        self._errors = dict(errors)

    async def start_servers(self) -> None:
        """Return when every host's servers listen; one that does not answer is left out from here on."""
        await self._each(HostSession.open)

    async def run_clients(self) -> Mapping[str, HostResult]:
        """Let the clients start, and return what came of it."""
        await self._each(HostSession.start)
        played = await self._each(HostSession.finish)
        return {**played, **{host: failed_host(error) for host, error in self._errors.items()}}

    async def _each(self, step: Callable[[HostSession], Any]) -> dict[str, Any]:
        """Take a step with every host at once."""
        names = tuple(self._sessions)
        done = await asyncio.gather(*(step(self._sessions[name]) for name in names), return_exceptions=True)
        for name, result in zip(names, done, strict=True):
            if isinstance(result, HostFailedError):
                self._errors[name] = str(result)
                del self._sessions[name]
            elif isinstance(result, BaseException):
                raise result
        return {name: result for name, result in zip(names, done, strict=True) if name in self._sessions}


def script() -> str:
    """Return the shell command that starts the agent, as root where we may."""
    source = shlex.quote(inspect.getsource(agent) + _ENTRY)
    return f'[ "$(id -u)" = 0 ] || set -- sudo -n; exec "$@" python3 -c {source}'


class SshRunner:
    """The hosts of a site, over SSH; connections stay open from one stage to the next.

    All stages are of one event loop.
    """

    def __init__(self, target: Callable[[str], Target]) -> None:
        self._target = target
        self._open: dict[str, asyncssh.SSHClientConnection] = {}
        self._kept = AsyncExitStack()

    async def close(self) -> None:
        """Close all connections."""
        self._open.clear()
        await self._kept.aclose()

    @asynccontextmanager
    async def open_run(self, host_jobs: Mapping[str, HostJobs]) -> AsyncIterator[RemoteRun]:
        """Open a session on every host of a play, all at once."""
        async with AsyncExitStack() as stack:
            names = tuple(host_jobs)
            opened = await asyncio.gather(*(self._session(name, host_jobs[name], stack) for name in names))
            sessions = {name: one for name, one in zip(names, opened, strict=True) if isinstance(one, HostSession)}
            errors = {name: one for name, one in zip(names, opened, strict=True) if isinstance(one, str)}
            yield SshRun(sessions, errors)

    async def _session(self, host: str, scene: HostJobs, stack: AsyncExitStack) -> HostSession | str:
        try:
            process = await self._process(host)
        except RackproofError as error:
            return error.message
        except (asyncssh.Error, OSError) as error:
            return f"{host}: no session: {error}"
        stack.callback(process.stdin.close)
        return HostSession(host, scene, process)

    async def _process(self, host: str) -> "asyncssh.SSHClientProcess[str]":
        """Start the agent, over the connection that there is; over a new one where that is dead.

        Raises
        ------
        RackproofError, asyncssh.Error, OSError
            The host does not answer.
        """
        if host in self._open:
            try:
                return await asyncio.wait_for(_agent_over(self._open[host]), STALE_S)
            except (asyncssh.Error, OSError):
                del self._open[host]
        self._open[host] = await self._kept.enter_async_context(connected(self._target(host)))
        return await _agent_over(self._open[host])


async def _agent_over(connection: asyncssh.SSHClientConnection) -> "asyncssh.SSHClientProcess[str]":
    return await connection.create_process(script(), encoding="utf-8", errors="replace")
