"""Syntax errors of YAML as messages and hints for the author of the file."""

import re
from typing import Final

from ruamel.yaml.error import MarkedYAMLError, StreamMark

# What the YAML reader says (a regular expression) to our sentence and hint; {opened} is the line it began in.
SENTENCES: Final[dict[str, tuple[str, str]]] = {
    r"found character '\\t' that cannot start": (
        "a tab is not allowed here",
        "indent with spaces: YAML takes no tabs there",
    ),
    r"found character (?P<sign>'.+') that cannot start": (
        "a value cannot begin with {sign}",
        "put the value in quotes",
    ),
    r"mapping values are not allowed here": (
        "a ':' follows text that cannot be a key",
        "start the keys of one mapping in the same column, and quote text that holds a colon and a space",
    ),
    r"could not find expected ':'": (
        "the line that begins here is not 'key: value'",
        "write a colon and a space after the key, or close the quote or bracket that is open",
    ),
    r"expected ',' or '\}'|expected ',' or ']'": (
        "a comma or a closing bracket is missing before this position",
        "close what was opened in line {opened}, and put commas between the values",
    ),
    r"expected <block end>": (
        "the indentation does not match the block that begins in line {opened}",
        "start the keys of one mapping, and the dashes of one list, in the same column",
    ),
    r"but found '<stream end>'": (
        "the file ends here, before the list, mapping or value that it began",
        "close what is open; was the file cut off?",
    ),
    r"found unexpected end of stream": ("the quote opened in line {opened} is never closed", "close the quote"),
    r"found undefined alias '(?P<sign>.+)'": (
        "the alias *{sign} refers to an anchor that is not defined before it",
        "write &{sign} before the value that is to be repeated",
    ),
    r"maximum depth": ("the file is nested too deeply", "such a file nests about six levels"),
    r"sequence entries are not allowed here": (
        "a list cannot begin here",
        "start each '- ' on a line of its own, below the key",
    ),
    r"found unknown escape character": (
        "a backslash in double quotes begins no known escape here",
        "use single quotes, in which a backslash has no special meaning",
    ),
    r"found undefined tag handle|scanning a tag|parsing a tag": (
        "a '!' begins a tag, and tags are not supported",
        "put the value in quotes",
    ),
}
HIDDEN: Final = "..."
"""In place of a text that may be a secret."""
ONE_DOCUMENT: Final = ("a second YAML document begins here", "a file holds one document: remove the line '---'")


def blamed_mark(error: MarkedYAMLError) -> StreamMark | None:
    """Return where a person must look: where reading ended, or where the quote that never ends was opened."""
    opened: StreamMark | None = error.context_mark
    ended: StreamMark | None = error.problem_mark
    return opened if opened and "end of stream" in str(error.problem) else ended or opened


def syntax_sentences(error: MarkedYAMLError, *, shows_values: bool = True) -> tuple[str, str]:
    """Return what is wrong and what to do about it; where values are not shown, no text of the file is repeated."""
    if error.context and "expected a single document" in error.context:
        return ONE_DOCUMENT
    said = " ".join(str(part) for part in (error.problem, error.context) if part)
    opened = error.context_mark.line + 1 if error.context_mark else 1
    for pattern, (message, hint) in SENTENCES.items():
        if found := re.search(pattern, said):
            quoted = found.groupdict() if shows_values else dict.fromkeys(found.groupdict(), HIDDEN)
            words = {"opened": opened, **quoted}
            return message.format(**words), hint.format(**words)
    return f"this is not YAML: {(error.problem or error.context) if shows_values else HIDDEN}", ""
