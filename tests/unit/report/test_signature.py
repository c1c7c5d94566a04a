"""Signatures are what `ssh-keygen -Y sign` writes, and nothing that differs in a bit is one."""

from __future__ import annotations

import base64
from typing import Final

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from rackproof.report.bundle.signature import is_signed, ssh_signature

KEY: Final = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
TEXT: Final = b"what was signed\n"
# OpenSSH 9.2p1: `ssh-keygen -Y sign -n rackproof-dossier -f <KEY>` over TEXT.
OF_OPENSSH: Final = b"""-----BEGIN SSH SIGNATURE-----
U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgA6EHv/POEL4dcN0Y50vAmWfk1j
CbpQ1fHdyGZBJVMbgAAAARcmFja3Byb29mLWRvc3NpZXIAAAAAAAAABnNoYTUxMgAAAFMA
AAALc3NoLWVkMjU1MTkAAABAcq5Sr7WaEhH3vT2RtjjAfgscuFXtptO8ghitjnu/+QxM5Z
+19oJQneR0uCA0w8gmGQ3S7OuVEDebct0tNG7iCg==
-----END SSH SIGNATURE-----
"""


def test_it_is_the_one_that_openssh_makes() -> None:
    assert ssh_signature(TEXT, KEY) == OF_OPENSSH
    assert is_signed(TEXT, OF_OPENSSH, KEY.public_key())


def test_it_fits_nothing_else() -> None:
    other = Ed25519PrivateKey.from_private_bytes(bytes(32))

    assert not is_signed(TEXT + b" ", OF_OPENSSH, KEY.public_key())
    assert not is_signed(TEXT, OF_OPENSSH, other.public_key())
    assert not is_signed(TEXT, ssh_signature(TEXT, other), KEY.public_key())


def test_one_changed_bit_is_enough() -> None:
    first, *lines, last = OF_OPENSSH.strip().split(b"\n")
    blob = base64.b64decode(b"".join(lines))
    for place in range(len(blob)):
        changed = blob[:place] + bytes([blob[place] ^ 1]) + blob[place + 1 :]
        text = b"\n".join([first, base64.b64encode(changed), last])
        assert not is_signed(TEXT, text, KEY.public_key()), place


@pytest.mark.parametrize("text", [b"", b"no signature", b"AAAA", OF_OPENSSH[:200]])
def test_what_is_no_signature_is_none(text: bytes) -> None:
    assert not is_signed(TEXT, text, KEY.public_key())
