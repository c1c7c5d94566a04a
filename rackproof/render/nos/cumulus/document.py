"""The file that ``nv config patch`` takes: a header and what is set, as YAML.

In YAML 1.1 a bare ``on`` is true and ``11:11`` is 671: what a reader could take for something else than text is written
in quotes, and what a switch wrote is read as YAML 1.2, in which both are text.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import yaml12

from rackproof.errors import BadInputError
from rackproof.render.nos.cumulus.names import expand_names, natural
from rackproof.render.nos.cumulus.release import BASE, Release
from rackproof.render.nos.cumulus.schema import Kind, Node, schema
from rackproof.render.nos.cumulus.tree import set_value

if TYPE_CHECKING:
    from rackproof.render.config_tree import ConfigTree

MODEL: Final = "nvue_v1"
SIMPLE_KEY_LENGTH: Final = 120
"""Longer keys are written behind a question mark: YAML 1.1 takes others up to 128 characters only (PyYAML)."""

VERSION: Final = re.compile(r"(\d+)\.(\d+)")
SAFE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*(?::[A-Za-z0-9_./-]+)*\Z|\d+\.\d+\.\d+\.\d+(?:/\d+)?\Z|\dx\Z")
NOT_TEXT: Final = frozenset({"on", "off", "yes", "no", "true", "false", "null", "y", "n"})


@dataclass(frozen=True, slots=True)
class Document:
    """A configuration file as it was read."""

    release: Release | None
    """None: the file does not say."""
    tree: ConfigTree
    """Every list of names taken apart; in the words of the file's own release."""


def read_document(text: str) -> Document:
    """Return what an NVUE file sets.

    Raises
    ------
    BadInputError
        The text is not such a file.
    """
    try:
        items: Any = yaml12.parse_yaml(text)
    except ValueError as error:
        raise BadInputError(f"not an NVUE configuration: {error}") from error
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise BadInputError("not an NVUE configuration: it is no list of header and set")
    release = next(filter(None, (_release(item) for item in items)), None)
    tree: ConfigTree = {}
    for item in items:
        _merge(tree, item.get("set") or {}, schema(release or BASE))
    return Document(release, tree)


def _release(item: dict[str, Any]) -> Release | None:
    """Return the release that a header names."""
    match = VERSION.search((item.get("header") or {}).get("version", ""))
    return (int(match[1]), int(match[2])) if match else None


def _merge(tree: ConfigTree, values: dict[Any, Any], node: Node | None) -> None:
    """Add what a mapping sets to ``tree``, each of a list of names by itself."""
    for key, value in values.items():
        written = _text(key)
        names = expand_names(written) if _is_range(written, node) else (written,)
        for name in names:
            following = node.next(name) if node is not None else None
            if isinstance(value, dict):
                _merge(tree.setdefault(name, {}), value, following)
            elif value is None:
                tree.setdefault(name, {})
            else:
                set_value(tree, name, _text(value))


def _text(value: object) -> str:
    """Return a word as NVUE has it: YAML 1.2 takes numbers, true and false for something else than text."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_range(written: str, node: Node | None) -> bool:
    """Return whether a key is a list of names: two at least, in a place where NVUE takes one."""
    return node is not None and written not in node.words and node.takes_ranges and ("," in written or "-" in written)


# --- Writing ----------------------------------------------------------------------------------------------------


def write_set(tree: ConfigTree, release: Release) -> str:
    """Return the file that sets ``tree``, which is in the words of ``release``."""
    return _set_file(_Lines("{}").added(tree, release), release)


def write_known(tree: ConfigTree, release: Release) -> str | None:
    """Return the same file; None where the schema of the release does not have all of ``tree``."""
    lines = _Lines("{}")
    written = lines.added(tree, release)
    return _set_file(written, release) if lines.known else None


def _set_file(lines: list[str], release: Release) -> str:
    """Return a file with its header."""
    header = [
        "- header:",
        f"    nvue-api-version: {MODEL}",
        "    rev-id: 1.0",
        f"    version: Cumulus Linux {release[0]}.{release[1]}.0",
    ]
    return "\n".join([*header, "- set:", *lines]) + "\n"


def write_unset(tree: ConfigTree, release: Release) -> str:
    """Return the file that takes away what ``tree`` names, which is in the words of ``release``."""
    return "\n".join(["- unset:", *_Lines("").added(tree, release)]) + "\n"


@dataclass(slots=True)
class _Lines:
    """The lines of a tree; the schema is followed on the way, so that one walk does for writing and for checking."""

    end: str
    """Stands behind a key that nothing follows."""
    known: bool = True
    """Whether the schema has every path so far, as ``schema.refused`` reports."""
    lines: list[str] = field(default_factory=list)

    def added(self, tree: ConfigTree, release: Release) -> list[str]:
        """Add a whole tree and return the lines."""
        self._add(tree, schema(release), "    ")
        return self.lines

    def _add(self, tree: ConfigTree, node: Node | None, pad: str) -> None:
        """Add a mapping, ``pad`` deep."""
        for key in _in_order(tuple(tree)) if len(tree) > 1 else tree:
            below, following = tree[key], node.next(key) if node is not None else None
            start = _start(pad, key)
            if following is not None and following.value is not None and below:
                self._add_value(start, below, following.value)
            elif below:
                self.lines.append(start)
                self._add(below, following, f"{pad}  ")
                self.known = self.known and following is not None
            else:
                self.lines.append(f"{start} {self.end}".rstrip())
                self.known = self.known and following is not None and following.ends

    def _add_value(self, start: str, below: ConfigTree, kind: Kind) -> None:
        """Add a key that a value follows."""
        value = next(iter(below))
        self.lines.append(f"{start} {value if kind.number else quoted(value)}")
        if len(below) > 1 or below[value] or not kind.accepts(value):
            self.known = False


@lru_cache(maxsize=1 << 12)
def _in_order(keys: tuple[str, ...]) -> list[str]:
    """Return keys as they are written; switches that are alike have the same."""
    return sorted(keys, key=natural)


@lru_cache(maxsize=1 << 16)
def _start(pad: str, key: str) -> str:
    """Return how the line of a key begins."""
    written = quoted(key)
    return f"{pad}{written}:" if len(written) <= SIMPLE_KEY_LENGTH else f"{pad}? {written}\n{pad}:"


@lru_cache(maxsize=1 << 16)
def quoted(text: str) -> str:
    """Return ``text`` as YAML 1.1 reads it back as text."""
    if SAFE.match(text) and text.lower() not in NOT_TEXT:
        return text
    if "\n" in text:
        return json.dumps(text)
    return "'" + text.replace("'", "''") + "'"
