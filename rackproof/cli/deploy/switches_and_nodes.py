"""Verbs that talk to the devices of a site: diff, up, trust."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rackproof.cli.options import JsonOption, SiteArgument
from rackproof.cli.output import ExitStatus, Output, reporting

if TYPE_CHECKING:
    from rackproof.cli.deploy.deployment import DeployableSite
    from rackproof.deploy.scheduler import Compared, StepResult
    from rackproof.deploy.switch.job import SwitchOptions

verbs = typer.Typer()

AccessOption = Annotated[
    Path | None,
    typer.Option(
        help="How devices are reached.",
        show_default="build/<site>/lab/access.yaml of a lab that is up, else inventory/<site>/access.yaml",
    ),
]
OnlyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--only",
        metavar="NAME",
        help="Only this switch, scalable unit, fabric, server or group of servers; may be repeated.",
    ),
]


@verbs.command()
def diff(
    site: SiteArgument, *, only: OnlyOption = None, access: AccessOption = None, as_json: JsonOption = False
) -> None:
    """Compare the live devices of a site with what the site file asks for; nothing is changed.

    Differences are shown as meaning ("Ethernet 1/3: MTU 9100 → 9216"), with what bringing them about would disrupt and
    who would notice. Lines that nothing accounts for are shown too: `up` removes them. Servers that access.yaml names
    are asked for their files and live settings, all at once, and their management controllers for BIOS settings where
    it has an entry `<server>-bmc`.

    Exit status: 0 no change, 1 something differs, 2 a device could not be read, 3 bad input.
    """
    from rackproof.cli.deploy.unchanged import unchanged_devices  # noqa: PLC0415 not needed to start

    with reporting(as_json=as_json) as output:
        if unchanged := unchanged_devices(site, access, only or (), output):
            output.line(f"{len(unchanged)} devices without changes", "green")
            devices = [{"device": name, "changes": []} for name in unchanged]
            output.result(site=site, devices=devices, export_only=())
        else:
            compare_site(site, access, only or (), output)


def compare_site(site: str, access: Path | None, only: Sequence[str], output: Output) -> None:
    """Read the devices, compare them with the plan, and tell what differs."""
    from rackproof.cli.deploy.deployment import (  # noqa: PLC0415 the plan is not needed where nothing has changed
        comparison_record,
        deployable_site,
        remember_unchanged,
        run_to_end,
        show_comparison,
        with_record,
    )
    from rackproof.deploy.scheduler import compare  # noqa: PLC0415 likewise
    from rackproof.deploy.switch.job import SwitchOptions  # noqa: PLC0415 likewise

    chosen = with_record(deployable_site(site, access, only, output), output, keep=False)
    steps = tuple(chosen.steps(SwitchOptions()).values())
    with output.progress(f"reading {len(steps)} devices", len(steps)) as advance:
        compared = run_to_end(compare(steps, lambda _event: advance()))
    show_comparison(output, compared, chosen.export_only)
    devices = [comparison_record(one) for one in compared]
    output.result(site=chosen.name, devices=devices, export_only=chosen.export_only)
    output.status = compared_status(compared)
    remember_unchanged(chosen, compared)


@verbs.command()
def up(  # noqa: PLR0913 the options of a command line
    site: SiteArgument,
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before changing anything.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")] = False,
    allow_disruption: Annotated[
        bool, typer.Option("--allow-disruption", help="Also make changes that interrupt somebody.")
    ] = False,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait for the timer of a switch that fails and does not answer.")
    ] = False,
    only: OnlyOption = None,
    access: AccessOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make the devices of a site what the site file asks for.

    Each switch keeps a checkpoint and arms a timer that returns to it; then its lines are sent, stage by stage. When a
    fresh connection finds every neighbour that was up still up, it is saved and the timer is cancelled. Whatever goes
    wrong, the switch is taken back to what it was, and the message says so. Switches of one redundancy group are
    changed one at a time, all others at once.

    Servers that access.yaml names follow their fabrics: Ansible brings up those that differ, and then they are looked
    at again. BIOS settings are set through the management controller where access.yaml has an entry `<server>-bmc`,
    and take effect at the restart that follows. One that fails is named with its task and the command that goes on with
    it; the others are finished.

    Changes that would interrupt somebody need `--allow-disruption`. Ctrl-C finishes or rolls back the switches in hand;
    a second Ctrl-C leaves them to their timers.

    Exit status: 0 everything is as intended, 1 something failed, 2 a device could not be read, 3 bad input.
    """
    from rackproof.cli.deploy.deployment import deployable_site, with_record  # noqa: PLC0415 not needed to start
    from rackproof.deploy.lock import site_lock  # noqa: PLC0415 likewise
    from rackproof.deploy.switch.job import SwitchOptions  # noqa: PLC0415 likewise

    options = SwitchOptions(allow_disruption=allow_disruption, wait_for_return=wait)
    with reporting(as_json=as_json) as output:
        chosen = deployable_site(site, access, only or (), output)
        with site_lock(chosen.name):
            chosen = with_record(chosen, output, keep=not dry_run)
            bring_up(chosen, options, output, ask=not (yes or dry_run), dry_run=dry_run)


