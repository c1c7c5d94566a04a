"""What a dossier consists of, file by file, and the signature over it."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Struct

from rackproof.report.bundle.keys import fingerprint

SCHEMA_VERSION: Final = 1
MANIFEST: Final = "manifest.json"
SIGNATURE: Final = "manifest.sig"
BUNDLE: Final = "bundle.zip"
"""The dossier as one file; it stands beside the files that it holds."""
PIECE: Final = 1 << 20


class Digest(Struct, frozen=True):
    """Size and hash of a file."""

    sha256: str
    bytes: int


class Manifest(Struct, frozen=True):
    """What a dossier is of, and every file of it but the manifest and its signature."""

    schema_version: int
    site: str
    run: str
    """The validation: when it began."""
    verdict: str
    exit_status: int
    ended: str
    rackproof: str
    key: str
    """Fingerprint of the signing key; empty: the dossier is not signed."""
    removed: Mapping[str, int]
    """File to the number of secrets that were taken out of it before it was written."""
    files: Mapping[str, Digest]


def encoded(manifest: Manifest) -> bytes:
    """Return a manifest as it is signed."""
    return msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n"


def file_digest(path: Path) -> Digest:
    """Return what a file is."""
    with path.open("rb") as file:
        return Digest(hashlib.file_digest(file, "sha256").hexdigest(), path.stat().st_size)


def key_fingerprint(private: Ed25519PrivateKey | None) -> str:
    """Return the fingerprint that a manifest names."""
    return "" if private is None else fingerprint(private.public_key())
