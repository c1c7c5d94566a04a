"""NVUE configuration as a tree: words down to a value, or to nothing where the last word is a name of its own."""

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

Tree: TypeAlias = dict[str, Any]
"""Word to a tree, or to a value, which is a string."""
Words: TypeAlias = tuple[str, ...]
Leaf: TypeAlias = tuple[Words, str | None]
"""A path and its value; None: the last word is a name of its own."""


def put(tree: Tree, words: Words, value: str | None = None) -> None:
    """Set a path."""
    *above, last = words
    for word in above:
        below = tree.get(word)
        if not isinstance(below, dict):
            below = tree[word] = {}
        tree = below
    if value is not None:
        tree[last] = value
    elif not isinstance(tree.get(last), dict):
        tree[last] = {}


def drop(tree: Tree, words: Words) -> None:
    """Take a path away with all that is below it; what is left empty above it goes too. A missing path is no error."""
    first, *rest = words
    if not rest:
        tree.pop(first, None)
        return
    below = tree.get(first)
    if isinstance(below, dict):
        drop(below, tuple(rest))
        if not below:
            del tree[first]


def leaves(tree: Tree, above: Words = ()) -> Iterator[Leaf]:
    """Yield every end of a tree."""
    for word, below in tree.items():
        path = (*above, word)
        if not isinstance(below, dict):
            yield path, below
        elif below:
            yield from leaves(below, path)
        else:
            yield path, None


def build_tree(ends: Iterable[Leaf]) -> Tree:
    """Return the tree that has these ends."""
    tree: Tree = {}
    for words, value in ends:
        put(tree, words, value)
    return tree


def at(tree: Tree, *words: str) -> Tree:
    """Return the tree at a path; empty where there is none."""
    for word in words:
        below = tree.get(word)
        if not isinstance(below, dict):
            return {}
        tree = below
    return tree


def bond_by_member(tree: Tree) -> dict[str, str]:
    """Return each member of a bond with the name of its bond."""
    found: dict[str, str] = {}
    for name, block in at(tree, "interface").items():
        found.update(dict.fromkeys(at(block, "bond", "member"), name))
    return found


def value(tree: Tree, *words: str) -> str | None:
    """Return the value at a path, or None."""
    found = at(tree, *words[:-1]).get(words[-1])
    return found if isinstance(found, str) else None


def copied(tree: Tree) -> Tree:
    """Return a tree that shares nothing with another."""
    return {word: copied(below) if isinstance(below, dict) else below for word, below in tree.items()}


def removed(before: Tree, after: Tree, above: Words = ()) -> Iterator[Words]:
    """Yield the shortest paths that ``before`` has and ``after`` has not; a changed value is none of them."""
    for word, below in before.items():
        path = (*above, word)
        if word not in after:
            yield path
        elif isinstance(below, dict) and isinstance(after[word], dict):
            yield from removed(below, after[word], path)


def added(before: Tree, after: Tree) -> Iterator[Leaf]:
    """Yield the ends that ``after`` has and ``before`` has not, or has with another value."""
    known = dict(leaves(before))
    for words, new in leaves(after):
        if (words not in known or known[words] != new) and not (new is None and at(before, *words)):
            yield words, new