def bring_up(chosen: "DeployableSite", options: "SwitchOptions", output: Output, *, ask: bool, dry_run: bool) -> None:
    """Compare, ask, change, and tell."""
    from rackproof.cli.deploy.deployment import comparison_record, run_to_end, show_comparison  # noqa: PLC0415 likewise
    from rackproof.cli.deploy.progress import followed  # noqa: PLC0415 likewise
    from rackproof.deploy.scheduler import Run, compare  # noqa: PLC0415 likewise

    names = tuple(chosen.targets)
    with output.progress(f"reading {len(names)} devices", len(names)) as advance:
        compared = run_to_end(compare(tuple(chosen.steps(options).values()), lambda _event: advance()))
    show_comparison(output, compared, chosen.export_only)
    devices = [comparison_record(one) for one in compared]
    output.result(site=chosen.name, devices=devices, export_only=chosen.export_only)
    if dry_run or not (any(one.changes for one in compared) or may_be_pending(chosen)):
        output.result(results=[])
        output.status = compared_status(compared)
        return
    if ask and any(one.changes for one in compared):
        confirmed_by_user(output, "Change these devices?", "to change devices")
    with followed(output, "changing devices", len(names)) as report:
        steps = chosen.steps(options, report)
        run = Run([*steps.values(), *chosen.gates(steps, options)], compared, report)
        results = run_to_end(run.all(), run.in_progress)
    tell_results(chosen.name, results, output)
    if run.interrupted:
        output.status = ExitStatus.INTERRUPTED


def may_be_pending(chosen: "DeployableSite") -> bool:
    """Whether links between switches may be down although nothing has to be changed."""
    from rackproof.deploy.switch.build_steps import joins_switches  # noqa: PLC0415 not needed to start

    plan = chosen.planned.plan
    return any(joins_switches(plan, link) for link in plan.links)


def confirmed_by_user(output: Output, question: str, purpose: str) -> None:
    """Ask whether to go on.

    Parameters
    ----------
    output
        Where a person would be asked.
    question
        What is asked.
    purpose
        What `--yes` would say in advance: to change devices.

    Raises
    ------
    BadInputError
        Nobody can answer.
    typer.Abort
        The answer is no.
    """
    import sys  # noqa: PLC0415 not needed to start

    from rackproof.errors import BadInputError  # noqa: PLC0415 likewise

    if output.as_json or not sys.stdin.isatty():
        raise BadInputError("nobody is there to say yes", f"give --yes {purpose} without being asked")
    typer.confirm(question, abort=True)


def tell_results(site: str, results: "tuple[StepResult, ...]", output: Output) -> None:
    """Write the account and tell how every device ended."""
    from rackproof.deploy.protocol import Outcome  # noqa: PLC0415 likewise
    from rackproof.deploy.summary import write_summary  # noqa: PLC0415 likewise
    from rackproof.plural import counted  # noqa: PLC0415 not needed to start

    path = write_summary(site, results)
    for outcome in Outcome:
        those = [result for result in results if result.outcome is outcome]
        if those:
            output.line(f"{outcome}: {', '.join(result.step for result in those)}", "" if those[0].succeeded else "red")
    for result in results:
        if not result.succeeded and result.text:
            output.line(f"{result.step}: {result.text}")
            output.line(f"  {result.hint}" if result.hint else "", "dim")
        for note in result.applied.notes:
            output.note(f"{result.step}: {note}")
    output.line(f"{counted(sum(len(result.applied.commands) for result in results), 'command')} sent; account: {path}")
    output.result(account=path, results=[result_record(result) for result in results])
    output.status = results_status(results)


def result_record(result: "StepResult") -> dict[str, object]:
    """Return how a device ended as a program reads it."""
    return {
        "device": result.step,
        "outcome": result.outcome,
        "message": result.text,
        "hint": result.hint,
        "commands": list(result.applied.commands),
        "pending": list(result.applied.pending),
        "notes": list(result.applied.notes),
    }


def compared_status(compared: "tuple[Compared, ...]") -> ExitStatus:
    """Return the exit status of a comparison."""
    if any(one.error is not None for one in compared):
        return ExitStatus.UNKNOWN
    return ExitStatus.FAILED if any(one.changes for one in compared) else ExitStatus.DONE


def results_status(results: "tuple[StepResult, ...]") -> ExitStatus:
    """Return the exit status of a run: unknown where devices could not be read and nothing else went wrong."""
    from rackproof.deploy.protocol import Outcome  # noqa: PLC0415 not needed to start

    bad = {result.outcome for result in results if not result.succeeded}
    if not bad:
        return ExitStatus.DONE
    return (
        ExitStatus.UNKNOWN
        if Outcome.UNKNOWN in bad and bad <= {Outcome.UNKNOWN, Outcome.UNTOUCHED}
        else ExitStatus.FAILED
    )


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

    Servers and storage nodes are looked at where access.yaml names them; `--only` also takes one, or a group of them.

    Compare each fingerprint with the one on the device's console. A key that has changed is refused: the device was
    replaced, or somebody stands in between; `--replace` records it once you know which. Deploying never records a key.

    Exit status: 0 all are trusted, 1 a key changed or was not recorded, 2 a device does not answer, 3 bad input.
    """
    from rackproof.cli.deploy.deployment import run_to_end  # noqa: PLC0415 not needed to start
    from rackproof.cli.deploy.trust import record_keys, to_be_trusted  # noqa: PLC0415 likewise
    from rackproof.connect.trust import sightings  # noqa: PLC0415 likewise

    with reporting(as_json=as_json) as output:
        loaded, targets = to_be_trusted(site, access, only or (), output)
        seen = run_to_end(sightings(targets))
        output.table(
            f"Host keys for {loaded.path}",
            ("device", "at", "state", "fingerprint"),
            [(one.device, one.place, one.state, one.fingerprint or one.reason) for one in seen],
        )
        output.status = record_keys(loaded, seen, output, yes=yes, replace=replace)
