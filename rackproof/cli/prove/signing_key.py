"""The key that signs a dossier, and its passphrase."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

PassphraseOption = Annotated[
    Path | None,
    typer.Option(
        "--passphrase-file",
        help="File whose first line is the passphrase of the private key.",
        envvar="RACKPROOF_PASSPHRASE_FILE",
    ),
]


def signing_key(key: Path | None, passphrase_file: Path | None) -> Ed25519PrivateKey | None:
    """Return the private key that signs; None where none was given.

    Raises
    ------
    BadInputError
        It cannot be used.
    """
    from rackproof.report.bundle.keys import load_private_key  # noqa: PLC0415 not needed to start

    return None if key is None else load_private_key(key, passphrase(passphrase_file))


def passphrase(file: Path | None) -> bytes:
    """Return the first line of a file; nothing where none was given."""
    return b"" if file is None else file.read_bytes().partition(b"\n")[0].rstrip(b"\r")
