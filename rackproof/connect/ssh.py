"""SSH connections with a known host key and a time limit on every phase; hundreds at once."""

import asyncio
import resource
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import asyncssh

from rackproof.connect.bounded_output import printed
from rackproof.connect.credentials import CredentialSource
from rackproof.connect.errors import CommandError, HostKeyError, LoginError, UnreachableError
from rackproof.site.access import DeviceAccess

SHOWN_CHARACTERS = 100
"""Of a command, in a message."""
FILES_KEPT_FREE = 64
"""File descriptors left for everything that is not a connection."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a connection: seconds for each phase, and bytes for the output of a command."""

    connect_s: float = 20.0
    """Until the TCP connection is open."""
    login_s: float = 30.0
    """From then until the login is accepted."""
    command_s: float = 120.0
    """Until a command has ended."""
    output_bytes: int = 16 << 20
    """Longest output of a command. The largest configuration of the sites of inventory/ has 29 kB, and the
    attributes of a BIOS some ten thousand bytes."""


@dataclass(frozen=True, slots=True)
class Target:
    """A device and how to reach it."""

    device: str
    access: DeviceAccess
    credential: CredentialSource
    limits: Limits = Limits()

    @property
    def place(self) -> str:
        """Host and port, for messages."""
        return f"{self.access.host}:{self.access.port}"


@lru_cache(maxsize=1)
def connection_slots(_loop: asyncio.AbstractEventLoop) -> asyncio.Semaphore:
    """Return an event loop's limit on open connections, from the limit on file descriptors."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return asyncio.Semaphore(max(1, hard - FILES_KEPT_FREE))


@asynccontextmanager
async def connected(target: Target) -> AsyncIterator[asyncssh.SSHClientConnection]:
    """Open a connection to a device and close it at the end.

    Raises
    ------
    UnreachableError
        The device does not answer in time, shows another host key, or does not accept the credential.
    """
    async with connection_slots(asyncio.get_running_loop()):
        connection = await open_connection(target)
        try:
            yield connection
        finally:
            connection.close()


async def open_connection(target: Target) -> asyncssh.SSHClientConnection:
    """Open a connection.

    Raises
    ------
    UnreachableError
        See `connected`.
    """
    arguments = connection_arguments(target)
    device = target.device
    try:
        async with asyncio.timeout(target.limits.connect_s + target.limits.login_s):
            return await asyncssh.connect(target.access.host, target.access.port, **arguments)
    except asyncssh.HostKeyNotVerifiable as error:
        raise changed_host_key(target) from error
    except asyncssh.PermissionDenied as error:
        cause = f"{target.place} does not accept the credential of user {target.access.user}"
        raise LoginError(device, cause, "check user, password and private_key in access.yaml") from error
    except (TimeoutError, asyncssh.Error) as error:
        reason = "no answer in time" if isinstance(error, TimeoutError) else str(error)
        raise UnreachableError(device, f"no SSH session with {target.place}: {reason}") from error
    except OSError as error:
        reason = error.strerror or str(error)
        hint = "is it powered and cabled, and is its address in access.yaml right?"
        raise UnreachableError(device, f"{target.place} does not answer: {reason}", hint) from error


def connection_arguments(target: Target) -> dict[str, Any]:
    """Return the arguments for asyncssh: nothing from the user's SSH configuration or agent.

    Raises
    ------
    HostKeyError
        No host key was recorded.
    """
    credential = target.credential()
    key, password = credential.private_key, credential.password
    return {
        "username": target.access.user,
        "password": None if password is None else password.get_secret_value(),
        "client_keys": None if key is None else [asyncssh.import_private_key(key.get_secret_value())],
        "known_hosts": ([known_host_key(target)], [], []),
        "connect_timeout": target.limits.connect_s,
        "login_timeout": target.limits.login_s,
        "keepalive_interval": 15,
        "config": None,
        "agent_path": None,
        "gss_host": None,
        "preferred_auth": "password,keyboard-interactive" if key is None else "publickey,password",
    }


def known_host_key(target: Target) -> asyncssh.SSHKey:
    """Return the host key that was recorded.

    Raises
    ------
    HostKeyError
        None was recorded, or what is there is not a key.
    """
    hint = "`rackproof trust <site>` shows it and records it"
    if target.access.host_key is None:
        raise HostKeyError(target.device, "its host key was never recorded, so the device cannot be identified", hint)
    try:
        return asyncssh.import_public_key(target.access.host_key)
    except asyncssh.KeyImportError as error:
        raise HostKeyError(target.device, "host_key in access.yaml is not a public key", hint) from error


def changed_host_key(target: Target) -> HostKeyError:
    """Return the error for a device that shows another key than the recorded one."""
    return HostKeyError(
        target.device,
        f"{target.place} shows another host key than the one recorded: another device, or a machine in the middle",
        "find out why; after a replacement: `rackproof trust <site> --replace`",
    )


async def run(connection: asyncssh.SSHClientConnection, command: str, limits: Limits, text: str = "") -> str:
    """Run one command of the device's shell with a text on its standard input, and return its output.

    Raises
    ------
    CommandError
        It ended with another status than 0, did not end in time, printed too much, or the connection broke.
    """
    try:
        # The limit covers everything: a device that dies may not even answer the opening of a channel.
        async with asyncio.timeout(limits.command_s):
            process = await connection.create_process(command, encoding="utf-8", errors="replace")
            write_input(process.stdin, text)
            result = await printed(process, first_line(command), limits.output_bytes)
    except TimeoutError as error:
        raise CommandError(f"`{first_line(command)}` did not end within {limits.command_s:g} s") from error
    except (asyncssh.Error, OSError) as error:
        raise CommandError(f"the connection broke during `{first_line(command)}`: {error}") from error
    if result.status != 0:
        status = "the connection broke" if result.status is None else f"status {result.status}"
        reason = (result.error.strip() or result.out.strip() or status).splitlines()[-1]
        raise CommandError(f"`{first_line(command)}` failed: {reason}")
    return result.out


def write_input(standard_input: asyncssh.SSHWriter[str], text: str) -> None:
    """Write a command's standard input, if any; a command that ended without reading it reports its own error."""
    if text:
        with suppress(BrokenPipeError):
            standard_input.write(text)
            standard_input.write_eof()


def first_line(command: str) -> str:
    """Return the first line of a command, cut short for messages."""
    line = command.splitlines()[0]
    return line if len(line) <= SHOWN_CHARACTERS else f"{line[:SHOWN_CHARACTERS]}..."


async def shell(target: Target, command: str, text: str = "", limit_s: float | None = None) -> str:
    """Run one command of a switch's shell over a new connection.

    Parameters
    ----------
    target, command
        The switch and the command.
    text
        Standard input of the command.
    limit_s
        Time limit in seconds; None: that of the target.

    Raises
    ------
    CommandError
        The command failed.
    UnreachableError
        The switch does not answer.
    """
    async with connected(target) as connection:
        limits = target.limits if limit_s is None else replace(target.limits, command_s=limit_s)
        return await run(connection, command, limits, text)
