"""``nv config apply``: applies the pending or a named revision, at once or with confirmation.

The options are those of the NVUE reference (Config Commands): ``--confirm`` takes minutes, ten by default;
``--confirm-yes`` and ``--confirm-no`` behind a revision's number confirm it or roll back, as the drivers written for
NVUE use them (napalm-cumulus). A unit behind the number (300s, 5m, 1h) is what such drivers write.
"""

import re
from typing import Final

from lab.switches.nos.cumulus.nv.run import Run
from lab.switches.nos.cumulus.revisions import Revision
from lab.switches.nos.cumulus.system import CONFIRM_TIMER
from lab.switches.nos.cumulus.tree import Tree, copied, value

_TIME: Final = re.compile(r"(?P<number>\d+)(?P<unit>[smh]?)\Z")
_SECONDS: Final = {"": 60, "s": 1, "m": 60, "h": 3600}
_DEFAULT_S: Final = 600.0
_YES: Final = ("-y", "--y", "--assume-yes")
_QUESTION: Final = "Are you sure? [y/N] "


async def apply(run: Run) -> int:
    """Apply a revision, or confirm or roll back one.

    Raises
    ------
    ApplyError, UnknownRevisionError
        There is no such revision, or it cannot be applied.
    """
    for option, keep in (("--confirm-yes", True), ("--confirm-no", False)):
        if run.option(option):
            return _confirm(run, keep=keep)
    if run.option("--confirm-status"):
        return _status(run)
    yes, no = run.option(*_YES), run.option("--assume-no")
    message = run.value("-m", "--message") or ""
    confirm_s = _confirm_s(run)
    revision, tree = _chosen(run)
    if revision is None:
        run.call.print("config apply executed with no config diff")
        return 0
    if run.system.revisions.before is not None:
        return run.call.fail("Error: a previous apply is waiting for confirmation")
    run.system.check(revision, tree)
    if not yes and not await _agreed(run, tree, no=no):
        return run.call.fail("Apply aborted")
    revision.message = message
    run.system.apply(revision, tree, confirm_s)
    run.count_line()
    state = "applied" if confirm_s is not None else revision.state
    run.call.print(f"{state} [rev_id: {revision.number}]")
    return 0


def _confirm_s(run: Run) -> float | None:
    """Return the time to confirm, or None where that is not asked for."""
    if "--confirm" not in run.words:
        return None
    place = run.words.index("--confirm")
    match = _TIME.match(run.words[place + 1]) if len(run.words) > place + 1 else None
    del run.words[place : place + (2 if match else 1)]
    return _DEFAULT_S if match is None else float(int(match["number"]) * _SECONDS[match["unit"]])


def _chosen(run: Run) -> tuple[Revision | None, Tree]:
    """Return what is to be applied: what is pending, or the revision that is named."""
    revisions = run.system.revisions
    if not run.words:
        pending = revisions.pending.get(run.user)
        same = pending is None or pending.tree == revisions.applied.tree
        return (None, {}) if pending is None or same else (pending, pending.tree)
    tree = copied(revisions.tree(run.words[0], run.user))
    if tree == revisions.applied.tree:
        return None, {}
    named = revisions.known.get(int(run.words[0])) if run.words[0].isdigit() else None
    if named is None:
        named = revisions.new(run.user, tree)
    return named, tree


async def _agreed(run: Run, tree: Tree, *, no: bool) -> bool:
    """Ask where something is disrupted; without a terminal the answer is no."""
    warnings = list(run.system.restarts(tree).warnings)
    name = value(tree, "system", "hostname") or "cumulus"
    if name != run.system.host_name:
        warnings.append(f"Warning: current hostname `{run.system.host_name}` will be replaced with `{name}`")
    if not warnings:
        return True
    terminal = run.call.terminal
    if no or terminal is None:
        run.call.out.extend(f"{warning}\n" for warning in warnings)
        return False
    await terminal.write("".join(f"{warning}\n" for warning in warnings))
    answer = await terminal.read_line(_QUESTION)
    return (answer or "").strip().lower() in {"y", "yes"}


def _confirm(run: Run, *, keep: bool) -> int:
    revisions = run.system.revisions
    revision = revisions.numbered(run.words[0]) if run.words else revisions.applied
    if revision.state != "confirm":
        return run.call.fail(f"Error: revision {revision.number} is not waiting for confirmation")
    run.system.confirm(revision, keep=keep)
    run.call.print(f"{revision.state if keep else 'rolled back'} [rev_id: {revision.number}]")
    return 0


def _status(run: Run) -> int:
    """Print the time left; its form is assumed, the manual shows none."""
    timer = next((one for one in run.system.switch.units.armed if one.name == f"{CONFIRM_TIMER}.timer"), None)
    if timer is None:
        run.call.print("No config apply is waiting for confirmation")
        return 0
    left = max(int(timer.due - run.system.switch.clock.now()), 0)
    number = run.system.revisions.applied.number
    run.call.print(f"rev_id {number}: {left // 60:02}:{left % 60:02} until automatic rollback")
    return 0
