"""`rackproof verify`: whether a dossier is as it was signed."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rackproof.cli.options import JsonOption
from rackproof.cli.output import ExitStatus, reporting

if TYPE_CHECKING:
    from rackproof.cli.output import Output
    from rackproof.report.bundle.verify import Verification

verbs = typer.Typer()


@verbs.command()
def verify(
    bundle: Annotated[Path, typer.Argument(metavar="BUNDLE", help="bundle.zip, or its folder when unpacked.")],
    *,
    key: Annotated[Path, typer.Option(help="Public key of the signer, received separately from the bundle.")],
    as_json: JsonOption = False,
) -> None:
    """Verify the signature of a dossier, and name every file that was changed, removed or added since it was signed.

    Example: `rackproof verify bundle.zip --key site.key.pub`.

    Exit status: 0 every byte is as it was signed, 1 the dossier is not genuine, 3 no bundle or no key.
    """
    with reporting(as_json=as_json) as output:
        from rackproof.report.bundle.keys import load_public_key  # noqa: PLC0415 not needed to start
        from rackproof.report.bundle.verify import verify as verified  # noqa: PLC0415 likewise

        show_verification(verified(bundle, load_public_key(key)), output)


def show_verification(found: "Verification", output: "Output") -> None:
    """Print the result of a verification."""
    if found.genuine and found.manifest is not None:
        signed = found.manifest
        output.line(f"genuine: all {found.files} files are as they were signed, key {signed.key}", "green")
        output.line(f"{signed.site}, validation ended {signed.ended}: {signed.verdict}", "bold")
    else:
        output.status = ExitStatus.FAILED
        output.line("not genuine: do not rely on this dossier", "bold red")
        output.table("", ("what", "file", "why"), [(one.kind, one.file, one.text) for one in found.findings])
    output.result(genuine=found.genuine, files=found.files, findings=found.findings, manifest=found.manifest)
