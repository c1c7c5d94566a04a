"""`rackproof validate`: the validation suites, run against a site."""

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from rackproof.cli.options import AccessOption, JsonOption, OnlyOption, SiteArgument
from rackproof.cli.output import Output, reporting
from rackproof.cli.prove.validate_options import (
    CalibrateOption,
    ChecksOption,
    ColdStartOption,
    DisruptiveOption,
    FailedOption,
    InterruptOption,
    ProcessesOption,
    ReplayOption,
    SoakHoursOption,
)
from rackproof.paths import RUN_FILE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rackproof.results import Result, Run

verbs = typer.Typer()

SHOWN: int = 25
"""Results not passed that a person is shown; run.json has all."""


@verbs.command()
def validate(  # noqa: PLR0913 the options of a command line
    site: SiteArgument,
    *,
    only: OnlyOption = None,
    checks: ChecksOption = "",
    failed: FailedOption = False,
    disruptive: DisruptiveOption = False,
    cold_start: ColdStartOption = False,
    soak_hours: SoakHoursOption = 0.0,
    yes: InterruptOption = False,
    replay: ReplayOption = None,
    calibrate: CalibrateOption = False,
    processes: ProcessesOption = None,
    access: AccessOption = None,
    as_json: JsonOption = False,
) -> None:
    """Validate a site: read every device once, compare it with the plan, and measure links, traffic and failover.

    Every check states what it expects, where its threshold comes from, and whether its evidence is real, simulated or
    recorded. In a lab the verdict is a rehearsal. A failure that is accepted for a time is listed in waivers.yaml
    beside the site file. The results are in build/<site>/validation/latest; `rackproof report` makes the dossier.

    With `--disruptive` the site is interrupted; in a maintenance window, the complete acceptance of a new site is
    `rackproof validate <site> --disruptive --cold-start --soak-hours 24`.

    The same suites run with `pytest validation --site <site>`. Ctrl-C keeps the results of the checks that are done.

    Exit status: 0 all passed or waived, 1 a check failed, 2 a result is unknown, 3 bad input.
    """
    from rackproof.cli.load_plan import planned_for_access  # noqa: PLC0415 not needed to start
    from rackproof.cli.prove.disruptive_run import Selection, confirm_disruption  # noqa: PLC0415 likewise
    from rackproof.connect.access import access_file  # noqa: PLC0415 likewise

    arguments = [
        *chain.from_iterable(("--only", name) for name in only or ()),
        *(("-k", checks) if checks else ()),
        *(() if access is None else ("--access", str(access.resolve()))),
        *(() if replay is None else ("--replay", str(replay.resolve()))),
        *(("--failed",) if failed else ()),
        *(("--disruptive",) if disruptive else ()),
        *(("--cold-start",) if cold_start else ()),
        *(("--soak-hours", str(soak_hours)) if soak_hours else ()),
        *(("--calibrate",) if calibrate else ()),
    ]
    with reporting(as_json=as_json) as output:
        plan = planned_for_access(site, access, output).plan
        if disruptive and replay is None:
            selection = Selection(tuple(only or ()), checks, cold_start, soak_hours)
            confirm_disruption(plan, access_file(plan.site, access), selection, output, ask=not yes)
        number = processes_for(len(plan.servers)) if processes is None else processes
        run_suites(site, arguments, number, output)


def run_suites(site: str, arguments: "Sequence[str]", processes: int, output: Output) -> None:
    """Run the suites with these options of theirs, and print the results."""
    from rackproof.cli.prove.suites_process import SuitesProcess  # noqa: PLC0415 not needed to start

    ended = SuitesProcess(site, arguments, processes, output).to_end()
    if ended.run is not None:
        show_run(ended.run, ended.folder, site, output)
    output.status = ended.status


def processes_for(servers: int) -> int:
    """Return the number of processes that judge besides the first: none below a hundred servers."""
    import os  # noqa: PLC0415 not needed to start

    return 0 if servers < 100 else os.cpu_count() or 1


def show_run(run: "Run", folder: Path, site: str, output: Output) -> None:
    """Print the results of a run, and the next command with the site as the user named it."""
    from rackproof.cli.excerpt import shown_path  # noqa: PLC0415 not needed to start
    from rackproof.results import counted  # noqa: PLC0415 likewise

    bad = [result for result in run.results if result.state in {"failed", "error", "waived"}]
    for result in bad[:SHOWN]:
        show_result(result, output)
    if len(bad) > SHOWN:
        output.line(f"and {len(bad) - SHOWN} more in {shown_path(folder / RUN_FILE)}")
    # When only some checks were selected, the others have no result by intention.
    for one in () if run.selected else run.missing[:SHOWN]:
        output.line(f"{one.check_id}: no result for {one.device or 'the site'}", "yellow")
    show_skipped(run.results, output)
    output.line(", ".join(f"{number} {state}" for state, number in counted(run.results).items() if number) or "nothing")
    style = {"passed": "green", "rehearsal passed": "green", "failed": "red"}.get(run.verdict, "yellow")
    output.line(f"{run.site}: {run.verdict}", f"bold {style}")
    output.note(f"results: {shown_path(folder / RUN_FILE)}")
    output.note(next_step(run, site))
    output.result(
        site=run.site,
        verdict=run.verdict,
        run=folder / RUN_FILE,
        counts=counted(run.results),
        not_well=bad,
        missing=run.missing,
    )


def show_result(result: "Result", output: Output) -> None:
    """Print one result that did not pass."""
    style = {"failed": "red", "error": "yellow"}.get(result.state, "")
    output.line(f"{result.state}: {result.check_id}: {result.subject}: {result.message}", style)
    if result.waiver:
        output.line(f"  waived by {result.waiver.who} until {result.waiver.until}: {result.waiver.why}", "dim")
    elif result.remedy:
        output.line(f"  {result.remedy}", "dim")


def show_skipped(results: "Sequence[Result]", output: Output) -> None:
    """Print why checks were skipped, each reason once."""
    reasons: dict[str, int] = {}
    for result in results:
        if result.state == "skipped":
            reasons[result.message] = reasons.get(result.message, 0) + 1
    for reason, number in list(reasons.items())[:SHOWN]:
        output.note(f"skipped {number} times: {reason}" if number > 1 else f"skipped: {reason}")


def next_step(run: "Run", site: str) -> str:
    """Return what to do after a run."""
    if run.verdict in {"passed", "rehearsal passed"}:
        return f"`rackproof report {site}` makes the dossier"
    if run.selected:
        return f"only some checks ran; `rackproof validate {site}` runs all of them"
    return f"repair what failed, then `rackproof validate {site} --failed` runs the checks that did not pass"
