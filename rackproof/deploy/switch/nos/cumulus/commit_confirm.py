"""NVUE's commit-confirm: an applied revision that NVUE rolls back by itself unless it is confirmed in time.

``nv config apply --confirm <minutes>`` applies it (NVUE-CLI, Configuration Management Commands); ``--confirm-yes`` or
``--confirm-no`` after the revision's number confirms or rejects it. Until then its state is ``confirm``.
"""

import json
import math
from collections.abc import Iterable
from typing import Final

from rackproof.connect.errors import CommandError
from rackproof.deploy.switch.device_lock import LockPlace
from rackproof.render.nos.cumulus.document import read_document
from rackproof.render.nos.cumulus.release import Release
from rackproof.render.nos.cumulus.tree import Words, ends

CLOCK: Final = "date -u +%s"
"""Prints the switch's time in seconds since 1970."""
ROOM: Final = "echo room > /tmp/rackproof-room && rm -f /tmp/rackproof-room"
"""Fails if the disk is full, before anything is changed."""
REVISIONS: Final = "nv config revision -o json"
PENDING: Final = "nv config diff"
UNSAVED: Final = "nv config diff applied startup"
UNFINISHED: Final = {"revisions": REVISIONS, "startup": UNSAVED}
"""What an interrupted deployment left: a revision that awaits confirmation, and unsaved changes."""
LOCK: Final = LockPlace("/tmp", "rackproof.lock", as_root=False)  # noqa: S108 on the switch; needs no sudo
"""A restart clears it (tmpfiles.d/tmp.conf of Debian), as it ends a revision that awaits confirmation."""
DETACH: Final = "nv config detach"
SAVE: Final = "nv config save"
ANSWERS: Final = "echo up"
WAITING: Final = "confirm"
"""State of a revision that awaits confirmation."""
APPLY_LIMIT_S: Final = 600.0
"""NVUE answers after it has applied everything: a restart of switchd with hundreds of ports takes minutes."""


def patch_command(kind: str) -> str:
    """Return the command that patches the configuration with its standard input, and removes its temporary file."""
    file = f"/tmp/rackproof-{kind}.yaml"  # noqa: S108 on the switch; it holds no secret
    return f"cat > {file} && nv config patch {file} && rm -f {file} || sh -c 'rm -f {file}; false'"


def whole_minutes(seconds: float) -> int:
    """Return seconds as whole minutes, NVUE's unit, rounded up and at least 1."""
    return max(math.ceil(seconds / 60), 1)


def apply_command(minutes: int) -> str:
    """Return the command that applies the pending configuration with commit-confirm."""
    return f"nv config apply --confirm {minutes} -y"


def end_command(revision: str, *, confirm: bool) -> str:
    """Return the command that confirms or rejects a revision."""
    return f"nv config apply {revision} {'--confirm-yes' if confirm else '--confirm-no'}"


def revision_awaiting_confirmation(text: str) -> str | None:
    """Return the number of the revision that awaits confirmation; None: there is none.

    Raises
    ------
    CommandError
        The text is not the output of ``nv config revision``.
    """
    try:
        rows = json.loads(text)
        states = {name: row["state"] for name, row in rows.items() if name.isdigit()}
    except (ValueError, AttributeError, KeyError, TypeError) as error:
        raise CommandError(f"`{REVISIONS}` printed no revisions") from error
    return next((name for name, state in states.items() if state == WAITING), None)


def deviation(shown: str, unset: tuple[Words, ...], new: tuple[Words, ...], release: Release) -> str:
    """Return how ``nv config diff`` differs from the change that was sent; empty: it does not.

    Parameters
    ----------
    shown
        Output of ``nv config diff``.
    unset, new
        Paths that were unset and set; a replaced value may be shown as unset too.
    release
        Release whose syntax the paths use.
    """
    taken, given = (set(_shown(shown, part, release)) for part in ("unset", "set"))
    strange = [words for words in given if words not in new]
    strange += [words for words in taken if not _touches((*unset, *new), words)]
    if strange:
        return f"`{' '.join(min(strange))}`, which is not part of the change"
    lacking = [words for words in new if words not in given and not _touches(taken, words)]
    lacking += [words for words in unset if not _touches(taken, words)]
    return f"nothing of `{' '.join(min(lacking))}`" if lacking else ""


def _shown(text: str, part: str, release: Release) -> list[Words]:
    """Return the paths of one part (``set`` or ``unset``) of an ``nv config diff``."""
    lines = [f"- header:\n    version: Cumulus Linux {release[0]}.{release[1]}.0"]
    inside = False
    for line in text.splitlines():
        if line.startswith("- "):
            inside = line.startswith(f"- {part}:")
        if inside:
            lines.append(line.replace(f"- {part}:", "- set:"))
    return list(ends(read_document("\n".join(lines)).tree)) if len(lines) > 1 else []


def _touches(paths: Iterable[Words], words: Words) -> bool:
    """Whether one of the paths is an ancestor or a descendant of ``words``."""
    return any(words[: len(path)] == path or path[: len(words)] == words for path in paths)
