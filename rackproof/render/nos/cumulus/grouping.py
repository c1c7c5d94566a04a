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


def group(tree: ConfigTree) -> None:
    """Put interfaces, and BGP sessions, that are alike under one key."""
    _group_in(tree, "interface")
    for vrf in branch(tree, "vrf").values():
        _group_in(branch(vrf, "router", "bgp"), "neighbor")


def _group_in(parent: ConfigTree, key: str) -> None:
    """Group what stands under one key of a tree; addresses are in no list."""
    if key not in parent:
        return
    groups: dict[tuple[str, Frozen], tuple[list[str], ConfigTree]] = {}
    known: dict[int, Frozen] = {}
    for name, block in parent[key].items():
        alone = "" if name[0].isalpha() else name
        for part in _parts(block):
            groups.setdefault((alone, _frozen_block(part, known)), ([], part))[0].append(name)
    grouped: ConfigTree = {}
    for names, part in groups.values():
        grouped.setdefault(compress_names(names), {}).update(part)
    parent[key] = grouped


def _parts(block: ConfigTree) -> tuple[ConfigTree, ...]:
    """Return what an interface may share with others, and what is its own."""
    if OWN not in block:
        return (block,)
    rest = {word: following for word, following in block.items() if word != OWN}
    own = {OWN: block[OWN]}
    return (rest, own) if rest else (own,)


def _frozen_block(block: ConfigTree, known: dict[int, Frozen]) -> Frozen:
    """Return an interface as something that can be a key; branches that interfaces share are looked at once."""
    return tuple(
        sorted(
            (word, known.get(id(below)) or known.setdefault(id(below), _frozen(below))) for word, below in block.items()
        )
    )


def _frozen(tree: ConfigTree) -> Frozen:
    """Return ``tree`` as something that can be a key."""
    if not tree:
        return ()
    return tuple(sorted((word, _frozen(below)) for word, below in tree.items()))
