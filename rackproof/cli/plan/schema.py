"""`rackproof schema`: the JSON Schema of the site file."""

import json
from pathlib import Path
from typing import Annotated

import typer

from rackproof.cli.options import JsonOption
from rackproof.cli.output import reporting

verbs = typer.Typer()


@verbs.command()
def schema(
    *,
    file: Annotated[Path | None, typer.Option("--output", "-o", help="File to write.", show_default="stdout")] = None,
    as_json: JsonOption = False,
) -> None:
    """Print the JSON Schema of the site file; with it editors complete and check a site file.

    `rackproof schema -o site.schema.json`, and in the site file: `# yaml-language-server: $schema=site.schema.json`.
    """
    from rackproof.site.schema import json_schema  # noqa: PLC0415 not needed to start

    with reporting(as_json=as_json) as output:
        document = json_schema()
        text = json.dumps(document, indent=2)
        if file is None:
            output.line(text)
        else:
            file.write_text(text + "\n", encoding="utf-8")
            output.line(f"written: {file}")
        output.result(schema=document)
