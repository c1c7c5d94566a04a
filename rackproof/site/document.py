"""YAML text into plain data, with the position of every key and value."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, StreamMark
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode
from ruamel.yaml.reader import ReaderError

from rackproof.errors import Place, SiteError, ValuePath
from rackproof.site.syntax import HIDDEN, blamed_mark, syntax_sentences
from rackproof.site.text_file import SIZE_MAX_BYTES

KEY: Final = "[key]"
"""Last element of a path that means the key itself, not its value."""

DEPTH_MAX: Final = 50
"""Levels a document may nest."""

KEY_OF_LINE: Final = re.compile(r"\s*(- +)*[\w.\"-]+:(?= |$)")
"""The beginning of a line that holds no value."""

LONE_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")

LINE_BREAK: Final = re.compile(r"\r\n|[\r\n\x85\u2028\u2029]")
"""Line breaks as the YAML reader counts them."""

TAGS: Final = frozenset(
    f"tag:yaml.org,2002:{kind}"
    for kind in ("map", "seq", "str", "int", "float", "bool", "null", "timestamp", "merge", "value")
)
"""Kinds of values that are read; what they mean is decided by the core schema alone."""

Position = tuple[int, int]
"""Line and column, from 1."""

# The core schema of YAML 1.2.2, section 10.3.2: what a plain scalar means.
NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})
BOOLEANS: Final = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
INTEGERS: Final = {10: re.compile(r"[-+]?[0-9]{1,40}"), 8: re.compile(r"0o[0-7]+"), 16: re.compile(r"0x[0-9a-fA-F]+")}
FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Limits:
    """The largest file that is read."""

    size_max_bytes: int = SIZE_MAX_BYTES
    values_max: int = 100_000
    """Values a document may hold, aliases followed: what a person writes has a few hundred."""


@dataclass(slots=True)
class Document:
    """A YAML document: its data as far as it could be read, where everything stands, and what is wrong with it."""

    file: Path
    lines: list[str]
    data: object = None
    positions: dict[ValuePath, Position] = field(default_factory=dict)
    errors: list[SiteError] = field(default_factory=list)
    shows_values: bool = True
    """Whether messages and places repeat values: a secret may have been typed into some files."""

    def place(self, path: ValuePath) -> Place:
        """Return where a value stands, or the nearest thing around it that does stand in the file."""
        while path and path not in self.positions:
            path = path[:-1]
        return self.place_at(*self.positions.get(path, (1, 1)))

    def place_at(self, line: int, column: int) -> Place:
        """Return the place of a line and column, both from 1."""
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        return Place(self.file, line, column, text if self.shows_values else _without_value(text))

    def quoted(self, text: str) -> str:
        """Return a text of the file as messages may repeat it."""
        return text if self.shows_values else HIDDEN

    def add(self, path: ValuePath, position: Position, message: str, hint: str = "") -> None:
        """Record an error at a position."""
        self.errors.append(SiteError(path, message, hint, self.place_at(*position)))


def located(document: Document, errors: Iterable[SiteError]) -> tuple[SiteError, ...]:
    """Return the errors with their places, from the top of the file down, each said once."""
    placed: dict[tuple[int, int, str], SiteError] = {}
    for error in errors:
        place = error.place or document.place(error.path)
        placed.setdefault((place.line, place.column, error.message), replace(error, place=place))
    return tuple(placed[key] for key in sorted(placed, key=lambda key: key[:2]))


def read_document(file: Path, text: str, limits: Limits = Limits(), *, shows_values: bool = True) -> Document:
    """Parse YAML 1.2; what is wrong with the text is in the document's ``errors``."""
    document = Document(file, LINE_BREAK.split(text), shows_values=shows_values)
    if directive := re.search(r"^%.*", text, re.MULTILINE):
        mark = _position(text, directive.start())
        hint = "the file is read as YAML 1.2 without directives: remove the line"
        document.add((), mark, f"the directive {document.quoted(directive[0].strip())} is not supported", hint)
        return document
    root = _compose(document, text)
    if root is not None:
        reader = _Reader(document, limits.values_max)
        document.data = reader.read(root, (), root)
    return document


