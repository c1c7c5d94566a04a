"""Changes of a Cumulus Linux configuration: paths to unset and to set, in the syntax of the switch's release.

Trees use the syntax of the base release; the lines that are sent use that of the switch's release.
"""

import shlex
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Final

from rackproof.deploy.switch.compare.managed_config import BEHIND
from rackproof.deploy.switch.stage import Stage
from rackproof.render.config_tree import ConfigTree
from rackproof.render.nos.cumulus.document import read_document, write_set
from rackproof.render.nos.cumulus.left_alone import entry_for
from rackproof.render.nos.cumulus.names import compress_names
from rackproof.render.nos.cumulus.owned import base_tree, owned_part
from rackproof.render.nos.cumulus.release import BASE, Release
from rackproof.render.nos.cumulus.renames import to_release
from rackproof.render.nos.cumulus.schema import value_kind
from rackproof.render.nos.cumulus.tree import Words, ends, tree_from_paths

SET: Final = "nv set "
UNSET: Final = "nv unset "


def without(tree: ConfigTree, unmanaged: tuple[str, ...]) -> ConfigTree:
    """Return a configuration without the paths that begin with an unmanaged prefix.

    Parameters
    ----------
    tree
        In the syntax of the base release.
    unmanaged
        Prefixes of paths as written after ``nv set``: ``system snmp-server``.
    """
    starts = [tuple(start.removeprefix("nv ").removeprefix("set ").split()) for start in unmanaged]
    return tree_from_paths(words for words in ends(tree) if not any(words[: len(start)] == start for start in starts))


def configuration_text(tree: ConfigTree, running: str) -> str:
    """Return a part of a running configuration as a file, in the syntax of the switch's release."""
    release = running_release(running)
    return write_set(tree_from_paths(to_release(ends(tree), release)), release)


def shown(chains: tuple[str, ...], matters: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the paths for which ``matters`` holds as after ``nv set``; interfaces with the same path are one line."""
    found = [tuple(chain.split(BEHIND)) for chain in chains]
    above = ancestors(words[:-1] for words in found)
    sharing: dict[Words, list[str]] = {}
    for line, words in zip(chains, found, strict=True):
        if words not in above and matters(line):
            is_interface = words[0] == "interface" and len(words) > 2
            key, name = ((words[0], "", *words[2:]), words[1]) if is_interface else (words, "")
            sharing.setdefault(key, []).append(name)
    return tuple(
        " ".join((words[0], compress_names(names), *words[2:]) if names[0] else words)
        for words, names in sharing.items()
    )


def ancestors(paths: Iterable[Words]) -> frozenset[Words]:
    """Return the paths with all paths above them."""
    return frozenset(chain.from_iterable(map(beginnings, paths)))


def beginnings(words: Words) -> Iterator[Words]:
    """Yield every beginning of a path, itself included."""
    return (words[:length] for length in range(1, len(words) + 1))


def running_release(running: str) -> Release:
    """Return the release that a configuration names in its header."""
    return (read_document(running).release if running else None) or BASE


def next_stage(running: ConfigTree, intended: ConfigTree, printed: str = "") -> Stage | None:
    """Return the one stage from one configuration to another, which NVUE applies as a whole; None: they are equal.

    Parameters
    ----------
    running, intended
        Trees of what Rackproof manages, in the syntax of the base release.
    printed
        The running configuration as the switch printed it; the lines use the syntax of its release.
    """
    if running == intended:
        return None
    release = running_release(printed)
    before, after = (tree_from_paths(to_release(ends(tree), release)) for tree in (running, intended))
    known = set(ends(before))
    kept = frozenset(to_release(foreign(printed, running), release)) if printed else frozenset()
    above = ancestors(kept)
    gone = (f"{UNSET}{shlex.join(words)}" for words in removals(before, after, release, above))
    new = (f"{SET}{shlex.join(words)}" for words in ends(after) if words not in known)
    return Stage("configuration", (*gone, *new))


def foreign(printed: str, running: ConfigTree) -> Iterator[Words]:
    """Yield the paths of a switch that Rackproof does not manage: those left alone, and unmanaged ones."""
    whole = base_tree(read_document(printed))
    ours = set(ends(running))
    yield from (words for words in ends(whole) if entry_for(words) is not None)
    yield from (words for words in ends(owned_part(whole)) if words not in ours)


def removals(
    before: ConfigTree, after: ConfigTree, release: Release, kept: AbstractSet[Words] = frozenset(), above: Words = ()
) -> Iterator[Words]:
    """Yield the shortest paths to unset; a value that another one replaces is not among them.

    Parameters
    ----------
    before, after
        In the syntax of ``release``.
    kept
        Paths above something unmanaged: they are not unset as a whole.
    """
    for word, below in before.items():
        words = (*above, word)
        if word in after:
            yield from removals(below, after[word], release, kept, words)
        elif words in kept:
            yield from removals(below, {}, release, kept, words)
        elif value_kind(words, release) is None:
            yield words


def paths(lines: Iterable[str], command: str) -> tuple[Words, ...]:
    """Return the paths of the lines that begin with ``nv set`` or ``nv unset``."""
    return tuple(tuple(shlex.split(line.removeprefix(command))) for line in lines if line.startswith(command))
