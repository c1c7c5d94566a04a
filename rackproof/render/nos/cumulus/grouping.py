"""Interfaces that are alike under one key, as NVIDIA's exports have them: ``swp1s0-3,swp2s0-3``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from rackproof.render.nos.cumulus.names import compress_names
from rackproof.render.nos.cumulus.tree import below as branch

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    groups: dict[tuple[str, Frozen], Names] = {}
    for alone, (names, part) in _same_branches(parent[key]):
        groups.setdefault((alone, _frozen(part)), ([], part))[0].extend(names)
    grouped: ConfigTree = {}
    for names, part in groups.values():
        grouped.setdefault(compress_names(names) if len(names) > 1 else names[0], {}).update(part)
    parent[key] = grouped


def _same_branches(blocks: ConfigTree) -> Iterable[tuple[str, Names]]:
    """Return interfaces, and what an interface has for itself, by the very branches they share.

    Most that are alike were given the same branches: these need not be compared word by word.
    """
    found: dict[tuple[str, tuple[str, ...], tuple[int, ...]], tuple[str, Names]] = {}
    for name, block in blocks.items():
        alone = "" if name[0].isalpha() else name
        for part in _parts(block):
            branches = (alone, tuple(part), tuple(map(id, part.values())))
            found.setdefault(branches, (alone, ([], part)))[1][0].append(name)
    return found.values()


def _parts(block: ConfigTree) -> tuple[ConfigTree, ...]:
    """Return what an interface may share with others, and what is its own."""
    if OWN not in block:
        return (block,)
    rest = block.copy()
    own = {OWN: rest.pop(OWN)}
    return (rest, own) if rest else (own,)


def _frozen(tree: ConfigTree) -> Frozen:
    """Return ``tree`` as something that can be a key."""
    frozen = [(word, _frozen(below) if below else ()) for word, below in tree.items()]
    if len(frozen) > 1:
        frozen.sort()
    return tuple(frozen)
