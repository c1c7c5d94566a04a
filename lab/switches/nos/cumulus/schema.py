"""What NVUE takes: the paths of ``schema.yaml`` and ``management.yaml``, of one release."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Final

import yaml12

from lab.switches.nos.cumulus.names import expand_names, is_list
from lab.switches.nos.cumulus.tree import Tree, Words

_FILE: Final = "schema.yaml"
_MANAGEMENT_FILE: Final = "management.yaml"
"""Paths of access to the switch itself."""
_SWITCH: Final = "=on|off"
_STATE_WORDS: Final = (5, 15)
"""Releases from here on say ``state enabled`` for ``enable on``."""
_EACH: Final = "<each>"
_OLDEST: Final = "5.12"

Release = tuple[int, int]


class RefusedPathError(Exception):
    """NVUE does not have a path, or not with that value; the text is what it prints."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What a word may be."""

    name: str
    pattern: re.Pattern[str]
    ranges: bool = False

    def matches(self, word: str) -> bool:
        """Return whether a word is of this kind, or a list of such words where NVUE takes one."""
        if self.pattern.fullmatch(word):
            return True
        return self.ranges and is_list(word) and all(map(self.pattern.fullmatch, expand_names(word)))


@dataclass(frozen=True, slots=True)
class Value:
    """What a value may be."""

    words: frozenset[str]
    kinds: tuple[Kind, ...]
    limits: tuple[int, int] | None

    def takes(self, text: str) -> bool:
        """Return whether a text is such a value."""
        if text in self.words or any(kind.pattern.fullmatch(text) for kind in self.kinds):
            return True
        return self.limits is not None and text.isdigit() and self.limits[0] <= int(text) <= self.limits[1]

    def is_number(self, text: str) -> bool:
        """Return whether NVUE holds this value as a number."""
        return self.limits is not None and text.isdigit()

    def __str__(self) -> str:
        if self.limits is not None:
            return f"integer:{self.limits[0]} - {self.limits[1]}"
        return f"enum:{', '.join(sorted(self.words))}" if self.words else self.kinds[0].name


@dataclass(slots=True)
class Node:
    """A word and what may follow it."""

    words: "dict[str, Node]" = field(default_factory=dict)
    names: "list[tuple[Kind, Node]]" = field(default_factory=list)
    value: Value | None = None
    ends: bool = False
    alternatives: frozenset[str] = frozenset()
    """Words of which only one may stand here."""

    def next(self, word: str) -> "Node | None":
        """Return what follows a word, or None."""
        found = self.words.get(word)
        return found or next((node for kind, node in self.names if kind.matches(word)), None)

    def takes_list(self, word: str) -> bool:
        """Return whether a word stands for several names here."""
        return word not in self.words and is_list(word) and any(kind.ranges for kind, _ in self.names)


@cache
def schema(release: Release) -> Node:
    """Return the paths of a release."""
    document, management = map(_document, (_FILE, _MANAGEMENT_FILE))
    kinds = {
        name: Kind(name, re.compile(row["pattern"], re.DOTALL), row.get("ranges", False))
        for name, row in document["kinds"].items()
    }
    root = Node()
    for block in (*document["sources"], *management["sources"]):
        if parse_release(block.get("from", _OLDEST)) <= release <= parse_release(block.get("until", "99.0")):
            for path in _paths(block):
                _add(root, _release_words(release, path.split()), kinds)
    return root


def _document(name: str) -> Any:  # noqa: ANN401 YAML
    """Return a file of this folder."""
    return yaml12.parse_yaml(files(__package__).joinpath(name).read_text("utf-8"))


def parse_release(text: str) -> Release:
    """Return the release that a text such as ``5.13`` names."""
    major, minor, *_ = text.split(".")
    return int(major), int(minor)


def _paths(block: Any) -> Iterator[str]:  # noqa: ANN401 YAML
    """Yield the paths of one source."""
    for path in block["paths"].splitlines():
        if _EACH in path:
            yield from (path.replace(_EACH, each) for each in block["each"])
        else:
            yield path


def _release_words(release: Release, words: list[str]) -> list[str]:
    if release < _STATE_WORDS or words[-1] != _SWITCH:
        return words
    return [*words[:-2], "state" if words[-2] == "enable" else words[-2], "=enabled|disabled"]


