"""`rackproof up`: the devices of a site configured as planned."""

from typing import TYPE_CHECKING, Annotated

import typer

from rackproof.cli.options import AccessOption, JsonOption, OnlyOption, SiteArgument
from rackproof.cli.output import ExitStatus, Output, reporting

if TYPE_CHECKING:
    from rackproof.cli.deploy.deployable_site import DeployableSite
    from rackproof.deploy.switch.job import SwitchOptions

verbs = typer.Typer()


@verbs.command()
def up(  # noqa: PLR0913 the options of a command line
    site: SiteArgument,
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before changing devices.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")] = False,
    allow_disruption: Annotated[
        bool, typer.Option("--allow-disruption", help="Also make changes that interrupt links or sessions in use.")
    ] = False,
    wait: Annotated[
        bool,
        typer.Option("--wait", help="If a switch stops answering, wait until its timer has rolled it back."),
    ] = False,
    only: OnlyOption = None,
    access: AccessOption = None,
    as_json: JsonOption = False,
) -> None:
    """Configure the devices of a site as its site file says.

    Each switch saves a checkpoint and arms a timer that rolls back to it; then the configuration lines are sent, stage
    by stage. When a new connection finds every neighbor up that was up before, the configuration is saved and the timer
    cancelled. On any failure the switch is rolled back, and the message says so. The switches of a redundancy group are
    changed one at a time, all others at once.

    Servers that access.yaml names come after their fabrics: Ansible configures those that differ, then they are
    compared again. BIOS settings go through the management controller where access.yaml has an entry `<server>-bmc`,
    and take effect at the restart that follows. A server that fails is named with its task and with the command that
    resumes it; the others are finished.

    A change that would interrupt a link or session in use needs `--allow-disruption`. Ctrl-C, SIGTERM and SIGHUP
    finish or roll back the switches that are being changed; a second one leaves them to their timers.

    What an interrupted deployment left armed is confirmed and saved if the switch runs its intent; otherwise the switch
    returns now and is then configured.

    Exit status: 0 everything is as intended, 1 something failed, 2 a device could not be read, 3 bad input.
    """
    from rackproof.cli.deploy.deployable_site import deployable_site, with_record  # noqa: PLC0415 not needed to start
    from rackproof.deploy.lock import site_lock  # noqa: PLC0415 likewise
    from rackproof.deploy.switch.job import SwitchOptions  # noqa: PLC0415 likewise

    options = SwitchOptions(allow_disruption=allow_disruption, wait_for_return=wait)
    with reporting(as_json=as_json) as output:
        chosen = deployable_site(site, access, only or (), output)
        with site_lock(chosen.name):
            chosen = with_record(chosen, output, keep=not dry_run)
            deploy(chosen, options, output, ask=not (yes or dry_run), dry_run=dry_run)


def deploy(chosen: "DeployableSite", options: "SwitchOptions", output: Output, *, ask: bool, dry_run: bool) -> None:
    """Compare, ask, change, and print the results."""
    from rackproof.cli.confirmation import confirm_or_abort  # noqa: PLC0415 not needed to start
    from rackproof.cli.deploy.comparison import left_alone_topics, show_comparison  # noqa: PLC0415 likewise
    from rackproof.cli.deploy.progress import followed  # noqa: PLC0415 likewise
    from rackproof.cli.deploy.results import show_results  # noqa: PLC0415 likewise
    from rackproof.cli.deploy.run_to_end import run_to_end  # noqa: PLC0415 likewise
    from rackproof.deploy.scheduler import Run, compare  # noqa: PLC0415 likewise

    names = tuple(chosen.targets)
    with output.progress(f"reading {len(names)} devices", len(names)) as advance:
        compared = run_to_end(compare(tuple(chosen.steps(options).values()), lambda _event: advance()))
    status = show_comparison(chosen, compared, left_alone_topics(chosen, compared), output)
    to_change = any(one.changes for one in compared)
    if dry_run or not (to_change or may_be_pending(chosen)):
        output.result(results=[])
        output.status = status
        return
    if ask and to_change:
        confirm_or_abort(output, "Change these devices?", "to change devices without being asked")
    with followed(output, "changing devices", len(names)) as report:
        steps = chosen.steps(options, report)
        run = Run([*steps.values(), *chosen.gates(steps, options)], compared, report)
        results = run_to_end(run.all(), run.in_progress)
    output.status = show_results(chosen.name, results, output)
    if run.interrupted:
        output.status = ExitStatus.INTERRUPTED


def may_be_pending(chosen: "DeployableSite") -> bool:
    """Return whether the site has links between switches, which may be down although no device has to be changed."""
    from rackproof.deploy.switch.build_steps import joins_switches  # noqa: PLC0415 not needed to start

    plan = chosen.planned.plan
    return any(joins_switches(plan, link) for link in plan.links)
