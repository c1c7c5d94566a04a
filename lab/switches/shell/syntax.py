"""A command line of bash, split into pipelines: quotes, operators, redirections and here-documents."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_TOKEN = re.compile(r"2>&1|2>>|2>|1>>|1>|&>|<<-|<<|>>|&&|\|\||[|;<>&\n()]")
_REDIRECTIONS = frozenset({">", ">>", "<", "<<", "<<-", "2>", "2>>", "1>", "1>>", "&>"})
_VARIABLE = re.compile(r"\$(\w+|\?|\$|\{\w+\})")


class ShellSyntaxError(Exception):
    """A line that the lab's shell cannot parse; its text is what bash prints."""


@dataclass(slots=True)
class Redirection:
    """A redirection of a stream."""

    operator: str
    target: str


@dataclass(slots=True)
class SimpleCommand:
    """One program with its arguments."""

    words: list[str] = field(default_factory=list)
    redirections: list[Redirection] = field(default_factory=list)


@dataclass(slots=True)
class Pipeline:
    """Programs joined by pipes, and how the pipeline hangs on the one before it."""

    connector: str
    """``;``, ``&&`` or ``||``."""
    commands: list[SimpleCommand]


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    operator: bool


def parse(text: str, variables: Mapping[str, str]) -> list[Pipeline]:
    """Return the pipelines of a command line, which may have several lines.

    Raises
    ------
    ShellSyntaxError
        Bash would not accept the line, or it needs something the lab's shell does not have.
    """
    pipelines: list[Pipeline] = []
    current = SimpleCommand()
    commands: list[SimpleCommand] = []
    connector = ";"
    pending: str | None = None
    for token in _tokens(text, variables):
        if pending is not None:
            current.redirections.append(Redirection(pending, token.text))
            pending = None
        elif not token.operator:
            current.words.append(token.text)
        elif token.text == "2>&1":
            current.redirections.append(Redirection("2>&1", ""))
        elif token.text in _REDIRECTIONS:
            pending = token.text
        elif token.text == "|":
            if not current.words:
                raise ShellSyntaxError("bash: syntax error near unexpected token `|'")
            commands.append(current)
            current = SimpleCommand()
        else:
            connector = _finish(pipelines, commands, current, connector, token.text)
            commands, current = [], SimpleCommand()
    _finish(pipelines, commands, current, connector, ";")
    return pipelines


def _finish(
    pipelines: list[Pipeline], commands: list[SimpleCommand], last: SimpleCommand, connector: str, operator: str
) -> str:
    """Close a pipeline; return how the next one hangs on it."""
    if operator not in {";", "\n", "&&", "||"}:
        raise ShellSyntaxError(f"bash: syntax error near unexpected token `{operator}'")
    if not last.words and not last.redirections:
        if commands or operator in {"&&", "||"}:
            raise ShellSyntaxError(f"bash: syntax error near unexpected token `{operator.strip() or 'newline'}'")
        return connector
    pipelines.append(Pipeline(connector, [*commands, last]))
    return ";" if operator == "\n" else operator


def _tokens(text: str, variables: Mapping[str, str]) -> list[_Token]:
    reader = _Reader(text, variables)
    while not reader.at_end:
        reader.step()
    reader.end_word()
    return reader.tokens


class _Reader:
    """Walks over a command line, one character, operator or quoted part at a time."""

    def __init__(self, text: str, variables: Mapping[str, str]) -> None:
        self._text = text
        self._position = 0
        self._variables = variables
        self._word: list[str] | None = None
        self.tokens: list[_Token] = []
        self._here: list[str] = []

    @property
    def at_end(self) -> bool:
        return self._position >= len(self._text)

    def step(self) -> None:
        character = self._text[self._position]
        if character in "'\"":
            self._quoted(character)
        elif character == "\\":
            self._add(self._text[self._position + 1 : self._position + 2])
            self._position += 2
        elif character in " \t":
            self.end_word()
            self._position += 1
        elif match := self._operator():
            self._take_operator(match.group())
        elif variable := _VARIABLE.match(self._text, self._position):
            self._add(self._value(variable))
            self._position = variable.end()
        else:
            self._add(character)
            self._position += 1

    def _operator(self) -> re.Match[str] | None:
        """A digit belongs to a redirection only where a word could begin."""
        match = _TOKEN.match(self._text, self._position)
        return None if match and match.group()[0].isdigit() and self._word else match

    def _add(self, text: str) -> None:
        self._word = [*(self._word or ()), text]

    def end_word(self) -> None:
        if self._word is not None:
            self.tokens.append(_Token("".join(self._word), operator=False))
            self._word = None
            if len(self.tokens) > 1 and self.tokens[-2] == _Token("<<", operator=True):
                self._here.append(self.tokens[-1].text)

    def _take_operator(self, text: str) -> None:
        self.end_word()
        self._position += len(text)
        self.tokens.append(_Token("<<" if text == "<<-" else text, operator=True))
        if text == "\n" and self._here:
            self._read_here_documents()

    def _read_here_documents(self) -> None:
        """Put the text of each here-document in place of its delimiter."""
        for delimiter in self._here:
            end = re.compile(rf"^\t*{re.escape(delimiter)}$", re.MULTILINE).search(self._text, self._position)
            body_end = end.start() if end else len(self._text)
            body = self._text[self._position : body_end]
            self._position = end.end() + 1 if end else body_end
            for index, token in enumerate(self.tokens[:-1]):
                if token == _Token("<<", operator=True) and self.tokens[index + 1].text == delimiter:
                    self.tokens[index + 1] = _Token(body, operator=False)
                    break
        self._here.clear()

    def _quoted(self, quote: str) -> None:
        end = self._closing(quote)
        body = self._text[self._position + 1 : end]
        if quote == '"':
            body = _VARIABLE.sub(self._value, re.sub(r'\\(["\\$`])', r"\1", body))
        self._add(body)
        self._position = end + 1

    def _closing(self, quote: str) -> int:
        position = self._position + 1
        while position < len(self._text) and self._text[position] != quote:
            position += 2 if quote == '"' and self._text[position] == "\\" else 1
        if position >= len(self._text):
            raise ShellSyntaxError(f"bash: unexpected EOF while looking for matching `{quote}'")
        return position

    def _value(self, match: re.Match[str]) -> str:
        return self._variables.get(match.group(1).strip("{}"), "")
