"""`rackproof report`: the dossier of a validation."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rackproof.cli.excerpt import shown_path
from rackproof.cli.options import FolderOption, JsonOption, SiteArgument
from rackproof.cli.output import reporting
from rackproof.cli.prove.signing_key import PassphraseOption, signing_key
from rackproof.paths import LATEST_RUN

if TYPE_CHECKING:
    from rackproof.cli.output import Output
    from rackproof.report.bundle.manifest import Manifest

verbs = typer.Typer()


@verbs.command()
def report(
    site: SiteArgument,
    *,
    run: Annotated[str, typer.Option(help="The validation run to report, such as 20261121T091500Z.")] = LATEST_RUN,
    key: Annotated[
        Path | None,
        typer.Option(help="Private key that signs the dossier; without it, unsigned.", envvar="RACKPROOF_SIGNING_KEY"),
    ] = None,
    passphrase_file: PassphraseOption = None,
    access: Annotated[
        Path | None,
        typer.Option(help="The access.yaml whose secrets are removed from the dossier.", show_default="as for `up`"),
    ] = None,
    folder: FolderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the dossier of a validation: page, PDF, Markdown, JUnit XML, JSON, raw evidence, and a signed bundle.

    `rackproof report metrum-h200 --key site.key` writes build/metrum-h200/dossier; open dossier.html there, and hand
    over bundle.zip. An earlier dossier is replaced only when the new one is complete. The exit status is 0 when the
    dossier is written, whatever its verdict: for the verdict, use the status of `rackproof validate`.
    """
    with reporting(as_json=as_json) as output:
        from rackproof.cli.prove.dossier import DossierRequest, write_dossier  # noqa: PLC0415 not needed to start

        signer = signing_key(key, passphrase_file)
        place, manifest = write_dossier(DossierRequest(site, run, access, signer, folder), output)
        show_dossier(place, manifest, output)


def show_dossier(place: Path, manifest: "Manifest", output: "Output") -> None:
    """Print where the dossier is, whether it is signed, and its verdict."""
    output.line(f"{manifest.site}: {manifest.verdict}", "bold")
    size = (place / "bundle.zip").stat().st_size
    output.line(f"{shown_path(place / 'dossier.html')}: open this file; the dossier has {len(manifest.files)} files")
    signed = f"signed, key {manifest.key}" if manifest.key else "not signed"
    output.line(f"{shown_path(place / 'bundle.zip')}: hand this file over ({size / 1e6:.1f} MB, {signed})")
    if not manifest.key:
        output.note("to sign it, make a key with `rackproof keygen` and give it with --key or RACKPROOF_SIGNING_KEY")
    if removed := sum(manifest.removed.values()):
        output.note(f"secrets removed: {removed}; manifest.json names the files", "yellow")
    output.result(folder=place, bundle=place / "bundle.zip", manifest=manifest)
