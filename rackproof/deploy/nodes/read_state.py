"""Reads a host: one connection and one command, which prints the differences from its intent."""

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
"""Longest that the state script may run; each of its reads has a limit of its own."""
BOOTSTRAP = "import sys;exec(compile(sys.stdin.read({length}),'host_state.py','exec'))"
"""Runs the script at the start of standard input; the question follows it there."""
OLDEST_PYTHON = "Python 3.9"


@dataclass(frozen=True, slots=True)
class NodeState:
    """A host as it was read."""

    differences: tuple[Mapping[str, Any], ...] = ()
    """Differences from its intent."""
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
    """Return the state of a host.

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
            hint = "does the login print text of its own (.bashrc, a banner)?"
            raise UnreadableError(
                target.device, "the state script printed something else than its answer", hint
            ) from error


def read_error(target: Target, cause: str) -> UnreadableError | LoginError:
    """Return the error for a failed read, with a hint."""
    user = target.access.user
    said = cause.partition("failed: ")[2] or cause
    if re.search(r"sudo:.*(password|terminal)|not (in the sudoers|allowed)|may not run sudo", said):
        hint = f"let {user} use sudo without a password: `{user} ALL=(ALL) NOPASSWD: ALL` in /etc/sudoers.d/rackproof"
        return LoginError(target.device, f"sudo is refused to user {user}: {said}", hint)
    if "not found" in said:
        return UnreadableError(
            target.device, f"the state script cannot run: {said}", f"install {OLDEST_PYTHON} and sudo"
        )
    if "did not end within" in said:
        hint = "is it overloaded, or does a file system hang? check its console"
        return UnreadableError(target.device, f"it hangs: no answer within {target.limits.command_s:g} s", hint)
    return UnreadableError(target.device, f"the state script failed: {said}", f"it needs {OLDEST_PYTHON} or newer")
