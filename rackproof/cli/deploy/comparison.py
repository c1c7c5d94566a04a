"""The result of a comparison: for a person, for a program, as an exit status, and for the next comparison."""

from collections.abc import Mapping, Sequence

from rackproof.cli.deploy.deployable_site import DeployableSite
from rackproof.cli.deploy.left_alone import show_left_alone
from rackproof.cli.output import ExitStatus, Output
from rackproof.deploy.scheduler import Compared
from rackproof.deploy.switch.read import SwitchState
from rackproof.deploy.switch.unchanged_cache import Verified, VerifiedDevice, digest, remember
from rackproof.plural import counted
from rackproof.render.switch import left_alone


def show_comparison(
    chosen: DeployableSite, compared: Sequence[Compared], left: Mapping[str, Sequence[str]], output: Output
) -> ExitStatus:
    """Print what differs, device by device, and return the exit status of the comparison.

    Parameters
    ----------
    chosen, compared
        The devices, and what differs on them.
    left
        What `left_alone_topics` returns.
    output
        Where to print.
    """
    for one in compared:
        if one.error is not None:
            output.line(f"{one.step}: could not be read: {one.error.cause}", "red")
            if one.error.hint:
                output.line(f"  {one.error.hint}", "dim")
        elif one.changes:
            show_changes(one, output)
    unchanged = sum(not one.changes and one.error is None for one in compared)
    if unchanged:
        output.line(f"{counted(unchanged, 'device')} without changes", "green")
    for name in chosen.export_only:
        output.line(f"{name}: export only, not compared", "yellow")
    show_left_alone(left, output)
    devices = [{**comparison_record(one), "left_alone": list(left.get(one.step, ()))} for one in compared]
    output.result(site=chosen.name, devices=devices, export_only=chosen.export_only)
    if any(one.error is not None for one in compared):
        return ExitStatus.UNKNOWN
    return ExitStatus.FAILED if any(one.changes for one in compared) else ExitStatus.DONE


def show_changes(compared: Compared, output: Output) -> None:
    """Print the changes of one device, and what each of them interrupts."""
    output.line(f"{compared.step}: {counted(len(compared.changes), 'change')}", "bold")
    for change in compared.changes:
        output.line(f"  {change}")
        if change.disturbs:
            output.line(f"    interrupts {', '.join(change.disturbs)}", "yellow")


def left_alone_topics(chosen: DeployableSite, compared: Sequence[Compared]) -> dict[str, tuple[str, ...]]:
    """Return the topics of the lines that Rackproof leaves alone, for each switch that was read."""
    switches = chosen.planned.plan.switches
    return {
        one.step: left_alone(switches[one.step].nos, one.state.running)
        for one in compared
        if isinstance(one.state, SwitchState)
    }


def comparison_record(compared: Compared) -> dict[str, object]:
    """Return the comparison of one device as a program reads it."""
    error = compared.error
    found: dict[str, object] = {"device": compared.step, "changes": change_records(compared)}
    return found if error is None else {**found, "error": {"message": error.cause, "hint": error.hint}}


def change_records(compared: Compared) -> list[dict[str, object]]:
    """Return the changes of one device as a program reads them."""
    return [
        {
            "path": list(change.path),
            "before": change.before,
            "after": change.after,
            "text": change.text,
            "disruption": change.disruption,
            "disturbs": list(change.disturbs),
        }
        for change in compared.changes
    ]


def remember_unchanged(chosen: DeployableSite, compared: Sequence[Compared], left: Mapping[str, Sequence[str]]) -> None:
    """Record which switches are as intended, for the next `rackproof diff`; does nothing unless all were compared."""
    plan, loaded = chosen.planned.plan, chosen.planned.loaded
    if plan.export_only() or not plan.intents().keys() <= {one.step for one in compared}:
        return
    devices = {
        one.step: VerifiedDevice(
            plan.switches[one.step].fabric,
            plan.switches[one.step].nos,
            digest(one.state.running),
            left.get(one.step, ()),
        )
        for one in compared
        if not one.changes and isinstance(one.state, SwitchState)
    }
    complete = devices.keys() == plan.intents().keys()
    remember(loaded.path, Verified(plan.site, devices, complete, chosen.planned.warnings))