def _without_value(line: str) -> str:
    """Return the key that a line begins with, and that something follows it."""
    key = KEY_OF_LINE.match(line)
    begin = key[0] if key else ""
    return f"{begin} {HIDDEN}" if line[len(begin) :].strip() else begin


def _position(text: str, index: int) -> Position:
    """Return line and column of a character."""
    lines = LINE_BREAK.split(text[:index])
    return len(lines), len(lines[-1]) + 1


def _compose(document: Document, text: str) -> Node | None:
    """Parse the text into nodes; a syntax error goes into the document."""
    yaml = YAML(typ="safe", pure=True)
    yaml.max_depth = DEPTH_MAX
    yaml.composer.warn_double_anchors = False
    try:
        node: Node | None = yaml.compose(text)
    except MarkedYAMLError as error:
        document.add((), _mark(blamed_mark(error)), *syntax_sentences(error, shows_values=document.shows_values))
    except ReaderError as error:
        sign = f"U+{ord(text[error.position]):04X}"
        hint = "remove it; an editor that shows control characters finds it"
        document.add((), _position(text, error.position), f"the character {sign} is not allowed in a YAML file", hint)
    else:
        return node
    return None


def _mark(mark: StreamMark | None) -> Position:
    """Return line and column, from 1, of a mark of the YAML reader."""
    return (1, 1) if mark is None else (mark.line + 1, mark.column + 1)


@dataclass(slots=True)
class _Reader:
    """Walks the nodes once: makes plain data, notes positions, refuses what a site file has no use for."""

    document: Document
    values_max: int
    count: int = 0
    open_nodes: list[int] = field(default_factory=list)

    def read(self, node: Node, path: ValuePath, shown: Node) -> object:
        """Return the data of a node; ``shown`` is where a collection is pointed at: its key, where it has one."""
        self.document.positions[path] = _mark((node if isinstance(node, ScalarNode) else shown).start_mark)
        self.count += 1
        if reason := self._reason_to_refuse(node):
            self._refuse(path, reason)
            return None
        if isinstance(node, ScalarNode):
            return _scalar(node)
        self.open_nodes.append(id(node))
        data = self._mapping(node, path) if isinstance(node, MappingNode) else self._sequence(node, path)
        self.open_nodes.pop()
        return data

    def _reason_to_refuse(self, node: Node) -> str:
        if self.count > self.values_max:
            return f"the file holds more than {self.values_max} values, with aliases expanded"
        if str(node.tag) not in TAGS:
            return f"the tag {self.document.quoted(str(node.tag))} is not supported"
        if isinstance(node, ScalarNode) and LONE_SURROGATE.search(node.value):
            return "the value holds half of a character (a lone surrogate)"
        return "the alias refers to a value that contains it" if id(node) in self.open_nodes else ""

    def _sequence(self, node: Node, path: ValuePath) -> list[object]:
        return [self.read(item, (*path, number), item) for number, item in enumerate(node.value)]

    def _mapping(self, node: Node, path: ValuePath) -> dict[str, object]:
        data: dict[str, object] = {}
        for key, value in node.value:
            if not isinstance(key, ScalarNode):
                self.document.add(path, _mark(key.start_mark), "a key is a word, not a list or a mapping")
                continue
            name = key.value
            if name in data:
                first, _ = self.document.positions[*path, name, KEY]
                hint = f"it is first set in line {first}: keep one of them"
                self.document.add((*path, name), _mark(key.start_mark), f"the key {name} is set twice", hint)
                continue
            self.document.positions[*path, name, KEY] = _mark(key.start_mark)
            data[name] = self.read(value, (*path, name), key)
        return data

    def _refuse(self, path: ValuePath, message: str) -> None:
        """Record once what cannot be read."""
        if not any(error.message == message for error in self.document.errors):
            self.document.add(path, self.document.positions[path], message)


def _scalar(node: ScalarNode) -> object:
    """Return the value of a scalar by the core schema of YAML 1.2; quoted scalars are text."""
    text: str = node.value
    if node.style is not None or node.tag == "tag:yaml.org,2002:str":
        return text
    if text in NULLS:
        return None
    if text in BOOLEANS:
        return BOOLEANS[text]
    for base, pattern in INTEGERS.items():
        if pattern.fullmatch(text):
            return int(text, base)
    return float(text) if FLOAT.fullmatch(text) else text
