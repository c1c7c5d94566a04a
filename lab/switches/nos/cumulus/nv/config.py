"""``nv config``: revisions, files, applying (NVUE reference, Config Commands; NVUE-CLI)."""

import json
import posixpath
from collections.abc import Awaitable, Callable, Mapping
from itertools import chain
from typing import Final

from lab.switches.nos.cumulus.document import read_document, show_commands, show_json, show_yaml
from lab.switches.nos.cumulus.nv.applying import apply
from lab.switches.nos.cumulus.nv.run import Run
from lab.switches.nos.cumulus.revisions import Revision
from lab.switches.nos.cumulus.schema import flattened, named_in
from lab.switches.nos.cumulus.system import shown_ends
from lab.switches.nos.cumulus.tree import Leaf, Tree, added, build_tree, drop, put, removed

_INITIAL: Final = "/usr/lib/python3/dist-packages/cue_config_v1/initial.yaml"
"""NVUE's own empty configuration (NVUE-CLI, Reset NVUE Configuration to Default Values)."""


async def config(run: Run) -> int:
    """Manage configurations."""
    verb = run.words.pop(0) if run.words else ""
    command = _COMMANDS.get(verb)
    if command is None:
        return run.call.fail(f"Error: Invalid Command: config {verb}")
    return await command(run)


async def _text(run: Run) -> str:
    if not run.words or run.words[0] == "-":
        return await run.call.stdin()
    path = run.words[0]
    if path == _INITIAL:
        return "- set: {}\n"
    return run.call.switch.files.read(posixpath.join(run.call.switch.home, path))


async def patch(run: Run) -> int:
    """Change the pending revision as a file says: all of it or nothing.

    Raises
    ------
    RefusedPathError, DocumentError, SessionCutError
        The file is refused, or has not arrived.
    """
    parts = read_document(await _text(run))
    root = run.system.root
    sets = list(chain.from_iterable(flattened(root, content) for verb, content in parts if verb == "set"))
    removed_paths = chain.from_iterable(named_in(root, content) for verb, content in parts if verb == "unset")
    unsets: list[Leaf] = [(path, None) for path in removed_paths]
    run.count("unset", unsets)
    run.count("set", sets)
    revision, new = run.system.revisions.attached(run.user)
    for path, _ in unsets:
        drop(revision.tree, path)
    for path, found in sets:
        put(revision.tree, path, found)
    run.created(new=new, number=revision.number)
    return 0


async def replace(run: Run) -> int:
    """Make a file the whole pending revision: what it does not name is gone, users too."""
    parts = read_document(await _text(run))
    root = run.system.root
    ends = list(chain.from_iterable(flattened(root, content) for verb, content in parts if verb == "set"))
    run.count("set", ends)
    revision, new = run.system.revisions.attached(run.user)
    revision.tree = build_tree(ends)
    run.created(new=new, number=revision.number)
    return 0


async def diff(run: Run) -> int:
    """Show what differs between two revisions; without any between the applied one and what is pending."""
    form = run.value("-o", "--output")
    names = run.words or ["applied", "pending"]
    base, target = (names * 2)[:2] if len(names) != 1 else (names[0], "pending")
    before, after = (run.system.revisions.tree(name, run.user) for name in (base, target))
    run.call.out.append(_difference(run, before, after, form))
    return 0


def _difference(run: Run, before: Tree, after: Tree, form: str | None) -> str:
    gone: list[Leaf] = [(path, None) for path in removed(before, after)]
    new = list(shown_ends(build_tree(added(before, after))))
    if form == "commands":
        return show_commands("unset", gone) + show_commands("set", new)
    if form == "json":
        return show_json(run.system.root, [("unset", build_tree(gone)), ("set", build_tree(new))])
    return show_yaml(run.system.root, "unset", gone) + show_yaml(run.system.root, "set", new)


