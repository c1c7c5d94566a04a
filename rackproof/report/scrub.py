"""Removes secrets: those that Rackproof uses, and text of a device that looks like one.

What a device is asked for is an allow-list of commands that show none. This is the second line of defence.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

REMOVED: Final = b"[removed: secret]"
SHORTEST: Final = 4
"""Characters. A shorter secret occurs in ordinary words, and removing those would hide more than it protects."""
SHORTEST_LINE: Final = 16
"""Characters of a line of a key from which on a single line is a secret."""

SIGNS: Final = (
    *(b"passw", b"passphrase", b"secret", b"community", b"token", b"key"),
    *(b"auth", b"priv", b"$1$", b"$2", b"$5$", b"$6$", b"$7$", b"$y$", b"$gy$", b"://"),
)
"""Every line with a secret contains one of these in lower case; most lines contain none."""
KEY_SIGN: Final = b"private key-----"
ENDS: Final = (b"\n", b"\\n")
"""Line ends, also as written in a JSON string; only the pattern of a key block spans lines."""
BEFORE, BEHIND = 1 << 10, 1 << 14
"""Bytes searched around a sign where no line ends."""

SIGN: Final = rb"[^\s\"'\\]"
VALUE: Final = rb"(?!\[removed: )" + SIGN
"""The beginning of a secret; quotes, backslashes and blanks end it, so that what was JSON stays JSON."""
NAMES: Final = (
    rb"(?:password|passwd|passphrase|secret|(?:auth|bearer|access|api)[-_]?token|"
    rb"(?:api|auth|encryption|pre-shared|private)[-_]?key)"
)
KEY_BLOCK: Final = re.compile(
    rb"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,20}PRIVATE KEY-----)?", re.IGNORECASE
)
"""A private key, also as one string of JSON."""
PATTERNS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # name: value and name=value, with or without quotes, also as JSON within a string of JSON.
        rb"(" + NAMES + rb"(?:\\?[\"'])?[ \t]*[:=][ \t]*(?:\\?[\"'])?)" + VALUE + SIGN + rb"{2,}",
        # The lines of network systems: a name, a format number, a value; or a value that is no plain word.
        rb"(" + NAMES + rb"[ \t]+(?:\d[ \t]+)?)(?=" + SIGN + rb"*[\d$!@#%^&*+/=])" + VALUE + SIGN + rb"{2,}",
        # SNMP's communities, whatever they look like, and users; keys of TACACS and RADIUS behind their format.
        rb"(snmp[^\n\"\\]{0,24}community[ \t]+(?:\d[ \t]+)?)" + VALUE + SIGN + rb"{2,}",
        rb"(\b(?:auth|priv)[ \t]+(?:md5|sha[-\d]*|aes[-\d]*|des)[ \t]+)" + VALUE + SIGN + rb"{3,}",
        rb"(\bkey[ \t]+\d[ \t]+)" + VALUE + SIGN + rb"{2,}",
        # What crypt(3) makes of passwords.
        rb"()\$(?:1|2[aby]|5|6|7|y|gy)\$" + VALUE + SIGN + rb"{7,}",
        rb"(authorization:[ \t]*(?:basic|bearer)[ \t]+)" + VALUE + SIGN + rb"*",
        # User and password of an address.
        rb"(://)[^\s/:@\"'\\]+:[^\s/@\"'\\]+(?=@)",
    )
)


@dataclass(frozen=True, slots=True)
class Scrubber:
    """Takes secrets out of text."""

    known: tuple[bytes, ...] = ()
    """What must not be seen, longest first, so that none hides within another."""

    def __call__(self, text: bytes) -> tuple[bytes, int]:
        """Return a text without secrets, and how many were in it."""
        count = 0
        for secret in self.known:
            if found := text.count(secret):
                count += found
                text = text.replace(secret, REMOVED)
        if KEY_SIGN in text.lower():
            text, found = KEY_BLOCK.subn(REMOVED, text)
            count += found
        pieces, end = [], 0
        for start, stop in _lines_with_signs(text.lower()):
            line, found = _without(text[start:stop])
            pieces += [text[end:start], line]
            count, end = count + found, stop
        return b"".join([*pieces, text[end:]]), count


def _without(line: bytes) -> tuple[bytes, int]:
    """Return a line without what looks like a secret, and how often that was so."""
    count = 0
    for pattern in PATTERNS:
        line, found = pattern.subn(rb"\1" + REMOVED, line)
        count += found
    return line, count


def _lines_with_signs(text: bytes) -> Iterator[tuple[int, int]]:
    """Yield start and end of every line that holds a sign; lines of two signs do not overlap."""
    spans = sorted(span for sign in SIGNS for span in _lines_with(text, sign))
    last = 0
    for start, stop in spans:
        if stop > last:
            yield max(start, last), stop
            last = stop


def _lines_with(text: bytes, sign: bytes) -> Iterator[tuple[int, int]]:
    """Yield start and end of every line that holds one sign."""
    at = text.find(sign)
    while at >= 0:
        low, high = max(0, at - BEFORE), min(len(text), at + BEHIND)
        starts = ((text.rfind(end, low, at), len(end)) for end in ENDS)
        start = max((place + size for place, size in starts if place >= 0), default=low)
        stop = min((place for end in ENDS if (place := text.find(end, at, high)) >= 0), default=high)
        yield start, stop
        at = text.find(sign, stop)


def scrubber(secrets: Iterable[str]) -> Scrubber:
    """Return what takes these secrets out, as they are and as JSON writes them, and every long line of them.

    What a device answers in JSON stands in a string of JSON in its recording, so it is written twice over.
    """
    known: set[bytes] = set()
    for secret in secrets:
        lines = [line for line in secret.splitlines() if len(line) >= SHORTEST_LINE and not line.startswith("-----")]
        for text in [secret.strip(), *lines]:
            if len(text) >= SHORTEST:
                known |= {one.encode() for one in _forms(text, times=2)}
    return Scrubber(tuple(sorted(known, key=lambda secret: (-len(secret), secret))))


def _forms(text: str, times: int) -> set[str]:
    """Return a text as it is and as JSON writes it, so many times over, with letters beyond ASCII as escapes or not."""
    forms = {text}
    for _ in range(times):
        escaped = {json.dumps(form, ensure_ascii=True)[1:-1] for form in forms}
        forms |= escaped | {json.dumps(form, ensure_ascii=False)[1:-1] for form in forms}
    return forms
