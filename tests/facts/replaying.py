"""Servers that answer over SSH what was recorded: many in one process, each on a port of its own on loopback.

One replays the script that gathers facts (it does not run it: it answers what the recording holds of the commands that
it is sent), and single commands of a shell. What was not recorded ends as the shell ends an unknown command.
"""

from __future__ import annotations

import ast
import asyncio
import json
import re
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import asyncssh
from pydantic import SecretStr

from rackproof.connect.credentials import Credential
from rackproof.connect.ssh import Target
from rackproof.facts.fact import Answer
from rackproof.site.access import DeviceAccess

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rackproof.facts.fact import Answers

PASSWORD: Final = "planted-51fe0a"
LOOPBACK: Final = "127.0.0.1"
ASKED: Final = re.compile(r"^print\(gathered\((?P<asked>.*)\)\)$", re.MULTILINE)
UNKNOWN: Final = Answer("", 127, "sh: not recorded")


class AnyPassword(asyncssh.SSHServer):
    """Lets in who has the password, and whatever key somebody shows."""

    def begin_auth(self, username: str) -> bool:  # noqa: ARG002 asyncssh's
        """Ask for proof."""
        return True

    def password_auth_supported(self) -> bool:
        """Take passwords."""
        return True

    def validate_password(self, username: str, password: str) -> bool:  # noqa: ARG002 asyncssh's
        """Compare the password."""
        return password == PASSWORD

    def public_key_auth_supported(self) -> bool:
        """Take keys."""
        return True

    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:  # noqa: ARG002 asyncssh's
        """Take any: loopback only."""
        return True


@dataclass
class ReplayedHosts:
    """Servers by name; change a recording and the next answer is another."""

    recordings: Mapping[str, Answers]
    garbled: set[str] = field(default_factory=set)
    """Those that print something else than facts."""
    silent: set[str] = field(default_factory=set)
    """Those that take what they are asked, and never answer."""
    ports: dict[str, int] = field(default_factory=dict)
    conversations: int = 0
    """Commands that were started on them."""

    def __post_init__(self) -> None:
        self._key = asyncssh.generate_private_key("ssh-ed25519")
        self._listening: list[asyncssh.SSHAcceptor] = []

    @property
    def public_host_key(self) -> str:
        """Host key of all of them, as a known_hosts file has it."""
        return " ".join(self._key.export_public_key().decode().split()[:2])

    def target(self, name: str) -> Target:
        """Return how Rackproof reaches one of them."""
        access = DeviceAccess(host=LOOPBACK, port=self.ports[name], user="rackproof", host_key=self.public_host_key)
        return Target(name, access, lambda: Credential(password=SecretStr(PASSWORD)))

    async def open(self) -> None:
        """Listen."""
        for name in self.recordings:
            acceptor = await asyncssh.listen(
                LOOPBACK,
                0,
                backlog=128,
                server_host_keys=[self._key],
                server_factory=AnyPassword,
                process_factory=self._answering(name),
                gss_host=None,
            )
            self.ports[name] = acceptor.get_port()
            self._listening.append(acceptor)

    async def close(self) -> None:
        """Listen no more."""
        for acceptor in self._listening:
            acceptor.close()
            await acceptor.wait_closed()

    def _answering(self, name: str) -> asyncssh.SSHServerProcessFactory[str]:
        async def answer(process: asyncssh.SSHServerProcess[str]) -> None:
            self.conversations += 1
            await self._answer(name, process)

        return answer

    async def _answer(self, name: str, process: asyncssh.SSHServerProcess[str]) -> None:
        if name in self.silent:
            await process.wait_closed()
            return
        if "python3 -" in (process.command or ""):
            asked = ASKED.search(await process.stdin.read())
            commands = json.loads(ast.literal_eval(asked["asked"])) if asked else []
            text = gathered(self.recordings[name], commands)
            answer = Answer("Segmentation fault\n" if name in self.garbled else text, 0)
        else:
            answer = self.recordings[name].get(process.command or "", UNKNOWN)
        process.stdout.write(answer.output)
        process.stderr.write(answer.error)
        process.exit(255 if answer.status is None else answer.status)


def gathered(recording: Answers, commands: list[str]) -> str:
    """Return what the script prints on a host that answers as recorded."""
    found: Mapping[str, Answer] = {command: recording.get(command, UNKNOWN) for command in commands}
    return json.dumps({command: (one.status, one.output, one.error) for command, one in found.items()})


@contextmanager
def replaying(hosts: ReplayedHosts) -> Iterator[ReplayedHosts]:
    """Serve in a thread of its own, so that what runs in this one may block."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="replayed hosts")
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(hosts.open(), loop).result()
        yield hosts
    finally:
        asyncio.run_coroutine_threadsafe(hosts.close(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
