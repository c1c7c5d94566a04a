"""Command patterns: ``mtu <mtu:1312..9216>``, ``[optional]``, ``(one|other)``; matched word by word, as Klish does."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lab.switches.nos.enterprise_sonic import parameters

_PIECE = re.compile(r"<[^>]+>|[\[\]()|]|[^\s\[\]()|<>]+")


@dataclass(slots=True)
class Failure:
    """How far a line could be read, and why no further."""

    index: int = 0
    """Number of the first word that does not fit."""
    span: str | None = None
    """The range that number is outside of."""
    incomplete: bool = False

    def note(self, index: int, *, span: str | None = None, incomplete: bool = False) -> None:
        """Keep the failure that comes latest in the line."""
        if index > self.index or (index == self.index and (span or incomplete)):
            self.index, self.span, self.incomplete = index, span, incomplete


@dataclass(frozen=True, slots=True)
class Match:
    """A line that fits: its parameters, and the line as the configuration shows it."""

    arguments: dict[str, str]
    text: str


@dataclass(frozen=True, slots=True)
class _State:
    index: int
    arguments: tuple[tuple[str, str], ...] = ()
    text: tuple[str, ...] = ()


class Node:
    """A part of a pattern."""

    def match(self, words: Sequence[str], state: _State, failure: Failure) -> Iterator[_State]:
        """Yield every way to read this part from ``state`` on."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class _Literal(Node):
    text: str

    def match(self, words: Sequence[str], state: _State, failure: Failure) -> Iterator[_State]:
        if state.index >= len(words):
            failure.note(state.index, incomplete=True)
        elif words[state.index] == self.text:
            yield _State(state.index + 1, state.arguments, (*state.text, self.text))
        else:
            failure.note(state.index)


@dataclass(frozen=True, slots=True)
class _Parameter(Node):
    name: str
    kind: str

    def match(self, words: Sequence[str], state: _State, failure: Failure) -> Iterator[_State]:
        if state.index >= len(words):
            failure.note(state.index, incomplete=True)
            return
        try:
            reading = parameters.read(self.kind, words[state.index :])
        except parameters.OutOfRangeError as error:
            failure.note(state.index, span=str(error))
            return
        if reading is None:
            failure.note(state.index)
            return
        count, value = reading
        yield _State(state.index + count, (*state.arguments, (self.name, value)), (*state.text, value))


@dataclass(frozen=True, slots=True)
class _Sequence(Node):
    parts: tuple[Node, ...]

    def match(self, words: Sequence[str], state: _State, failure: Failure) -> Iterator[_State]:
        if not self.parts:
            yield state
            return
        rest = _Sequence(self.parts[1:])
        for reached in self.parts[0].match(words, state, failure):
            yield from rest.match(words, reached, failure)


@dataclass(frozen=True, slots=True)
class _Choice(Node):
    options: tuple[Node, ...]

    def match(self, words: Sequence[str], state: _State, failure: Failure) -> Iterator[_State]:
        for option in self.options:
            yield from option.match(words, state, failure)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern."""

    source: str
    node: Node
    leading: str
    """The literal words it begins with."""

    def match(self, words: Sequence[str], failure: Failure) -> Match | None:
        """Return how a whole line fits, or None; ``failure`` then says where it does not."""
        for state in self.node.match(words, _State(0), failure):
            if state.index == len(words):
                return Match(dict(state.arguments), " ".join(state.text))
            failure.note(state.index)
        return None


def compile_pattern(source: str) -> Pattern:
    """Compile a pattern."""
    pieces = _PIECE.findall(source)
    leading: list[str] = []
    for piece in pieces:
        if piece[0] in "<[(":
            break
        leading.append(piece)
    return Pattern(source, _Builder(pieces).sequence(), " ".join(leading))


@dataclass(slots=True)
class _Builder:
    pieces: list[str]
    position: int = 0
    closers: tuple[str, ...] = field(default=("]", ")", "|"))

    def sequence(self) -> Node:
        parts: list[Node] = []
        while self.position < len(self.pieces) and self.pieces[self.position] not in self.closers:
            parts.append(self._part())
        return parts[0] if len(parts) == 1 else _Sequence(tuple(parts))

    def _part(self) -> Node:
        piece = self.pieces[self.position]
        self.position += 1
        if piece.startswith("<"):
            name, _, kind = piece[1:-1].partition(":")
            return _Parameter(name, kind)
        if piece == "[":
            return _Choice((self._options(), _Sequence(())))
        return self._options() if piece == "(" else _Literal(piece)

    def _options(self) -> Node:
        options = [self.sequence()]
        while self.pieces[self.position] == "|":
            self.position += 1
            options.append(self.sequence())
        self.position += 1
        return options[0] if len(options) == 1 else _Choice(tuple(options))
