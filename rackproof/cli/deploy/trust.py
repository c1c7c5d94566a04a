"""`rackproof trust`: the SSH host keys of the devices, shown and recorded."""

from typing import Annotated

import typer

from rackproof.cli.options import AccessOption, JsonOption, OnlyOption, SiteArgument
from rackproof.cli.output import reporting

verbs = typer.Typer()


@verbs.command()
def trust(
    site: SiteArgument,
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Record new keys without being asked.")] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Also record keys that have changed.")] = False,
    only: OnlyOption = None,
    access: AccessOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the SSH host keys of a site's switches and servers, and record them in access.yaml.

    Servers and storage nodes are included where access.yaml names them; `--only` also takes one, or a group of them.

    Compare each fingerprint with the one on the device's console. A key that has changed is refused: the device was
    replaced, or another machine answers in its place; `--replace` records the new key once you know which. No other
    command records a key.

    Exit status: 0 all are trusted, 1 a key changed or was not recorded, 2 a device does not answer, 3 bad input.
    """
    from rackproof.cli.deploy.host_keys import chosen_targets, record_keys  # noqa: PLC0415 not needed to start
    from rackproof.cli.deploy.run_to_end import run_to_end  # noqa: PLC0415 likewise
    from rackproof.connect.trust import sightings  # noqa: PLC0415 likewise

    with reporting(as_json=as_json) as output:
        loaded, targets = chosen_targets(site, access, only or (), output)
        seen = run_to_end(sightings(targets))
        output.table(
            f"Host keys for {loaded.path}",
            ("device", "at", "state", "fingerprint"),
            [(one.device, one.place, one.state, one.fingerprint or one.reason) for one in seen],
        )
        output.status = record_keys(loaded, seen, output, yes=yes, replace=replace)
