"""The keys that sign and verify a dossier: Ed25519, in the formats of OpenSSL and OpenSSH."""

from __future__ import annotations

import base64
import hashlib
import os
import stat
from typing import TYPE_CHECKING, Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
    load_ssh_private_key,
    load_ssh_public_key,
)

from rackproof.errors import BadInputError

if TYPE_CHECKING:
    from pathlib import Path

OPEN_TO_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
OPENSSH_MARK: Final = b"OPENSSH PRIVATE KEY"
MOST_BYTES: Final = 1 << 16
"""Largest key file that is read, in bytes."""


def make_keys(private: Path, passphrase: bytes = b"") -> Path:
    """Write a new key that its owner alone can read, and beside it the public one, whose path is returned.

    Raises
    ------
    BadInputError
        One of the files is there: a key that signed something is never written over.
    """
    public = private.with_name(f"{private.name}.pub")
    for path in (private, public):
        if path.exists():
            raise BadInputError(f"{path} is there already", "keys are never written over: give another name")
    key = Ed25519PrivateKey.generate()
    encryption = BestAvailableEncryption(passphrase) if passphrase else NoEncryption()
    text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption)
    private.parent.mkdir(parents=True, exist_ok=True)
    with os.fdopen(os.open(private, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(text)
    public.write_bytes(_ssh_text(key.public_key()) + b" rackproof dossier\n")
    return public


def fingerprint(key: Ed25519PublicKey) -> str:
    """Return a key's fingerprint as ``ssh-keygen -l`` shows it."""
    return "SHA256:" + base64.b64encode(hashlib.sha256(public_blob(key)).digest()).decode().rstrip("=")


def public_blob(key: Ed25519PublicKey) -> bytes:
    """Return a key as OpenSSH's protocols carry it."""
    return base64.b64decode(_ssh_text(key).split()[1])


def _ssh_text(key: Ed25519PublicKey) -> bytes:
    return key.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)


def load_private_key(path: Path, passphrase: bytes = b"") -> Ed25519PrivateKey:
    """Read the key that signs.

    Raises
    ------
    BadInputError
        It cannot be read, others can read it, the passphrase is wrong, or it is no Ed25519 key.
    """
    text = _read(path, "private key")
    if path.stat().st_mode & OPEN_TO_OTHERS:
        raise BadInputError(f"others can read the private key {path}", f"`chmod 600 {path}`")
    load = load_ssh_private_key if OPENSSH_MARK in text else load_pem_private_key
    try:
        key = load(text, passphrase or None)
    except (TypeError, ValueError, UnsupportedAlgorithm) as error:
        hint = "is it another file, or is its passphrase missing or wrong? `rackproof keygen` makes a key"
        raise BadInputError(f"{path} cannot be used as a private key", hint) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise BadInputError(f"{path} is no Ed25519 key", "`rackproof keygen` makes one")
    return key


def load_public_key(path: Path) -> Ed25519PublicKey:
    """Read the key that verifies.

    Raises
    ------
    BadInputError
        It cannot be read, or it is no public Ed25519 key.
    """
    text = _read(path, "public key")
    load = load_pem_public_key if text.lstrip().startswith(b"-----BEGIN") else load_ssh_public_key
    try:
        key = load(text.strip())
    except (ValueError, UnsupportedAlgorithm) as error:
        hint = "it is the .pub file that `rackproof keygen` wrote; the private key never leaves its owner"
        raise BadInputError(f"{path} is no public key", hint) from error
    if not isinstance(key, Ed25519PublicKey):
        raise BadInputError(f"{path} is no Ed25519 key", "`rackproof keygen` makes one")
    return key


def _read(path: Path, what: str) -> bytes:
    """Read a key file, up to the size limit."""
    try:
        with path.open("rb") as file:
            return file.read(MOST_BYTES)
    except OSError as error:
        raise BadInputError(f"the {what} {path} cannot be read: {error.strerror}") from error
