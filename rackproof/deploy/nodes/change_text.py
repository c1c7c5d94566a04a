"""Text of the differences of a host, and the disruption of applying them."""

import difflib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from rackproof.deploy.nodes.job import Holding, NodeTask
from rackproof.deploy.nodes.read_state import NodeState
from rackproof.deploy.protocol import Change, Disruption

LINES_SHOWN = 6
"""Changed lines of one file that are shown; more are counted."""
ABSENT = "absent"

NAMES: Final = {
    "sysctl": "", "link": "port ", "address": "", "rule": "rule from ", "route": "route to ", "mount": "mount ",
    "rdma_device": "RDMA device ", "service": "service ", "package": "package ", "module": "kernel module ",
    "kernel_argument": "kernel argument ", "dcb": "DCB of ", "limit": "limit of ", "command": "",
    "bios": "BIOS ",
}  # fmt: skip
"""Kind of a setting to the prefix of its name."""
KEYS: Final = {
    "mtu_bytes": "MTU", "name": "name", "up": "up", "version": "version", "active": "running", "enabled": "at start",
    "mounted": "mounted", "loaded": "loaded", "table": "table", "link": "over", "mode": "mode", "owner": "owner",
    "address": "address", "source": "source", "type": "type", "waiting": "waits for a restart,",
}  # fmt: skip
"""Key of a setting to its label; other keys have none."""


def host_changes(state: NodeState, holding: Holding) -> tuple[Change, ...]:
    """Return the differences of a host as changes; empty: none. Pure."""
    return tuple(host_change(one, holding, state.users) for one in state.differences)


def unknown_ports(task: NodeTask) -> tuple[Change, ...]:
    """Return the ports whose position is unknown or contradicts the plan, as changes."""
    if task.contradictions:
        return tuple(Change((ABSENT, text), None, None, text) for text in task.contradictions)
    text = f"{', '.join(task.unrecorded)}: their positions are not recorded"
    return (Change(("record", task.device), None, None, text),) if task.unrecorded else ()


def host_change(difference: Mapping[str, Any], holding: Holding, users: tuple[str, ...]) -> Change:
    """Return one difference as a change."""
    kind, name, key = str(difference["kind"]), str(difference["name"]), str(difference["key"])
    if ABSENT in difference:
        text = f"{name}: {difference[ABSENT]}"
        return Change((ABSENT, name), difference[ABSENT], name, text)
    if "error" in difference:
        text = f"{subject(kind, name)}: could not be read: {difference['error']}"
        return Change((kind, name, key), None, None, text)
    before, after = difference["found"], difference["expected"]
    if kind == "file":
        return file_change(difference, holding)
    disruption = setting_disruption(kind, key)
    text = " ".join(part for part in (f"{subject(kind, name)}:", KEYS.get(key, ""), arrow(before, after)) if part)
    return Change((kind, name, key), before, after, text, disruption, users if disruption.rank else ())


def subject(kind: str, name: str) -> str:
    """Return the subject of a setting."""
    return name if kind == "file" else f"{NAMES.get(kind, f'{kind} ')}{name}"


def setting_disruption(kind: str, key: str) -> Disruption:
    """Return the disruption of applying a setting; some take effect with the next boot."""
    if kind in {"kernel_argument", "bios"}:
        return Disruption.REBOOT
    return Disruption.PORT_RESET if (kind, key) in {("link", "name"), ("link", "mtu_bytes")} else Disruption.NONE


def arrow(before: object, after: object) -> str:
    """Return a change of a value: ``1500 → 9000``."""
    return f"{value_text(before)} → {value_text(after)}"


def value_text(value: object) -> str:
    """Return a value as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def file_change(difference: Mapping[str, Any], holding: Holding) -> Change:
    """Return the change of a file: its lines where both are known."""
    path, key, found = str(difference["name"]), str(difference["key"]), difference["found"]
    if key != "sha256":
        what = "left over → removed" if key == "left over" else f"{key} {arrow(found, difference['expected'])}"
        return Change(("file", path, key), found, difference["expected"], f"{path}: {what}")
    wanted = holding.files[path].content
    if found is None:
        return Change(("file", path), None, wanted, f"{path}: new, {len(wanted.splitlines())} lines")
    old = difference.get("text")
    if old is None:
        return Change(("file", path), found, difference["expected"], f"{path}: content differs")
    return Change(("file", path), old, wanted, f"{path}: {lines_text(old, wanted)}")


def lines_text(old: str, new: str) -> str:
    """Return the removed and added lines: ``- MTUBytes=1500, + MTUBytes=9000``."""
    lines = list(changed_lines(old, new))
    if not lines:
        return "differs in its line ends"
    more = f", and {len(lines) - LINES_SHOWN} more lines" if len(lines) > LINES_SHOWN else ""
    return ", ".join(lines[:LINES_SHOWN]) + more


def changed_lines(old: str, new: str) -> Iterator[str]:
    """Yield the removed lines with ``-`` and the added ones with ``+``."""
    for line in difflib.unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm=""):
        if not line.startswith(("---", "+++", "@@")):
            yield f"{line[0]} {line[1:].strip()}"
