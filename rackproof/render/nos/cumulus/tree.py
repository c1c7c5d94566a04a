"""NVUE configuration as a tree of words: every path from the top to an end is what follows ``nv set``."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from rackproof.render.config_tree import ConfigTree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Words: TypeAlias = tuple[str, ...]
"""``("interface", "swp1", "link", "mtu", "9000")``: the value is the last word."""

EMPTY: ConfigTree = {}


def put(tree: ConfigTree, *words: str) -> None:
    """Add a path to ``tree``."""
    for word in words:
        tree = tree.setdefault(word, {})


def set_value(tree: ConfigTree, *words: str) -> None:
    """Add a path whose last word is a value: the one that stood there before goes."""
    *path, value = words
    for word in path:
        tree = tree.setdefault(word, {})
    tree.clear()
    tree[value] = {}


def ends(tree: ConfigTree, above: Words = ()) -> Iterator[Words]:
    """Yield every path of ``tree`` that goes on nowhere."""
    for word, below in tree.items():
        if below:
            yield from ends(below, (*above, word))
        else:
            yield (*above, word)


def tree_from_paths(paths: Iterable[Words]) -> ConfigTree:
    """Return the tree that holds ``paths``."""
    tree: ConfigTree = {}
    for words in paths:
        put(tree, *words)
    return tree


def below(tree: ConfigTree, *words: str) -> ConfigTree:
    """Return what stands under a path; empty where there is no such path."""
    for word in words:
        tree = tree.get(word, EMPTY)
    return tree


def word(tree: ConfigTree, *words: str) -> str | None:
    """Return the value at a path, or the first of the keys there."""
    return next(iter(below(tree, *words)), None)


def whole(tree: ConfigTree, *words: str) -> int | None:
    """Return the value at a path as a number; None where there is none."""
    found = word(tree, *words)
    return int(found) if found is not None and found.isdecimal() else None


def is_on(tree: ConfigTree, *words: str) -> bool:
    """Return whether the switch at a path is on."""
    return word(tree, *words) == "on"
