"""The verb that proves a site: it runs the suites, shows how they go, and says what came of it."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from rackproof.cli.deploy.switches_and_nodes import AccessOption, OnlyOption
from rackproof.cli.options import JsonOption, SiteArgument
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
"""Results that are not well which a person is shown; the file has all."""


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
    """Prove a site: ask every device once, hold what it says against the plan, and measure what must be measured.

    Every check states what it expects, where its threshold comes from, and whether its evidence is real, simulated or
    recorded. In a lab the verdict is a rehearsal. A failure that somebody accepts for a time stands in waivers.yaml
    beside the site file. The results lie in build/<site>/validation/latest; `rackproof report` makes the dossier.

    With `--disruptive` the site is interrupted; in a maintenance window, the whole proof of a new site is
    `rackproof validate <site> --disruptive --cold-start --soak-hours 24`.

    The same suites run with `pytest validation --site <site>`. Ctrl-C leaves the results of what was done.

    Exit status: 0 all passed or waived, 1 something failed, 2 something could not be told, 3 bad input.
    """
    from rackproof.cli.plan.load_plan import planned_for_access  # noqa: PLC0415 likewise
    from rackproof.cli.prove.disruption import Wish, agreed  # noqa: PLC0415 not needed to start
    from rackproof.connect.access import access_file  # noqa: PLC0415 likewise

    arguments = [
        *(part for name in only or () for part in ("--only", name)),
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
            wish = Wish(tuple(only or ()), checks, cold_start, soak_hours)
            agreed(plan, access_file(plan.site, access), wish, output, ask=not yes)
        number = processes_for(len(plan.servers)) if processes is None else processes
        run_suites(site, arguments, number, output)


def run_suites(site: str, arguments: "Sequence[str]", processes: int, output: Output) -> None:
    """Run the suites with options of theirs, and tell what came of it."""
    from rackproof.cli.prove.suites_run import SuitesRun  # noqa: PLC0415 not needed to start

    ended = SuitesRun(site, arguments, processes, output).to_end()
    if ended.run is not None:
        tell(ended.run, ended.folder, site, output)
    output.status = ended.status


def processes_for(servers: int) -> int:
    """Return how many processes judge besides the first: none pays for itself below a hundred servers."""
    import os  # noqa: PLC0415 not needed to start

    return 0 if servers < 100 else os.cpu_count() or 1


def tell(run: "Run", folder: Path, site: str, output: Output) -> None:
    """Say what came of a run, and what to do next with the site by the name that the user has for it."""
    from rackproof.cli.excerpt import shown_path  # noqa: PLC0415 not needed to start
    from rackproof.results import counted  # noqa: PLC0415 likewise

    bad = [result for result in run.results if result.state in {"failed", "error", "waived"}]
    for result in bad[:SHOWN]:
        tell_result(result, output)
    if len(bad) > SHOWN:
        output.line(f"and {len(bad) - SHOWN} more in {shown_path(folder / RUN_FILE)}")
    # Of a choice of checks most are without a result, because nobody asked for one.
    for one in () if run.selected else run.missing[:SHOWN]:
        output.line(f"{one.check_id}: no result for {one.device or 'the site'}", "yellow")
    tell_skipped(run.results, output)
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


def tell_result(result: "Result", output: Output) -> None:
    """Say one result that is not well."""
    style = {"failed": "red", "error": "yellow"}.get(result.state, "")
    output.line(f"{result.state}: {result.check_id}: {result.subject}: {result.message}", style)
    if result.waiver:
        output.line(f"  waived by {result.waiver.who} until {result.waiver.until}: {result.waiver.why}", "dim")
    elif result.remedy:
        output.line(f"  {result.remedy}", "dim")


def tell_skipped(results: "Sequence[Result]", output: Output) -> None:
    """Say why something was skipped, each reason once."""
    reasons: dict[str, int] = {}
    for result in results:
        if result.state == "skipped":
            reasons[result.message] = reasons.get(result.message, 0) + 1
    for reason, number in list(reasons.items())[:SHOWN]:
        output.note(f"skipped {number} times: {reason}" if number > 1 else f"skipped: {reason}")


def next_step(run: "Run", site: str) -> str:
    """Return what a person does after a run."""
    if run.verdict in {"passed", "rehearsal passed"}:
        return f"`rackproof report {site}` makes the dossier"
    if run.selected:
        return f"some checks were chosen; `rackproof validate {site}` runs all of them"
    return f"mend it, then `rackproof validate {site} --failed` runs what did not pass"
