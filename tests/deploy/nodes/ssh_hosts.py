"""Hosts that answer over SSH and run what they are told on this machine, each in a folder of its own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import asyncssh
from typing_extensions import override

from rackproof.site.access import CredentialReference, DeviceAccess

if TYPE_CHECKING:
    from collections.abc import Coroutine

USER: Final = "rackproof"
SUDO: Final = """#!/bin/sh
if [ -e "$HOST_FOLDER/no-sudo" ]; then echo "sudo: a password is required" >&2; exit 1; fi
while [ $# -gt 0 ]; do
  case "$1" in -u|-p) shift 2;; -*) shift;; *) break;; esac
done
exec "$@"
"""


class SshHost:
    """One host.

    Parameters
    ----------
    folder
        What is the host's own: its commands (``bin``), its files (``disk``), and marks that give it a temper.
    """

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder
        self.key = asyncssh.generate_private_key("ssh-ed25519")
        self.client_key = asyncssh.generate_private_key("ssh-ed25519")
        self.port = 0
        self.commands: list[str] = []
        """What it was told to run."""
        self.connections: set[asyncssh.SSHServerConnection] = set()
        self._server: asyncssh.SSHAcceptor | None = None
        (folder / "bin").mkdir(parents=True)
        (folder / "disk").mkdir()
        self.command("sudo", SUDO)
        self.command("check-ports", "#!/bin/sh\nexit 0\n")
        key = folder / "key"
        key.touch(mode=0o600)
        key.write_bytes(self.client_key.export_private_key())

    def command(self, name: str, text: str) -> None:
        """Give the host a command."""
        path = self.folder / "bin" / name
        path.write_text(text)
        path.chmod(0o755)

    def mark(self, name: str) -> None:
        (self.folder / name).touch()

    @property
    def disk(self) -> Path:
        return self.folder / "disk"

    @property
    def host_key(self) -> str:
        return " ".join(self.key.export_public_key().decode().split()[:2])

    def access(self) -> DeviceAccess:
        return DeviceAccess(
            host="127.0.0.1",
            port=self.port,
            user=USER,
            host_key=self.host_key,
            private_key=CredentialReference(file=str(self.folder / "key")),
        )

    async def start(self) -> None:
        self._server = await asyncssh.listen(
            "127.0.0.1",
            self.port,
            server_factory=lambda: _Gate(self),
            server_host_keys=[self.key],
            process_factory=self._serve,
            gss_host=None,
            encoding=None,
        )
        self.port = self._server.get_port()

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
            for connection in tuple(self.connections):
                connection.abort()

    async def _serve(self, process: asyncssh.SSHServerProcess[bytes]) -> None:
        self.commands.append(process.command or "")
        path = os.pathsep.join((str(self.folder / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]))
        environment = {"PATH": path, "HOME": str(self.folder), "HOST_FOLDER": str(self.folder), "LANG": "C.UTF-8"}
        child = await asyncio.create_subprocess_exec(
            "/bin/sh",
            "-c",
            process.command or "true",
            stdin=-1,
            stdout=-1,
            stderr=-1,
            env=environment,
            start_new_session=True,
        )
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        feeding = asyncio.create_task(_feed(process, child.stdin))
        try:
            await asyncio.gather(_pass(child.stdout, process.stdout), _pass(child.stderr, process.stderr))
            process.exit(await child.wait())
            await process.wait_closed()
        finally:
            feeding.cancel()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            await child.wait()


async def _feed(process: asyncssh.SSHServerProcess[bytes], to: asyncio.StreamWriter) -> None:
    """Pass on what the other side types, up to its end."""
    with contextlib.suppress(ConnectionError, asyncssh.Error):
        while data := await process.stdin.read(65536):
            to.write(data)
            await to.drain()
    to.close()


async def _pass(source: asyncio.StreamReader, to: asyncssh.SSHWriter[bytes]) -> None:
    with contextlib.suppress(ConnectionError, asyncssh.Error):
        while data := await source.read(65536):
            to.write(data)
            await to.drain()


class _Gate(asyncssh.SSHServer):
    def __init__(self, host: SshHost) -> None:
        self._host = host

    @override
    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._connection = conn
        self._host.connections.add(conn)

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._host.connections.discard(self._connection)

    @override
    def begin_auth(self, username: str) -> bool:
        return True

    @override
    def public_key_auth_supported(self) -> bool:
        return True

    @override
    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        return username == USER and key == self._host.client_key.convert_to_public()


class HostThread:
    """An event loop of its own for hosts, so that a test may block."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def call(self, work: Coroutine[Any, Any, Any]) -> Any:  # noqa: ANN401 what the work returns
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    def close(self) -> None:
        self.call(_finish())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _finish() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await asyncio.sleep(0)
