"""Interfaces that are alike under one key, as NVIDIA's exports have them: ``swp1s0-3,swp2s0-3``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from rackproof.render.nos.cumulus.names import compress_names
from rackproof.render.nos.cumulus.tree import below as branch

if TYPE_CHECKING:
    from rackproof.render.config_tree import ConfigTree

OWN: Final = "description"
"""What interfaces that are alike otherwise differ in."""

Frozen: TypeAlias = tuple[tuple[str, "Frozen"], ...]
Names: TypeAlias = tuple[list[str], "ConfigTree"]
"""Interfaces, and what they have in common."""


def group(tree: ConfigTree) -> None:
    """Put interfaces, and BGP sessions, that are alike under one key."""
    _group_in(tree, "interface")
    for vrf in branch(tree, "vrf").values():
        _group_in(branch(vrf, "router", "bgp"), "neighbor")


def _group_in(parent: ConfigTree, key: str) -> None:
    """Group what stands under one key of a tree; addresses are in no list."""
    if key not in parent:
        return
    described, others = _same_branches(parent[key])
    groups: dict[tuple[str, Frozen], Names] = {}
    for (alone, *_), (names, part) in others.items():
        groups.setdefault((alone, _frozen(part)), ([], part))[0].extend(names)
    grouped: ConfigTree = {}
    for names, part in (*groups.values(), *described.values()):
        grouped.setdefault(compress_names(names) if len(names) > 1 else names[0], {}).update(part)
    parent[key] = grouped


def _same_branches(blocks: ConfigTree) -> tuple[dict[tuple[str, ...], Names], dict[tuple[str, object, object], Names]]:
    """Return interfaces by what is their own, and by the very branches they share.

    Most that are alike were given the same branches: these need not be compared word by word.
    """
    described: dict[tuple[str, ...], Names] = {}
    others: dict[tuple[str, object, object], Names] = {}
    for name, block in blocks.items():
        alone, rest = "" if name[0].isalpha() else name, block
        if OWN in block:
            rest = block.copy()
            own = rest.pop(OWN)
            described.setdefault((alone, *own), ([], {OWN: own}))[0].append(name)
        if rest or not block:
            branches = (alone, tuple(rest), tuple(map(id, rest.values())))
            others.setdefault(branches, ([], rest))[0].append(name)
    return described, others


def _frozen(tree: ConfigTree) -> Frozen:
    """Return ``tree`` as something that can be a key."""
    frozen = [(word, _frozen(below) if below else ()) for word, below in tree.items()]
    if len(frozen) > 1:
        frozen.sort()
    return tuple(frozen)
