"""NVUE's trial: a configuration that returns by itself to the one before unless it is confirmed in time.

``nv config apply --confirm <minutes>`` begins one (NVUE-CLI, Configuration Management Commands); it ends with
``--confirm-yes`` or ``--confirm-no`` behind the revision's number, which is in state ``confirm`` until then.
"""

import json
import math
from collections.abc import Iterable
from typing import Final

from rackproof.connect.errors import AttemptError
from rackproof.render.nos.cumulus.document import read_document
from rackproof.render.nos.cumulus.release import Release
from rackproof.render.nos.cumulus.tree import Words, ends

CLOCK: Final = "date -u +%s"
"""Prints the switch's time in seconds since 1970."""
ROOM: Final = "echo room > /tmp/rackproof-room && rm -f /tmp/rackproof-room"
"""Fails where the disk is full, before anything is begun."""
REVISIONS: Final = "nv config revision -o json"
PENDING: Final = "nv config diff"
UNSAVED: Final = "nv config diff applied startup"
DETACH: Final = "nv config detach"
SAVE: Final = "nv config save"
ANSWERS: Final = "echo up"
WAITING: Final = "confirm"
"""State of a revision on trial."""
APPLY_LIMIT_S: Final = 600.0
"""NVUE answers when all is applied: a restart of switchd with hundreds of ports takes minutes."""


def patch_command(kind: str) -> str:
    """Return the command that patches what stands on its standard input, and leaves no file behind."""
    file = f"/tmp/rackproof-{kind}.yaml"  # noqa: S108 on the switch; it holds no secret
    return f"cat > {file} && nv config patch {file} && rm -f {file} || sh -c 'rm -f {file}; false'"


def minutes_of(seconds: float) -> int:
    """Return whole minutes, which is what NVUE counts in."""
    return max(math.ceil(seconds / 60), 1)


def begin_command(minutes: int) -> str:
    """Return the command that applies what is pending on trial."""
    return f"nv config apply --confirm {minutes} -y"


def end_command(revision: str, *, keep: bool) -> str:
    """Return the command that ends a trial."""
    return f"nv config apply {revision} {'--confirm-yes' if keep else '--confirm-no'}"


def revision_on_trial(text: str) -> str | None:
    """Return the number of the revision that waits to be confirmed; None: there is none.

    Raises
    ------
    AttemptError
        The text is not what ``nv config revision`` prints.
    """
    try:
        rows = json.loads(text)
        states = {name: row["state"] for name, row in rows.items() if name.isdigit()}
    except (ValueError, AttributeError, KeyError, TypeError) as error:
        raise AttemptError(f"`{REVISIONS}` answers no revisions") from error
    return next((name for name, state in states.items() if state == WAITING), None)


def deviation(shown: str, unset: tuple[Words, ...], new: tuple[Words, ...], release: Release) -> str:
    """Return what ``nv config diff`` shows beyond what was sent, or lacks of it; empty: it is what was meant.

    Parameters
    ----------
    shown
        What it printed.
    unset, new
        Paths that were unset and set; a value that another one replaces may be shown as unset too.
    release
        In whose words all of it is.
    """
    taken, given = (set(_shown(shown, part, release)) for part in ("unset", "set"))
    strange = [words for words in given if words not in new]
    strange += [words for words in taken if not _touches((*unset, *new), words)]
    if strange:
        return f"`{' '.join(min(strange))}`, which was not asked for"
    lacking = [words for words in new if words not in given and not _touches(taken, words)]
    lacking += [words for words in unset if not _touches(taken, words)]
    return f"nothing of `{' '.join(min(lacking))}`" if lacking else ""


def _shown(text: str, part: str, release: Release) -> list[Words]:
    """Return the paths of one part of a difference."""
    lines = [f"- header:\n    version: Cumulus Linux {release[0]}.{release[1]}.0"]
    inside = False
    for line in text.splitlines():
        if line.startswith("- "):
            inside = line.startswith(f"- {part}:")
        if inside:
            lines.append(line.replace(f"- {part}:", "- set:"))
    return list(ends(read_document("\n".join(lines)).tree)) if len(lines) > 1 else []


def _touches(paths: Iterable[Words], words: Words) -> bool:
    """Whether one of the paths lies above a path, or below it."""
    return any(words[: len(path)] == path or path[: len(words)] == words for path in paths)
