"""A device that takes a connection and then says nothing holds nobody up for longer than a command may take."""

from __future__ import annotations

import asyncio
from typing import Any

import asyncssh
import pytest

from rackproof.connect.errors import CommandError
from rackproof.connect.ssh import Limits, run

LIMIT_S = 0.2


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
