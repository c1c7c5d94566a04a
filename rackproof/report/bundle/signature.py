"""The signature over a manifest: Ed25519 in OpenSSH's form, so that `ssh-keygen -Y verify` can check it too.

The form is OpenSSH's PROTOCOL.sshsig: what is signed names its purpose, so a signature for anything else never fits.
"""

from __future__ import annotations

import base64
import hashlib
import textwrap
from typing import TYPE_CHECKING, Final

from cryptography.exceptions import InvalidSignature

from rackproof.report.bundle.keys import public_blob

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

NAMESPACE: Final = "rackproof-dossier"
"""The purpose, as ``ssh-keygen -n`` takes it."""
MAGIC: Final = b"SSHSIG"
HASH: Final = b"sha512"
KIND: Final = b"ssh-ed25519"
FIRST, LAST = b"-----BEGIN SSH SIGNATURE-----", b"-----END SSH SIGNATURE-----"
LINE: Final = 70
"""Letters of a line, as OpenSSH writes them."""


def ssh_signature(text: bytes, key: Ed25519PrivateKey) -> bytes:
    """Return the signature over a text."""
    blob = _head(key.public_key()) + _string(_string(KIND) + _string(key.sign(_signed(text))))
    lines = textwrap.wrap(base64.b64encode(blob).decode(), LINE)
    return b"\n".join([FIRST, *(line.encode() for line in lines), LAST, b""])


def is_signed(text: bytes, signature: bytes, key: Ed25519PublicKey) -> bool:
    """Return whether a key's owner signed this text."""
    inner = signature.strip().removeprefix(FIRST).removesuffix(LAST)
    try:
        blob = base64.b64decode(b"".join(inner.split()), validate=True)
    except ValueError:
        return False
    raw = blob[-64:]
    if blob != _head(key) + _string(_string(KIND) + _string(raw)):
        return False
    try:
        key.verify(raw, _signed(text))
    except InvalidSignature:
        return False
    return True


def _string(text: bytes) -> bytes:
    """Return a text as SSH's protocols carry it: its length first (RFC 4251, section 5)."""
    return len(text).to_bytes(4, "big") + text


def _purpose() -> bytes:
    return _string(NAMESPACE.encode()) + _string(b"") + _string(HASH)


def _head(key: Ed25519PublicKey) -> bytes:
    """Return what stands before the signature itself: version 1, key and purpose."""
    return MAGIC + (1).to_bytes(4, "big") + _string(public_blob(key)) + _purpose()


def _signed(text: bytes) -> bytes:
    """Return what is signed for a text."""
    return MAGIC + _purpose() + _string(hashlib.sha512(text).digest())
