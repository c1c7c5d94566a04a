"""Secrets are taken out of JSON in a way that leaves it JSON: string by string and number by number, as they are meant.

In the text itself a secret's end is not to be seen: what follows a number is a comma or a bracket, and a string may
write any of its letters as an escape.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from rackproof.report.scrub import NAMES, REMOVED

if TYPE_CHECKING:
    from rackproof.report.scrub import Scrubber

TOKEN: Final = re.compile(rb'(?P<string>"[^"\\]*(?:\\.[^"\\]*)*")(?P<key>\s*:)?|-?\d[\d.eE+-]*|[\[\]{}]', re.DOTALL)
NAMED: Final = re.compile(NAMES + rb"\Z", re.IGNORECASE)
"""The end of a key whose value is a secret."""
MARKER: Final = b'"' + REMOVED + b'"'
ESCAPE: Final = b"\\u"
"""Characters that can hide a secret in JSON text."""
SHORTEST_NAMED: Final = 3
"""Letters of a value that its key calls a secret; as in text."""


def without_secrets(text: bytes, scrub: Scrubber, *, numbers: bool = True) -> tuple[bytes, int]:
    """Return a text without secrets, and how many were in it; what was JSON still is, and is the same otherwise.

    Parameters
    ----------
    text
        JSON, or what only claims to be: then it is taken as plain text.
    scrub
        What knows secrets.
    numbers
        Whether a number may be a secret; False where all numbers are Rackproof's own.
    """
    scrubbed, count = scrub(text)
    if not count and ESCAPE not in text:
        return text, 0
    if not _is_json(text):
        return scrubbed, count
    tokens = _Tokens(scrub, numbers=numbers)
    return TOKEN.sub(tokens.replaced, text), tokens.count


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text.decode())
    except (ValueError, RecursionError):
        return False
    return True


@dataclass(slots=True)
class _Tokens:
    """The replacement of each token, in order."""

    scrub: Scrubber
    count: int = 0
    numbers: bool = field(default=True, kw_only=True)
    _named: bool = False
    """Whether the name of the current key marks its value as a secret."""

    def replaced(self, token: re.Match[bytes]) -> bytes:
        """Return what stands in a token's place."""
        if token["key"]:
            name = _meant(token["string"])
            self._named = NAMED.search(name) is not None
            return self._string(token["string"], name) + token["key"]
        if token["string"]:
            return self._value(token["string"], _meant(token["string"]))
        if token[0] in b"[]{}":
            self._named = self._named and token[0] == b"["
            return token[0]
        return self._value(token[0], token[0]) if self.numbers else token[0]

    def _value(self, token: bytes, meant: bytes) -> bytes:
        if (self._named and len(meant) >= SHORTEST_NAMED and meant != REMOVED) or meant in self.scrub.known:
            self.count += 1
            return MARKER
        return self._string(token, meant) if token.startswith(b'"') else token

    def _string(self, token: bytes, meant: bytes) -> bytes:
        """Return a string, or JSON in a string, without secrets; the same letters where it holds none."""
        scrubbed, found = without_secrets(meant, self.scrub) if meant[:1] in {b"{", b"["} else self.scrub(meant)
        self.count += found
        return json.dumps(scrubbed.decode(errors="surrogatepass")).encode() if found else token


def _meant(string: bytes) -> bytes:
    """Return what a string of JSON means."""
    text: str = json.loads(string)
    return text.encode(errors="surrogatepass")
