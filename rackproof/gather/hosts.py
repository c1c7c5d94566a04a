"""Gathers the facts of servers: one script and one round trip for each, all servers at once."""

import asyncio
import inspect
import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from rackproof.connect.errors import CommandError, DeviceError, UnreadableError
from rackproof.connect.ssh import Target, connected, run
from rackproof.facts.fact import Answers
from rackproof.facts.hosts.recording import decode_answers
from rackproof.facts.scripts import gather_facts as script
from rackproof.gather.discover import AS_ROOT

HINT: Final = "it needs python3, and its user sudo without a password"


@dataclass(frozen=True, slots=True)
class GatherLimits:
    """Limits of concurrency and time."""

    hosts_at_once: int = 128
    """Conversations at the same time: it keeps the processors busy, and no handshake waits too long."""
    host_s: float = script.TOTAL_S + 60.0
    """For one server from its first packet on: its commands, connecting, and the way back."""


async def gather_facts(
    targets: Sequence[Target],
    commands: Iterable[str],
    on_each: Callable[[str, Answers | DeviceError], None],
    limits: GatherLimits = GatherLimits(),
) -> None:
    """Ask servers at once; what they answer is handed over server by server, because all of it is much.

    Parameters
    ----------
    targets
        The servers.
    commands
        What each is asked: lines of its shell that read only and print no secret.
    on_each
        Called with device and answers, or why there are none, as soon as a server is done; in this event loop.
    limits
        Servers at a time, and seconds for each.

    Raises
    ------
    CredentialError
        A credential reference leads to nothing.
    """
    text = script_for(commands)
    places = asyncio.Semaphore(limits.hosts_at_once)

    async def one(target: Target) -> None:
        on_each(target.device, await _asked(target, text, places, limits.host_s))

    await asyncio.gather(*map(one, targets))


def script_for(commands: Iterable[str]) -> str:
    """Return the text for a server's Python: the script with its commands."""
    asked = json.dumps(list(dict.fromkeys(commands)))
    return f"{inspect.getsource(script)}\n\nprint(gathered({asked!r}))\n"


async def _asked(
    target: Target, text: str, places: AbstractAsyncContextManager[None], limit_s: float
) -> Answers | DeviceError:
    unreadable = partial(UnreadableError, target.device)
    try:
        async with places, asyncio.timeout(limit_s):
            return decode_answers(await _printed(target, text, limit_s))
    except DeviceError as error:
        return error
    except TimeoutError:
        return unreadable(f"it did not answer within {limit_s:g} s", "is it overloaded, or does its root hang?")
    except CommandError as error:
        return unreadable(error.cause, HINT)
    except ValueError as error:
        return unreadable(f"it answers something else than its facts: {error}", HINT)


async def _printed(target: Target, text: str, limit_s: float) -> str:
    async with connected(target) as connection:
        return await run(connection, AS_ROOT, replace(target.limits, command_s=limit_s), text)
