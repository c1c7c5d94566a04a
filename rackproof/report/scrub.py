"""Secrets stay out: those that Rackproof itself uses, and what looks like one in the words of a device.

What a device is asked for is an allow-list of commands that show none. This is the second line of defence.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

REMOVED: Final = b"[removed: secret]"
SHORTEST: Final = 4
"""Letters. What is shorter stands in many words, and taking those away would hide more than it saves."""
SHORTEST_LINE: Final = 16
"""Letters of a line of a key from which on the line alone gives something away."""

SIGNS: Final = (b"pass", b"secret", b"community", b"token", b"key", b"auth", b"priv", b"$", b"://")
"""At least one of these, in small letters, stands in every text that holds something to look for."""

SIGN: Final = rb"[^\s\"'\\]"
VALUE: Final = rb"(?!\[removed: )" + SIGN
"""The beginning of a secret; quotes, backslashes and blanks end it, so that what was JSON stays JSON."""
NAMES: Final = (
    rb"(?:password|passwd|passphrase|secret|(?:auth|bearer|access|api)[-_]?token|"
    rb"(?:api|auth|encryption|pre-shared|private)[-_]?key)"
)
PATTERNS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # The block of a private key, also as one string of JSON.
        rb"()-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,20}PRIVATE KEY-----)?",
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
        lowered = text.lower()
        if any(sign in lowered for sign in SIGNS):
            for pattern in PATTERNS:
                text, found = pattern.subn(rb"\1" + REMOVED, text)
                count += found
        return text, count


def scrubber(secrets: Iterable[str]) -> Scrubber:
    """Return what takes these secrets out, as they are and as JSON writes them, and every long line of them."""
    known: set[bytes] = set()
    for secret in secrets:
        lines = [line for line in secret.splitlines() if len(line) >= SHORTEST_LINE and not line.startswith("-----")]
        for text in [secret.strip(), *lines]:
            if len(text) >= SHORTEST:
                known |= {text.encode(), json.dumps(text)[1:-1].encode()}
    return Scrubber(tuple(sorted(known, key=lambda secret: (-len(secret), secret))))
