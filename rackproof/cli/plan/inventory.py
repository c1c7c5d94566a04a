"""`rackproof inventory`: the Ansible inventory of a site's servers."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from rackproof.cli.excerpt import shown_path
from rackproof.cli.load_plan import planned_for_access
from rackproof.cli.options import AccessOption, JsonOption, SiteArgument
from rackproof.cli.output import Output, reporting
from rackproof.paths import build_folder

if TYPE_CHECKING:
    from rackproof.plan.hosts.sources import HostSources
    from rackproof.render.inventory import Inventory

verbs = typer.Typer()


@verbs.command()
def inventory(site: SiteArgument, *, access: AccessOption = None, as_json: JsonOption = False) -> None:
    """Write the Ansible inventory of a site's servers: groups, connections, and the variables of every role.

    `rackproof inventory metrum-h200` writes build/metrum-h200/ansible. Passwords are not written: Ansible looks them up
    when it connects, where access.yaml says. PCI and MAC addresses come from as-built.yaml beside access.yaml, which
    `rackproof discover` writes. Servers that access.yaml does not name are left out.

    A management controller (BMC) is reached as the entry `<server>-bmc` of access.yaml says; without such an entry, at
    its planned address.

    Exit status: 0 written, or nothing to change, 3 bad input.
    """
    with reporting(as_json=as_json) as output:
        made = write_inventory(site, access, output)
        show_inventory(made, output)


def write_inventory(site: str, access: Path | None, output: Output) -> "Inventory":
    """Plan a site and write its inventory.

    Raises
    ------
    BadInputError
        The site, access.yaml or the as-built record cannot be used.
    """
    from rackproof.connect.access import access_file, load_access  # noqa: PLC0415 not needed to start
    from rackproof.plan.from_file import host_sources  # noqa: PLC0415 likewise
    from rackproof.render.inventory import render_inventory  # noqa: PLC0415 likewise
    from rackproof.site.as_built import FILE_NAME, load_as_built  # noqa: PLC0415 likewise

    planned = planned_for_access(site, access, output)
    loaded = load_access(access_file(planned.plan.site, access))
    output.note(f"access to servers: {loaded.path}")
    sources = host_sources(planned, load_as_built(loaded.path.parent / FILE_NAME))
    note_components_without_role(sources, output)
    return render_inventory(sources, loaded.access, loaded.path.parent, build_folder(planned.plan.site))


def note_components_without_role(sources: "HostSources", output: Output) -> None:
    """Name the components of the release that no role installs."""
    if "mlnx-ofed" in sources.release.components:
        output.note("left out: MLNX_OFED of the release; the roles install DOCA-OFED, or keep the system's drivers")


def show_inventory(made: "Inventory", output: Output) -> None:
    """Print what was written, and which servers were left out."""
    did = "Written to" if made.changed else "Nothing to change in"
    output.line(f"{did} {shown_path(made.folder)}: {len(made.hosts)} servers", "green" if made.hosts else "yellow")
    if made.left_out:
        output.note(f"left out, because access.yaml does not say how they are reached: {', '.join(made.left_out)}")
    output.result(folder=made.folder, changed=made.changed, hosts=made.hosts, left_out=made.left_out)
