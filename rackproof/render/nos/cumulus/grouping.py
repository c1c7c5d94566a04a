"""Interfaces that are alike under one key, as NVIDIA's exports have them: ``swp1s0-3,swp2s0-3``."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

from rackproof.render.nos.cumulus.names import compress_names
from rackproof.render.nos.cumulus.tree import below as branch

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rackproof.render.config_tree import ConfigTree
    from rackproof.render.nos.cumulus.tree import Words

OWN: Final = "description"
"""What interfaces that are alike otherwise differ in."""

Frozen: TypeAlias = tuple[tuple[str, "Frozen"], ...]
Names: TypeAlias = tuple[list[str], "ConfigTree"]
"""Interfaces, and what they have in common."""


@dataclass(slots=True)
class Members:
    """What stands under one key for many names, before it is written: most of them have the same settings."""

    common: list[Names] = field(default_factory=list)
    """All but descriptions; a name may be in several."""
    described: dict[str, list[str]] = field(default_factory=dict)
    """Description to names."""

    def add(self, common: ConfigTree, described: Mapping[str, str]) -> None:
        """Add names that have ``common`` in common, each with its description."""
        self.common.append((list(described), common))
        for name, text in described.items():
            if text:
                self.described.setdefault(text, []).append(name)

    def add_block(self, name: str, block: ConfigTree) -> None:
        """Add one name and all that stands under it."""
        own = block.get(OWN, {})
        rest = {word: below for word, below in block.items() if word != OWN}
        for text in own:
            self.described.setdefault(text, []).append(name)
        if rest or not own:
            self.common.append(([name], rest))


Groups: TypeAlias = dict["Words", Members]
"""Path of a tree to what stands there."""


def neighbor_path(vrf: str) -> Words:
    """Return where the BGP sessions of a VRF stand."""
    return ("vrf", vrf, "router", "bgp", "neighbor")


def spread(tree: ConfigTree, groups: Groups) -> None:
    """Put every name of the groups into ``tree`` by itself."""
    for path, members in groups.items():
        block = tree
        for word in path if members.common else ():
            block = block.setdefault(word, {})
        for names, common in members.common:
            for name in names:
                block.setdefault(name, {}).update(common)
        for text, names in members.described.items():
            for name in names:
                block[name][OWN] = {text: {}}


def group(tree: ConfigTree, groups: Groups | None = None) -> None:
    """Put interfaces, and BGP sessions, that are alike under one key, those of ``groups`` among them."""
    groups = groups or {}
    _group_in(tree, "interface", groups.get(("interface",)))
    for vrf in branch(tree, "vrf"):
        *above, key = neighbor_path(vrf)
        _group_in(branch(tree, *above), key, groups.get((*above, key)))


def _group_in(parent: ConfigTree, key: str, members: Members | None) -> None:
    """Group what stands under one key of a tree, and ``members``; addresses are in no list."""
    if key not in parent and (members is None or not members.common):
        return
    blocks = parent.get(key, {})
    grouped = {name: block for name, block in blocks.items() if not name[0].isalpha()}
    every = members or Members()
    for name, block in blocks.items():
        if name not in grouped:
            every.add_block(name, block)
    for names, part in _merged(every.common):
        grouped.setdefault(_key(names), {}).update(part)
    for text, names in every.described.items():
        grouped.setdefault(_key(names), {})[OWN] = {text: {}}
    parent[key] = grouped


def _merged(common: Iterable[Names]) -> Iterable[Names]:
    """Return the groups, those that have the same in common put together."""
    merged: dict[Frozen, Names] = {}
    for names, part in common:
        merged.setdefault(_frozen(part), ([], part))[0].extend(names)
    return merged.values()


def _key(names: list[str]) -> str:
    """Return names as one key."""
    return names[0] if len(names) == 1 else _joined_names(tuple(names))


@lru_cache(maxsize=1 << 14)
def _joined_names(names: tuple[str, ...]) -> str:
    """Return names as one list; switches of a fabric have most of their lists in common."""
    return compress_names(names)


def _frozen(tree: ConfigTree) -> Frozen:
    """Return ``tree`` as something that can be a key."""
    frozen = [(word, _frozen(below) if below else ()) for word, below in tree.items()]
    if len(frozen) > 1:
        frozen.sort()
    return tuple(frozen)
