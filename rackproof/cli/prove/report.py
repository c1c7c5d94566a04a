"""Verbs of the handover: the dossier, the key that signs it, and whether one is genuine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rackproof.cli.excerpt import shown_path
from rackproof.cli.options import JsonOption, SiteArgument
from rackproof.cli.output import ExitStatus, reporting
from rackproof.paths import LATEST_RUN

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from rackproof.cli.output import Output
    from rackproof.report.bundle.manifest import Manifest
    from rackproof.report.bundle.verify import Verification

verbs = typer.Typer()

PassphraseOption = Annotated[
    Path | None,
    typer.Option(
        "--passphrase-file",
        help="File whose first line is the key's passphrase.",
        envvar="RACKPROOF_PASSPHRASE_FILE",
    ),
]


@verbs.command()
def report(
    site: SiteArgument,
    *,
    run: Annotated[str, typer.Option(help="The validation to report, such as 20261121T091500Z.")] = LATEST_RUN,
    key: Annotated[
        Path | None,
        typer.Option(help="Private key that signs; without one nobody does.", envvar="RACKPROOF_SIGNING_KEY"),
    ] = None,
    passphrase_file: PassphraseOption = None,
    access: Annotated[
        Path | None, typer.Option(help="access.yaml whose secrets must not appear.", show_default="as for deploying")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder to write to.", show_default="build/<site>")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write the dossier of a validation: page, PDF, Markdown, JUnit XML, JSON, raw evidence, and a signed bundle.

    `rackproof report metrum-h200 --key site.key` writes build/metrum-h200/dossier; open dossier.html there, and hand
    over bundle.zip. What was there before is replaced when all of it is ready. The exit status is 0 when it is
    written, whatever the verdict: `rackproof validate` is the gate.
    """
    with reporting(as_json=as_json) as output:
        from rackproof.cli.prove.dossier_inputs import Wanted, write_dossier  # noqa: PLC0415 not needed to start

        signer = signing_key(key, passphrase_file)
        place, manifest = write_dossier(Wanted(site, run, access, signer, folder), output)
        _tell(place, manifest, output)


def signing_key(key: Path | None, passphrase_file: Path | None) -> Ed25519PrivateKey | None:
    """Return the key that signs; None where none was given.

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


def _tell(place: Path, manifest: Manifest, output: Output) -> None:
    """Say what was written."""
    output.line(f"{manifest.site}: {manifest.verdict}", "bold")
    size = (place / "bundle.zip").stat().st_size
    output.line(f"{shown_path(place / 'dossier.html')}: open this one; {len(manifest.files)} files are with it")
    signed = f"signed, key {manifest.key}" if manifest.key else "not signed"
    output.line(f"{shown_path(place / 'bundle.zip')}: hand this one over ({size / 1e6:.1f} MB, {signed})")
    if not manifest.key:
        output.note("`rackproof keygen` makes a key; --key or RACKPROOF_SIGNING_KEY signs with it")
    if removed := sum(manifest.removed.values()):
        output.note(f"secrets that were taken out: {removed}; manifest.json says of which files", "yellow")
    output.result(folder=place, bundle=place / "bundle.zip", manifest=manifest)


@verbs.command()
def verify(
    bundle: Annotated[Path, typer.Argument(metavar="BUNDLE", help="bundle.zip, or the folder of an unpacked one.")],
    *,
    key: Annotated[Path, typer.Option(help="Public key of who signed, obtained apart from the bundle.")],
    as_json: JsonOption = False,
) -> None:
    """Say whether a dossier is the one that was signed, and otherwise which files were changed, are missing or new.

    `rackproof verify bundle.zip --key site.key.pub` ends with 0 where every byte is as it was signed, with 1 where one
    is not, with 3 where there is no bundle or no key.
    """
    with reporting(as_json=as_json) as output:
        from rackproof.report.bundle.keys import load_public_key  # noqa: PLC0415 not needed to start
        from rackproof.report.bundle.verify import verify as verified  # noqa: PLC0415 likewise

        _tell_verification(verified(bundle, load_public_key(key)), output)


def _tell_verification(found: Verification, output: Output) -> None:
    """Say what came of looking at a dossier."""
    if found.genuine and found.manifest is not None:
        of = found.manifest
        output.line(f"genuine: all {found.files} files are as they were signed, key {of.key}", "green")
        output.line(f"{of.site}, validated until {of.ended}: {of.verdict}", "bold")
    else:
        output.status = ExitStatus.FAILED
        output.line("not genuine: do not rely on this dossier", "bold red")
        output.table("", ("what", "file", "why"), [(one.kind, one.file, one.text) for one in found.findings])
    output.result(genuine=found.genuine, files=found.files, findings=found.findings, manifest=found.manifest)


@verbs.command()
def keygen(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Private key to write; FILE.pub is the public one.")],
    *,
    passphrase_file: PassphraseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a key that signs dossiers (Ed25519): FILE, which its owner alone can read, and FILE.pub, to give away.

    `rackproof keygen ~/.config/rackproof/site.key`; nothing is ever written over. An Ed25519 key of OpenSSH works too.
    """
    with reporting(as_json=as_json) as output:
        from rackproof.report.bundle.keys import fingerprint, load_public_key, make_keys  # noqa: PLC0415 not needed to start

        public = make_keys(file, passphrase(passphrase_file))
        output.line(f"{shown_path(file)}: signs; keep it, nobody else needs it")
        output.line(f"{shown_path(public)}: verifies; give it to those who accept the site, apart from the dossier")
        print_of = fingerprint(load_public_key(public))
        output.line(f"fingerprint: {print_of}")
        output.result(private_key=file, public_key=public, fingerprint=print_of)
