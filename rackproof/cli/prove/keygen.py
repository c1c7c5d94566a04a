"""`rackproof keygen`: a key pair that signs and verifies dossiers."""

from pathlib import Path
from typing import Annotated

import typer

from rackproof.cli.excerpt import shown_path
from rackproof.cli.options import JsonOption
from rackproof.cli.output import reporting
from rackproof.cli.prove.signing_key import PassphraseOption, passphrase

verbs = typer.Typer()


@verbs.command()
def keygen(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Private key to write; FILE.pub gets the public key.")],
    *,
    passphrase_file: PassphraseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a key pair for dossiers (Ed25519): FILE signs and only its owner can read it, FILE.pub verifies.

    Example: `rackproof keygen ~/.config/rackproof/site.key`. An existing file is never overwritten. An Ed25519 key of
    OpenSSH works too.
    """
    with reporting(as_json=as_json) as output:
        from rackproof.report.bundle.keys import fingerprint, load_public_key, make_keys  # noqa: PLC0415 not needed to start

        public = make_keys(file, passphrase(passphrase_file))
        output.line(f"{shown_path(file)}: the private key signs dossiers; keep it secret")
        output.line(
            f"{shown_path(public)}: the public key verifies them; give it to the acceptance team, not with the dossier"
        )
        key_fingerprint = fingerprint(load_public_key(public))
        output.line(f"fingerprint: {key_fingerprint}")
        output.result(private_key=file, public_key=public, fingerprint=key_fingerprint)