def _add(node: Node, words: list[str], kinds: dict[str, Kind]) -> None:
    for word in words:
        if word.startswith("="):
            node.value = _value(word.removeprefix("="), kinds)
        elif word.startswith("("):
            choices = word.strip("()*").split(")")[0].split("|")
            if not word.endswith("*"):
                node.alternatives |= frozenset(choices)
            for choice in choices:
                node.words.setdefault(choice, Node()).ends = True
        elif word.startswith("<"):
            node = _named(node, kinds[word.strip("<>")])
            node.ends = True
        else:
            node = node.words.setdefault(word.removesuffix("."), Node())
            node.ends = node.ends or word.endswith(".")


def _named(node: Node, kind: Kind) -> Node:
    for known, following in node.names:
        if known == kind:
            return following
    following = Node()
    node.names.append((kind, following))
    return following


def _value(text: str, kinds: dict[str, Kind]) -> Value:
    parts = text.split("|")
    limits = next((part.split("..") for part in parts if ".." in part), None)
    return Value(
        words=frozenset(part for part in parts if ".." not in part and not part.startswith("<")),
        kinds=tuple(kinds[part.strip("<>")] for part in parts if part.startswith("<")),
        limits=None if limits is None else (int(limits[0]), int(limits[1])),
    )


# --- Looking words up ---------------------------------------------------------------------------------------------


def expanded(root: Node, words: Iterable[str], *, remove: bool = False) -> list[tuple[Words, str | None]]:
    """Return the paths that the words of ``nv set`` or ``nv unset`` name, each with its value.

    Raises
    ------
    RefusedPathError
        There is no such path, or it does not take the value.
    """
    given = tuple(words)
    paths: list[Words] = [()]
    node = root
    for number, word in enumerate(given):
        if node.value is not None:
            return [(path, _checked(node.value, path, given[number:])) for path in paths]
        following = node.next(word)
        if following is None:
            raise RefusedPathError(f"Invalid Command: {'unset' if remove else 'set'} {' '.join(given)}")
        several = tuple(expand_names(word)) if node.takes_list(word) else (word,)
        paths = [(*path, one) for path in paths for one in several]
        node = following
    if not remove and not node.ends:
        raise RefusedPathError(f"Incomplete Command: set {' '.join(given)}")
    return [(path, None) for path in paths]


def _checked(kind: Value, path: Words, words: Words) -> str:
    text = " ".join(words)
    if len(words) != 1 or not kind.takes(text):
        raise RefusedPathError(f"Config invalid at {'.'.join(path)}: '{text}' is not of type ({kind})")
    return text


def flattened(root: Node, document: Tree, above: Words = ()) -> Iterator[tuple[Words, str | None]]:
    """Yield the paths of a document's ``set``, lists of names taken apart.

    Raises
    ------
    RefusedPathError
        NVUE does not have one of them, or not with that value.
    """
    for word, below in document.items():
        following = root.next(word)
        if following is None:
            raise RefusedPathError(f"Config invalid at {'.'.join((*above, word))}: '{word}' was unexpected")
        for name in expand_names(word) if root.takes_list(word) else (word,):
            yield from _flattened_below(following, below, (*above, name))


def _flattened_below(node: Node, below: Any, path: Words) -> Iterator[tuple[Words, str | None]]:  # noqa: ANN401
    if node.value is not None:
        yield path, _checked(node.value, path, () if isinstance(below, dict) else (below,))
    elif not isinstance(below, dict):
        raise RefusedPathError(f"Config invalid at {'.'.join(path)}: '{below}' is not of type 'object'")
    elif below:
        yield from flattened(node, below, path)
    elif node.ends:
        yield path, None
    else:
        raise RefusedPathError(f"Config invalid at {'.'.join(path)}: nothing is set there")


def named_in(root: Node, document: Tree, above: Words = ()) -> Iterator[Words]:
    """Yield the paths that a document's ``unset`` names; they need not be there."""
    for word, below in document.items():
        following = root.next(word)
        for name in expand_names(word) if root.takes_list(word) else (word,):
            if isinstance(below, dict) and below and following is not None and following.value is None:
                yield from named_in(following, below, (*above, name))
            else:
                yield (*above, name)


def clashes(root: Node, tree: Tree, above: Words = ()) -> Iterator[str]:
    """Yield every place where words stand that exclude each other."""
    for word, below in tree.items():
        following = root.next(word)
        if following is None or not isinstance(below, dict):
            continue
        both = sorted(following.alternatives & below.keys())
        if len(both) > 1:
            yield f"Config invalid at {'.'.join((*above, word))}: {' and '.join(both)} exclude each other"
        yield from clashes(following, below, (*above, word))


def is_number(root: Node, words: Words, text: str) -> bool:
    """Return whether NVUE holds a value as a number."""
    node: Node | None = root
    for word in words:
        node = None if node is None else node.next(word)
    return node is not None and node.value is not None and node.value.is_number(text)
