"""Patches from the running configuration to the intended one: paths that neither names, such as users, stay.

NVUE gives no order within a patch and takes no set and unset of one object in it (NVUE-CLI, Replace and Patch a Pending
Configuration): what goes comes in a patch of its own, first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rackproof.render.nos.cumulus.document import read_document, write_set, write_unset
from rackproof.render.nos.cumulus.owned import base_tree, owned_part
from rackproof.render.nos.cumulus.release import BASE, Release
from rackproof.render.nos.cumulus.renames import to_release
from rackproof.render.nos.cumulus.schema import value_kind
from rackproof.render.nos.cumulus.tree import ends, tree_from_paths

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rackproof.render.config_tree import ConfigTree
    from rackproof.render.nos.cumulus.document import Document
    from rackproof.render.nos.cumulus.tree import Words


def patches(running: str, rendered: str) -> tuple[str, ...]:
    """Return the files for ``nv config patch`` that lead from one configuration to the other, in this order.

    Parameters
    ----------
    running
        What ``nv config show`` prints.
    rendered
        A rendered file; its release is that of the switch.
    """
    wanted = read_document(rendered)
    release = wanted.release or BASE
    before, after = (_owned(document, release) for document in (read_document(running), wanted))
    there = set(ends(before))
    gone = tree_from_paths(_gone(before, after, release))
    new = tree_from_paths(words for words in ends(after) if words not in there)
    return tuple(text for tree, text in ((gone, write_unset(gone, release)), (new, write_set(new, release))) if tree)


def _owned(document: Document, release: Release) -> ConfigTree:
    """Return what a rendered file answers for, in the words of a release."""
    return tree_from_paths(to_release(ends(owned_part(base_tree(document))), release))


def _gone(before: ConfigTree, after: ConfigTree, release: Release, above: Words = ()) -> Iterator[Words]:
    """Yield the shortest paths that are to go; a value that another replaces is none."""
    for word, below in before.items():
        words = (*above, word)
        if word in after:
            yield from _gone(below, after[word], release, words)
        elif value_kind(words, release) is None:
            yield words
