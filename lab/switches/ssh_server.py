"""The SSH server of a lab switch: asyncssh on a loopback port of its own, one event loop for all switches."""

import asyncio
import logging
import socket

import asyncssh
from typing_extensions import override

from lab.switches.shell_session import Session
from lab.switches.switch import LabSwitch

LOOPBACK = "127.0.0.1"
_LOG = logging.getLogger(__name__)
BACKLOG = 128


def new_host_key() -> asyncssh.SSHKey:
    """Return a fresh host key; Ed25519 is the cheapest to make and to use."""
    return asyncssh.generate_private_key("ssh-ed25519")


class _Gate(asyncssh.SSHServer):
    """Authentication of one connection."""

    def __init__(self, switch: LabSwitch) -> None:
        self._switch = switch
        self._connection: asyncssh.SSHServerConnection | None = None

    @override
    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._connection = conn
        if self._switch.lost:
            conn.abort()
            self._switch.wait_for_return()
            return
        self._switch.sessions[self] = conn.abort

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._switch.sessions.pop(self, None)
        if exc is not None and not isinstance(exc, (asyncssh.Error, OSError)):
            _LOG.error("%s: a session ended with an error of the lab itself", self._switch.spec.name, exc_info=exc)
        if self._switch.lost and self._switch.power == "up" and not self._switch.sessions:
            self._switch.wait_for_return()

    @override
    def begin_auth(self, username: str) -> bool:
        return True

    @override
    def password_auth_supported(self) -> bool:
        return True

    @override
    def validate_password(self, username: str, password: str) -> bool:
        return self._switch.passwords.get(username) == password

    @override
    def public_key_auth_supported(self) -> bool:
        return bool(self._switch.authorized_keys)

    @override
    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        return username in self._switch.passwords and key.export_public_key().decode().split()[1] in {
            text.split()[1] for text in self._switch.authorized_keys
        }


class SshEndpoint:
    """The SSH port of a switch: it stays bound while the switch is down, and refuses connections then."""

    def __init__(self, switch: LabSwitch) -> None:
        self._switch = switch
        self.host_key = new_host_key()
        self._holder = _bound_socket(0)
        self.port: int = self._holder.getsockname()[1]
        self._listener: socket.socket | None = None
        self._acceptor: asyncio.Server | asyncssh.SSHAcceptor | None = None
        self._conversations: set[asyncio.StreamWriter] = set()

    @property
    def public_host_key(self) -> str:
        """Host key as a known_hosts file has it: type and key."""
        return " ".join(self.host_key.export_public_key().decode().split()[:2])

    async def open(self) -> None:
        """Accept connections."""
        self.close()
        self._listener = listener = _bound_socket(self.port)
        if self._switch.fault_flags.silent:
            self._acceptor = await asyncio.start_server(self._say_nothing, sock=listener, backlog=BACKLOG)
            return
        self._acceptor = await asyncssh.listen(
            sock=listener,
            backlog=BACKLOG,
            server_factory=lambda: _Gate(self._switch),
            gss_host=None,  # else every login looks up this machine's full name, in DNS where it has none
            server_host_keys=[self.host_key],
            process_factory=self._serve,
            line_editor=False,
            encoding="utf-8",
            keepalive_interval=0,
            server_version="OpenSSH_9.2p1",
        )

    def close(self) -> None:
        """Refuse new connections; existing ones stay."""
        if self._listener is not None and self._acceptor is not None:
            # A connection that is accepted before its server closes, but set up after it, would stay open for good:
            # accept no more now, and close once those there are have been set up.
            loop = asyncio.get_running_loop()
            loop.remove_reader(self._listener)
            loop.call_soon(self._acceptor.close)
            self._listener = self._acceptor = None
        for writer in tuple(self._conversations):
            writer.close()
        self._conversations.clear()

    def release(self) -> None:
        """Release the port."""
        self.close()
        self._holder.close()

    async def renew_host_key(self) -> None:
        """Answer with another host key from now on."""
        await self.use_host_key(new_host_key())

    async def use_host_key(self, key: asyncssh.SSHKey) -> None:
        """Answer with this host key from now on."""
        self.host_key = key
        if self._acceptor is not None:
            await self.open()

    async def _serve(self, process: asyncssh.SSHServerProcess[str]) -> None:
        await Session(self._switch, process).run()

    async def _say_nothing(self, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._conversations.add(writer)


def _bound_socket(port: int) -> socket.socket:
    """Bind without listening: two sockets of ours may share a port, no other program can have it."""
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    bound.bind((LOOPBACK, port))
    bound.settimeout(0.0)
    return bound
