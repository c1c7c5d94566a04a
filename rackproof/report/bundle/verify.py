"""Verifies a dossier against its signature, and names every file that differs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from rackproof.errors import BadInputError
from rackproof.report.bundle.archive import open_bundle, unlisted
from rackproof.report.bundle.keys import fingerprint
from rackproof.report.bundle.manifest import MANIFEST, SCHEMA_VERSION, SIGNATURE, Manifest
from rackproof.report.bundle.signature import is_signed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    from rackproof.report.bundle.archive import Files

MOST_BYTES: Final = 64 << 20
"""Largest manifest that is read: a line of 100 bytes for each of half a million files."""
OWN: Final = frozenset({MANIFEST, SIGNATURE})


@dataclass(frozen=True, slots=True)
class Finding:
    """One difference from the signed dossier."""

    kind: Literal["changed", "missing", "added", "not signed"]
    file: str
    text: str


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of a verification."""

    manifest: Manifest | None
    """The manifest; trustworthy only without findings."""
    findings: tuple[Finding, ...]
    files: int
    """Files that were compared."""

    @property
    def genuine(self) -> bool:
        """Whether every file is as it was signed."""
        return not self.findings


def verify(path: Path, key: Ed25519PublicKey) -> Verification:
    """Compare a bundle, or the folder of an unpacked one, with what the owner of a key signed.

    Raises
    ------
    BadInputError
        It is no bundle, or one of a newer Rackproof.
    """
    files = open_bundle(path)
    text = files.read(MANIFEST, MOST_BYTES)
    if text is None:
        kind: Literal["changed", "missing"] = "changed" if MANIFEST in files.names else "missing"
        return Verification(None, (Finding(kind, MANIFEST, "without it no other file can be verified"),), 0)
    signature = files.read(SIGNATURE, MOST_BYTES)
    try:
        manifest = msgspec.json.decode(text, type=Manifest)
    except msgspec.MsgspecError:
        return Verification(None, (Finding("changed", MANIFEST, "it is not a manifest"),), 0)
    if manifest.schema_version > SCHEMA_VERSION:
        raise BadInputError(f"{path} was written by a newer Rackproof", "verify it with that one, or a newer one")
    findings = (*_signature_findings(text, signature, manifest, key), *_file_findings(files, manifest))
    return Verification(manifest, findings, len(manifest.files))


def _signature_findings(
    text: bytes, signature: bytes | None, manifest: Manifest, key: Ed25519PublicKey
) -> Iterator[Finding]:
    """Yield what is wrong with the signature."""
    if signature is None:
        unsigned = "this dossier is not signed" if not manifest.key else f"{SIGNATURE} is missing"
        yield Finding("missing" if manifest.key else "not signed", SIGNATURE, unsigned)
    elif not is_signed(text, signature, key):
        own = fingerprint(key)
        if manifest.key != own:
            yield Finding("not signed", MANIFEST, f"it names the key {manifest.key or 'none'}, and yours is {own}")
        else:
            yield Finding("changed", MANIFEST, f"{SIGNATURE} does not match it: one of the two was changed")


def _file_findings(files: Files, manifest: Manifest) -> Iterator[Finding]:
    """Yield the files that are not as the manifest has them, in its order, then those that it does not have."""
    there = frozenset(files.names)
    for name, expected in manifest.files.items():
        if name not in there:
            yield Finding("missing", name, f"{expected.bytes} bytes, SHA-256 {expected.sha256}")
            continue
        found = files.digest(name, expected)
        if found is None:
            yield Finding("changed", name, "it cannot be read")
        elif found != expected:
            size = "of the same size" if found.bytes == expected.bytes else f"and not {expected.bytes} bytes long"
            yield Finding("changed", name, f"its content differs, {size}")
    for name in unlisted(files.names, manifest.files, OWN):
        twice = name in manifest.files or name in OWN
        yield Finding("added", name, "it occurs twice" if twice else "it was not there when the dossier was signed")
