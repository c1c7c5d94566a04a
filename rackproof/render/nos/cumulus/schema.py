"""What NVUE takes, as far as a manual page or an export of NVIDIA shows it: ``templates/cumulus/nvue.yaml``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

import yaml12

from rackproof.paths import TEMPLATES
from rackproof.render.nos.cumulus.names import expand_names
from rackproof.render.nos.cumulus.release import BASE, RELEASES, STATE_WORDS, Release, parse_release, release_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from rackproof.render.config_tree import ConfigTree
    from rackproof.render.nos.cumulus.tree import Words

SCHEMA_FILE: Final = TEMPLATES / "cumulus" / "nvue.yaml"
KEY: Final = "key"
SWITCH: Final = "on|off"
LATER_SWITCH: Final = "enabled|disabled"
WHOLE: Final = re.compile(r"^(\d+)\.\.(\d+)$")
NO_END: Final = "nothing ends here"
PAGE_KEYS: Final = frozenset({"first", "last", "history"})
"""Keys of a page that are no paths."""
NEWEST: Final = "99.0"


@dataclass(frozen=True, slots=True)
class Kind:
    """What a word must look like."""

    name: str
    accepts: Callable[[str], object]
    ranges: bool = False
    """Whether NVUE takes a list such as swp1-3,52 in its place."""
    number: bool = False

    def matches(self, word: str) -> bool:
        """Return whether ``word`` is of this kind, or a list of such where NVUE takes one."""
        if self.ranges and ("," in word or "-" in word):
            return _all_accepted(self, word)
        return bool(self.accepts(word))


@lru_cache(maxsize=1 << 12)
def _all_accepted(kind: Kind, names: str) -> bool:
    """Return whether every name of a list is of a kind."""
    return all(kind.accepts(name) for name in expand_names(names))


@dataclass(slots=True, eq=False)
class Node:
    """A word of a path and what may follow it."""

    words: dict[str, Node] = field(default_factory=dict)
    identifiers: list[tuple[Kind, Node]] = field(default_factory=list)
    value: Kind | None = None
    """What the value is; the node has no other words then."""
    ends: bool = False
    """Whether a path may end here."""

    def next(self, word: str) -> Node | None:
        """Return what ``word`` leads to; None where no page shows it."""
        literal = self.words.get(word)
        if literal is not None:
            return literal
        return _identified_by(self, word) if self.identifiers else None

    @property
    def takes_ranges(self) -> bool:
        """Whether its next word may be a list of names."""
        return any(kind.ranges for kind, _ in self.identifiers)


@lru_cache(maxsize=1 << 16)
def _identified_by(node: Node, word: str) -> Node | None:
    """Return where a word leads that is a name or a number; switches of a site have most of them in common."""
    return next((following for kind, following in node.identifiers if kind.matches(word)), None)


@cache
def _document() -> Any:  # noqa: ANN401 a YAML document
    """Return the file as it stands, read once."""
    document: Any = yaml12.read_yaml(SCHEMA_FILE)
    return document


def schema(release: Release = BASE) -> Node:
    """Return the paths of a release; an older or newer one than the file knows gets the nearest."""
    return _built(min(max(release, RELEASES[0]), RELEASES[-1]))


@cache
def _built(release: Release) -> Node:
    """Return the paths of one of the releases that the file knows."""
    kinds = {name: _kind(name, row) for name, row in _document()["kinds"].items()}
    root = Node()
    for path, end in rows(release):
        _add(root, path.split(" "), end, kinds)
    return root


def _kind(name: str, row: Mapping[str, Any]) -> Kind:
    """Return one kind of the file."""
    pattern = re.compile(f"(?:{row['pattern']})\\Z", re.DOTALL)
    return Kind(name, pattern.match, ranges=row.get("ranges", False), number=row.get("number", False))


def rows(release: Release = BASE) -> Iterator[tuple[str, str]]:
    """Yield every path of a release and what ends it, as the file writes them."""
    for page in _document()["pages"].values():
        if parse_release(page["first"]) <= release <= parse_release(page.get("last", NEWEST)):
            for path, end in page.items():
                if path not in PAGE_KEYS:
                    yield _with_state_words(path, end) if release >= STATE_WORDS else (path, end)


def _with_state_words(path: str, end: str) -> tuple[str, str]:
    """Return a row as releases with ``state enabled`` have it."""
    if end != SWITCH:
        return path, end
    return f"{path.removesuffix(' enable')} state" if path.endswith(" enable") else path, LATER_SWITCH


def _add(node: Node, words: list[str], end: str, kinds: Mapping[str, Kind]) -> None:
    """Add one row of the file."""
    for word in words:
        node = _identified(node, kinds[word[1:-1]]) if word.startswith("<") else node.words.setdefault(word, Node())
    if end == KEY:
        node.ends = True
    else:
        node.value = _value_kind(end, kinds)


def _identified(node: Node, kind: Kind) -> Node:
    """Return what follows a word of ``kind``; the kinds of one place are tried in the order of the file."""
    for known, following in node.identifiers:
        if known is kind:
            return following
    following = Node()
    node.identifiers.append((kind, following))
    return following


def _value_kind(end: str, kinds: Mapping[str, Kind]) -> Kind:
    """Return the kind that the end of a row names."""
    if end.startswith("<"):
        return kinds[end[1:-1]]
    limits = WHOLE.match(end)
    if limits is None:
        return Kind(end, frozenset(end.split("|")).__contains__)
    least, most = int(limits[1]), int(limits[2])
    return Kind(end, lambda text: text.isdecimal() and least <= int(text) <= most, number=True)


def refused(tree: ConfigTree, release: Release = BASE) -> Iterator[str]:
    """Yield every path of ``tree`` that a release does not have, as ``a b c: why``."""
    yield from _refused(tree, schema(release), release, ())


def _refused(tree: ConfigTree, node: Node, release: Release, above: Words) -> Iterator[str]:
    """Yield the paths below ``above`` that a release does not have."""
    for word, below in tree.items():
        following = node.next(word)
        if following is None:
            yield f"{' '.join((*above, word))}: {_why_unknown((*above, word), release)}"
        elif following.value is not None:
            yield from _refused_value(following.value, below, (*above, word))
        elif below:
            yield from _refused(below, following, release, (*above, word))
        elif not following.ends:
            yield f"{' '.join((*above, word))}: {NO_END}"


def _why_unknown(words: Words, release: Release) -> str:
    """Return the releases that have a path which ``release`` lacks, as a reason."""
    having = [other for other in RELEASES if other != release and _leads(words, other)]
    if not having:
        return "no page shows it"
    first, last = having[0], having[-1]
    if first > release:
        return f"Cumulus Linux has it from {release_name(first)} on"
    return f"Cumulus Linux has it up to {release_name(last)}"


def _leads(words: Words, release: Release) -> bool:
    """Return whether a path of a release begins with ``words``."""
    node: Node | None = schema(release)
    for word in words:
        node = node.next(word) if node is not None else None
    return node is not None


def _refused_value(kind: Kind, below: ConfigTree, above: Words) -> Iterator[str]:
    """Yield what is wrong with a value."""
    values = tuple(below)
    if len(values) != 1 or below[values[0]]:
        yield f"{' '.join(above)}: takes one value, {kind.name}"
    elif not kind.accepts(values[0]):
        yield f"{' '.join(above)}: {values[0]} is not {kind.name}"


def value_kind(words: Words, release: Release = BASE) -> Kind | None:
    """Return the kind of the value that ends ``words``; None where it is a key, or no page shows the path."""
    node: Node | None = schema(release)
    for word in words[:-1]:
        node = node.next(word) if node is not None else None
    return node.value if node is not None else None


def known(words: Words) -> bool:
    """Return whether the schema has ``words`` as a whole path."""
    tree: ConfigTree = {}
    for word in reversed(words):
        tree = {word: tree}
    return next(refused(tree), None) is None
