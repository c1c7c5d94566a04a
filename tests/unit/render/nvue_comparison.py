"""Two NVUE configurations compared by what they mean, every difference with its reason.

Lists of names are taken apart; sessions have what their peer group says; bonds go by their first member; MAC addresses
have one case; what a rendered file does not answer for, such as users, is told without its content. A reason is a row
of a YAML file: ``path`` (words, in which ``*``, ``?`` and ``[...]`` stand for others; ``...`` at the end is any more),
where wanted ``ours`` and ``theirs``, and ``reason``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

import yaml12

from rackproof.render.nos.cumulus.document import read_document
from rackproof.render.nos.cumulus.left_alone import entry_for
from rackproof.render.nos.cumulus.names import compress_names, natural
from rackproof.render.nos.cumulus.owned import base_tree
from rackproof.render.nos.cumulus.schema import value_kind
from rackproof.render.nos.cumulus.tree import below, ends, put, word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from rackproof.render.config_tree import ConfigTree
    from rackproof.render.nos.cumulus.tree import Words

MAC: Final = re.compile(r"[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}")
THERE: Final = "there"
ABSENT: Final = "-"


@dataclass(frozen=True, slots=True)
class Difference:
    """A path at which two configurations differ."""

    path: Words
    ours: str
    theirs: str


@dataclass(frozen=True, slots=True)
class Reason:
    """Why some differences are as they are."""

    path: Words
    reason: str
    ours: str | None = None
    theirs: str | None = None

    def covers(self, difference: Difference) -> bool:
        asked = ((self.ours, difference.ours), (self.theirs, difference.theirs))
        return all(wanted in {None, found} for wanted, found in asked) and _fits(self.path, difference.path)


@dataclass(slots=True)
class Comparison:
    """Differences by reason, those without one, and reasons without a difference."""

    explained: dict[Reason, list[Difference]] = field(default_factory=dict)
    unexplained: list[Difference] = field(default_factory=list)
    unused: list[Reason] = field(default_factory=list)


def _fits(pattern: Words, path: Words) -> bool:
    """Whether a path is one that a pattern means."""
    if pattern[-1] == "...":
        return len(path) >= len(pattern) - 1 and _fits_all(pattern[:-1], path)
    return len(path) == len(pattern) and _fits_all(pattern, path)


def _fits_all(pattern: Words, path: Words) -> bool:
    return all(fnmatchcase(found, wanted) for wanted, found in zip(pattern, path, strict=False))


def read_reasons(file: Path) -> list[Reason]:
    """The reasons of a file."""
    rows: Any = yaml12.read_yaml(file)
    return [
        Reason(tuple(row["path"].split(" ")), row["reason"], _optional(row, "ours"), _optional(row, "theirs"))
        for row in rows
    ]


def _optional(row: Mapping[str, Any], name: str) -> str | None:
    return str(row[name]) if name in row else None


def compare(ours: str, theirs: str, reasons: Iterable[Reason]) -> Comparison:
    """How two configurations differ, and why."""
    comparison = Comparison(explained={reason: [] for reason in reasons})
    for difference in differences(ours, theirs):
        reason = next((reason for reason in comparison.explained if reason.covers(difference)), None)
        if reason is None:
            comparison.unexplained.append(difference)
        else:
            comparison.explained[reason].append(difference)
    comparison.unused = [reason for reason, found in comparison.explained.items() if not found]
    return comparison


def differences(ours: str, theirs: str) -> Iterator[Difference]:
    """Every path at which two configurations differ in meaning."""
    left, right = _meaning(ours), _meaning(theirs)
    for path in sorted(left.keys() | right.keys(), key=lambda path: [natural(step) for step in path]):
        if left.get(path) != right.get(path):
            yield Difference(path, left.get(path, ABSENT), right.get(path, ABSENT))


def _meaning(text: str) -> dict[Words, str]:
    """Path to value, or to ``there`` where the path ends in a key."""
    tree = base_tree(read_document(text))
    renamed = _bond_names(tree)
    _resolve_peer_groups(tree)
    meaning = {}
    for words in ends(tree):
        if entry_for(words) is not None:
            meaning[words[:2]] = THERE
            continue
        named = tuple(renamed.get(step, step) for step in words)
        named = tuple(step.lower() if MAC.fullmatch(step) else step for step in named)
        if value_kind(words) is None:
            meaning[named] = THERE
        else:
            meaning[named[:-1]] = named[-1]
    return meaning


def _bond_names(tree: ConfigTree) -> dict[str, str]:
    """Bond to what it is called here: by its first member."""
    members = {
        name: sorted(below(block, "bond", "member"), key=natural) for name, block in below(tree, "interface").items()
    }
    return {name: f"bond-of-{found[0]}" for name, found in members.items() if found}


def _resolve_peer_groups(tree: ConfigTree) -> None:
    """Say for each session what its group says, and leave the groups out."""
    for vrf in below(tree, "vrf").values():
        bgp = below(vrf, "router", "bgp")
        for neighbor in below(bgp, "neighbor").values():
            group = below(bgp, "peer-group", word(neighbor, "peer-group") or "")
            neighbor.pop("peer-group", None)
            for words in ends(group):
                put(neighbor, *words)
        bgp.pop("peer-group", None)


def table(comparison: Comparison) -> str:
    """Every difference as a row of Markdown, ports and VLANs that differ alike in one row."""
    lines = ["| path | ours | theirs | reason |", "|-|-|-|-|"]
    for reason, found in comparison.explained.items():
        lines += [f"| {path} | {ours} | {theirs} | {reason.reason} |" for path, ours, theirs in _rows(found)]
    return "\n".join(lines) + "\n"


def _rows(found: Iterable[Difference]) -> Iterator[tuple[str, str, str]]:
    """Differences that only differ in the interface they stand at as one row."""
    alike: dict[tuple[Words, Words, str, str], list[str]] = {}
    for row in found:
        place = next((at + 1 for at, step in enumerate(row.path) if step in {"interface", "neighbor"}), len(row.path))
        key = (row.path[:place], row.path[place + 1 :], row.ours, row.theirs)
        alike.setdefault(key, []).extend(row.path[place : place + 1])
    for (before, after, ours, theirs), names in alike.items():
        together = [compress_names(names)] if names else []
        yield " ".join((*before, *together, *after)), ours, theirs


__all__ = ["Comparison", "Difference", "Reason", "compare", "differences", "read_reasons", "table"]
