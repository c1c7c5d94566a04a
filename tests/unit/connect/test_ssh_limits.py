"""A device that says nothing, or prints without end, costs no more than the limits of a command."""

from __future__ import annotations

import asyncio
from typing import Any

import asyncssh
import pytest

from rackproof.connect.errors import CommandError
from rackproof.connect.ssh import Limits, run

LIMIT_S = 0.2


class Open(asyncssh.SSHServer):
    """Lets everybody in."""

    def begin_auth(self, username: str) -> bool:
        return not username


class Silent(asyncssh.SSHServer):
    """Lets everybody in and never opens a channel."""

    def begin_auth(self, username: str) -> bool:
        return not username

    def session_requested(self) -> Any:  # noqa: ANN401 asyncssh waits for what can be waited for
        async def never() -> None:
            await asyncio.Event().wait()

        return never()


def test_a_channel_that_is_never_opened_counts_as_a_command_that_does_not_end() -> None:
    async def whole() -> None:
        keys = [asyncssh.generate_private_key("ssh-ed25519")]
        async with asyncssh.listen("127.0.0.1", 0, server_factory=Silent, server_host_keys=keys) as server:
            port = server.get_port()
            words = {"known_hosts": None, "username": "anyone", "config": None, "agent_path": None}
            async with asyncssh.connect("127.0.0.1", port, **words) as connection:
                await run(connection, "uptime", Limits(command_s=LIMIT_S))

    with pytest.raises(CommandError, match="`uptime` did not end within"):
        asyncio.run(asyncio.wait_for(whole(), 30))


async def flooding(process: asyncssh.SSHServerProcess[str]) -> None:
    """Print without end."""
    try:
        while True:
            process.stdout.write("x" * (1 << 16))
            await process.stdout.drain()
    except (asyncssh.Error, OSError):
        return


def test_a_command_that_prints_without_end_is_ended_at_its_limit() -> None:
    async def whole() -> None:
        keys = [asyncssh.generate_private_key("ssh-ed25519")]
        listening = asyncssh.listen(
            "127.0.0.1", 0, server_factory=Open, server_host_keys=keys, process_factory=flooding, encoding="utf-8"
        )
        async with listening as server:
            words = {"known_hosts": None, "username": "anyone", "config": None, "agent_path": None}
            async with asyncssh.connect("127.0.0.1", server.get_port(), **words) as connection:
                await run(connection, "show everything", Limits(output_bytes=1 << 20))

    with pytest.raises(CommandError, match="`show everything` printed more than 1 MiB, the limit for one command"):
        asyncio.run(asyncio.wait_for(whole(), 30))
