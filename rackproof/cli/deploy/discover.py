"""`rackproof discover`: the network ports of the servers, found and recorded."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rackproof.cli.excerpt import shown_path
from rackproof.cli.load_plan import planned_for_access
from rackproof.cli.options import AccessOption, JsonOption, SiteArgument
from rackproof.cli.output import ExitStatus, Output, reporting
from rackproof.errors import BadInputError

if TYPE_CHECKING:
    from rackproof.connect.access import LoadedAccess
    from rackproof.gather.discover import Recorded, Survey
    from rackproof.plan.from_file import PlannedSite
    from rackproof.plan.model.plan import Plan

verbs = typer.Typer()


@verbs.command()
def discover(
    site: SiteArgument,
    *,
    accept: Annotated[
        list[str] | None,
        typer.Option(
            "--accept",
            metavar="NAME",
            help="Server or port (gpu-001:rail3) whose adapter was replaced; may be repeated.",
        ),
    ] = None,
    access: AccessOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the network ports of a site's servers by slot, and record them.

    The PCI address, MAC address, NUMA node and RDMA device of every planned port, and the serial number of every
    server, go into as-built.yaml beside access.yaml; `rackproof inventory` reads them there. An adapter that is missing
    or in another slot is an error, and so is any difference from the record; `--accept gpu-001:rail3`
    records the adapter that replaced another one. Nothing is changed on the servers.

    Exit status: 0 all as planned and recorded, 1 something differs, 2 a server could not be read, 3 bad input.
    """
    with reporting(as_json=as_json) as output:
        planned = planned_for_access(site, access, output)
        discover_site(planned, access, accept or (), output)


def discover_site(planned: "PlannedSite", access: Path | None, accepted: Sequence[str], output: Output) -> None:
    """Read the servers, compare them with plan and record, write the record, and print the result."""
    from rackproof.cli.deploy.run_to_end import run_to_end  # noqa: PLC0415 not needed to start
    from rackproof.connect.access import access_file, load_access  # noqa: PLC0415 likewise
    from rackproof.gather.discover import bring_record_up_to_date  # noqa: PLC0415 likewise

    loaded = load_access(access_file(planned.plan.site, access))
    output.note(f"access to servers: {loaded.path}")
    names = reachable(planned.plan, loaded, accepted)
    with output.progress(f"reading {len(names)} servers"):
        done = run_to_end(bring_record_up_to_date(planned, loaded, names, frozenset(accepted)))
    show_survey(done.survey, output)
    show_record(done, output)
    output.status = survey_status(done.survey)


def reachable(plan: "Plan", loaded: "LoadedAccess", accepted: Collection[str]) -> list[str]:
    """Return the servers that access.yaml names.

    Raises
    ------
    BadInputError
        It names none, or a name to accept is not in the plan.
    """
    for name in accepted:
        server, _, port = name.partition(":")
        if server not in plan.servers or (port and port not in plan.servers[server].ports):
            raise BadInputError(
                f"--accept {name}: the plan has no such server or port",
                "write a server, or a server and port: gpu-001 or gpu-001:rail3",
            )
    names = [name for name in plan.servers if name in loaded.access.devices]
    if not names:
        hint = "add an entry for each server under devices: host, user, private_key; then run `rackproof trust <site>`"
        raise BadInputError(f"{loaded.path} does not say how any server of {plan.site} is reached", hint)
    return names


def show_survey(found: "Survey", output: Output) -> None:
    """Print what is new, what contradicts plan or record, and which servers did not answer."""
    for one in found.compared:
        for news in () if one.contradictions else one.news:
            output.line(news, "green")
        for contradiction in one.contradictions:
            output.line(str(contradiction), "red")
            output.line(f"  {contradiction.hint}", "dim")
    for lost in found.silent:
        if lost.error is not None:
            output.line(f"{lost.server}: could not be read: {lost.error.cause}", "red")
            output.line(f"  {lost.error.hint}" if lost.error.hint else "", "dim")


def show_record(done: "Recorded", output: Output) -> None:
    """Print where the record is; a program gets its content too."""
    output.line(f"{'recorded in' if done.changed else 'nothing new for'} {shown_path(done.path)}")
    output.result(
        record=done.path,
        changed=done.changed,
        servers=[
            {"server": one.server, "news": one.news, "contradictions": one.contradictions, "found": one.record}
            for one in done.survey.compared
        ],
        silent=[
            {"server": one.server, "message": one.error.cause, "hint": one.error.hint}
            for one in done.survey.silent
            if one.error is not None
        ],
    )


def survey_status(found: "Survey") -> ExitStatus:
    """Return the exit status of a discovery."""
    if any(one.contradictions for one in found.compared):
        return ExitStatus.FAILED
    return ExitStatus.UNKNOWN if found.silent else ExitStatus.DONE
