"""The words of a command line: quotes keep blanks together, and every word knows where it stands."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a command line."""

    text: str
    column: int
    """Characters before it."""


def split(line: str) -> tuple[Word, ...]:
    """Return the words of a line; a quoted part is one word without its quotes."""
    words: list[Word] = []
    position = 0
    while position < len(line):
        if line[position].isspace():
            position += 1
            continue
        start, quoted = position, line[position] == '"'
        if quoted:
            end = line.find('"', start + 1)
            end = len(line) if end < 0 else end
            words.append(Word(line[start + 1 : end], start))
            position = end + 1
        else:
            while position < len(line) and not line[position].isspace():
                position += 1
            words.append(Word(line[start:position], start))
    return tuple(words)


def quote(text: str) -> str:
    """Return text as the running configuration shows it: in quotes when it has blanks."""
    return f'"{text}"' if " " in text or not text else text
