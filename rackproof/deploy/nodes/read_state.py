"""Looks at a host: one connection, one command, and what differs there."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from rackproof import paths
from rackproof.connect.errors import CommandError, LoginError, UnreadableError
from rackproof.connect.ssh import Target, connected, run
from rackproof.deploy.nodes.job import Holding

READ_LIMIT_S = 90.0
"""Longest that a host may take to say what differs; each look there has a limit of its own."""
BOOTSTRAP = "import sys;exec(compile(sys.stdin.read({length}),'host_state.py','exec'))"
"""Runs the script that comes first on standard input; the question follows it there."""
OLDEST_PYTHON = "Python 3.9"


@dataclass(frozen=True, slots=True)
class NodeState:
    """A host as it was read."""

    differences: tuple[Mapping[str, Any], ...] = ()
    """What differs from what it must hold."""
    users: tuple[str, ...] = ()
    """Programs that a restart would interrupt."""


@cache
def script() -> str:
    """Return the text of the script that runs on hosts."""
    return paths.HOST_STATE.read_text(encoding="ascii")


def state_command(user: str) -> str:
    """Return the command that runs the script as the administrator."""
    python = f'python3 -c "{BOOTSTRAP.format(length=len(script()))}"'
    return python if user == "root" else f"sudo -n {python}"


async def read_host(target: Target, holding: Holding) -> NodeState:
    """Return what differs on a host.

    Raises
    ------
    UnreachableError
        It does not answer, hangs, refuses sudo, or cannot run the script.
    """
    async with connected(target) as connection:
        try:
            said = await run(connection, state_command(target.access.user), target.limits, script() + holding.question)
            answer = json.loads(said)
            return NodeState(tuple(answer["differences"]), tuple(answer["users"]))
        except CommandError as error:
            raise read_error(target, error.cause) from error
        except (ValueError, KeyError) as error:
            hint = "does the login print something by itself (.bashrc, a banner)?"
            raise UnreadableError(target.device, "it answered something else than what differs", hint) from error


def read_error(target: Target, cause: str) -> UnreadableError | LoginError:
    """Return the error for a look that failed: what a person can do about it."""
    user = target.access.user
    said = cause.partition("failed: ")[2] or cause
    if re.search(r"sudo:.*(password|terminal)|not (in the sudoers|allowed)|may not run sudo", said):
        hint = f"let {user} use sudo without a password: `{user} ALL=(ALL) NOPASSWD: ALL` in /etc/sudoers.d/rackproof"
        return LoginError(target.device, f"sudo is refused to user {user}: {said}", hint)
    if "not found" in said:
        return UnreadableError(target.device, f"it cannot be looked at: {said}", f"install {OLDEST_PYTHON} and sudo")
    if "did not end within" in said:
        hint = "is it overloaded, or does a file system hang? look at its console"
        return UnreadableError(target.device, f"it hangs: no answer within {target.limits.command_s:g} s", hint)
    return UnreadableError(target.device, f"it could not say what differs: {said}", f"needs {OLDEST_PYTHON} or newer")