async def show(run: Run) -> int:
    """Show a revision, by default the applied one."""
    form = run.value("-o", "--output")
    name = run.value("-r", "--rev") or "applied"
    for known in ("applied", "startup", "pending"):
        name = known if run.option(f"--{known}") else name
    run.option("--all")
    tree = run.system.revisions.tree(name, run.user)
    ends = list(shown_ends(tree))
    if form == "commands":
        run.call.out.append(show_commands("set", ends))
    elif form == "json":
        head = {"nvue-api-version": "nvue_v1", "rev-id": 1.0, "version": f"Cumulus Linux {run.system.version}"}
        run.call.out.append(show_json(run.system.root, [("set", build_tree(ends))], head))
    else:
        same = tree is run.system.applied
        run.call.out.append(run.system.running_configuration() if same else run.system.shown(tree))
    return 0


async def find(run: Run) -> int:
    """Show the paths of the applied configuration in which a word stands."""
    wanted = run.words[0] if run.words else ""
    ends = [(path, value) for path, value in shown_ends(run.system.applied) if wanted in {*path, value}]
    run.call.out.append(show_yaml(run.system.root, "set", ends))
    return 0


async def save(run: Run) -> int:
    """Make the applied revision the one of the next boot."""
    run.system.save()
    run.system.revisions.applied.state = "applied_and_saved"
    run.call.print("saved [rev_id: applied]")
    return 0


async def detach(run: Run) -> int:
    """Detach the pending revision."""
    found = run.system.revisions.detach(run.user)
    if found is not None:
        run.call.print(f"detached [rev_id: {found.number}]")
    return 0


_COLUMNS: Final = {
    "Rev ID": 20,
    "State": 17,
    "Apply ID": 32,
    "Apply Date": 19,
    "Type": 8,
    "User": 7,
    "Reason": 13,
    "Message": 31,
}


async def revision(run: Run) -> int:
    """Show the revisions on the switch."""
    if run.value("-o", "--output") == "json":
        only_applied = run.option("--applied")
        run.call.out.append(json.dumps(_as_json(run, only_applied=only_applied), indent=2) + "\n")
        return 0
    return _table(run, [one for one in run.system.revisions.known.values() if one.applies])


def _as_json(run: Run, *, only_applied: bool) -> dict[str, object]:
    revisions = run.system.revisions
    named = {"applied": revisions.applied, "startup": revisions.saved}
    rows = {name: _row(one) for name, one in named.items()}
    if only_applied:
        return {"applied": rows["applied"]}
    return {**{str(number): _row(one) for number, one in revisions.known.items()}, **rows}


def _row(one: Revision) -> dict[str, object]:
    return {
        "state": one.state,
        "transition": {"issue": {}, "progress": ""},
        "additional-data": {"parent-revision-id": str(one.parent or 0)},
    }


async def history(run: Run) -> int:
    """Show what was applied, latest first."""
    wanted = run.words[0] if run.words else None
    rows = [one for one in run.system.revisions.history() if wanted in {None, str(one.number)}]
    return _table(run, rows)


def _table(run: Run, rows: list[Revision]) -> int:
    lines = [tuple(_COLUMNS), tuple("-" * width for width in _COLUMNS.values())]
    for one in rows:
        message = one.message or f"Config update by {one.user}"
        lines.append((str(one.number), one.state, one.apply_id, one.date, "CLI", one.user, "Config update", message))
    for line in lines:
        run.call.print(
            "  ".join(cell.ljust(width) for cell, width in zip(line, _COLUMNS.values(), strict=True)).rstrip()
        )
    return 0


_COMMANDS: Mapping[str, Callable[[Run], Awaitable[int]]] = {
    "apply": apply,
    "detach": detach,
    "diff": diff,
    "find": find,
    "history": history,
    "patch": patch,
    "replace": replace,
    "revision": revision,
    "save": save,
    "show": show,
}

VERBS = {"config": config}
