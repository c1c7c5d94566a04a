"""Recording of host keys, with the user's consent."""

import sys
from collections.abc import Sequence
from pathlib import Path

import typer

from rackproof.cli.output import ExitStatus, Output
from rackproof.cli.plan.load_plan import planned_for_access
from rackproof.connect.access import LoadedAccess, access_file, load_access, record_host_key
from rackproof.connect.ssh import Target
from rackproof.connect.trust import KeyState, Sighting
from rackproof.deploy.switch.build_steps import selected
from rackproof.errors import BadInputError


def to_be_trusted(
    site: str, access: Path | None, only: Sequence[str], output: Output
) -> tuple[LoadedAccess, tuple[Target, ...]]:
    """Return access.yaml, and the switches and hosts that were chosen; nothing chosen: every host it names.

    Raises
    ------
    BadInputError
        There is no such site, it is wrong, or access.yaml is missing, wrong or incomplete; or a name is nobody's.
    """
    plan = planned_for_access(site, access, output).plan
    loaded = load_access(access_file(plan.site, access))
    output.note(f"devices are reached as {loaded.path} says")
    hosts = plan.hosts()
    groups = {host.group for host in hosts.values()}
    of_hosts = {name for name in only if name in hosts or name in groups}
    of_switches = [name for name in only if name not in of_hosts]
    switches = selected(plan, of_switches) if of_switches or not only else ()
    chosen = [
        name
        for name, host in hosts.items()
        if (name in loaded.access.devices and not only) or of_hosts & {name, host.group}
    ]
    return loaded, tuple(loaded.target(name) for name in (*switches, *chosen))


def record_keys(
    access: LoadedAccess, seen: Sequence[Sighting], output: Output, *, yes: bool, replace: bool
) -> ExitStatus:
    """Record what may be recorded and return the exit status.

    Parameters
    ----------
    access
        The file to write to.
    seen
        What the devices show.
    output
        Where it is told.
    yes
        Whether new keys are recorded without asking.
    replace
        Whether changed keys are recorded too.

    Raises
    ------
    BadInputError
        Keys are to be recorded and nobody is there to say yes.
    """
    changed = [one for one in seen if one.state is KeyState.CHANGED]
    wanted = [one for one in seen if one.state is KeyState.NEW or (replace and one.state is KeyState.CHANGED)]
    recorded = wanted if wanted and agreed(output, len(wanted), yes=yes) else []
    for one in recorded:
        access = record_host_key(access, one.device, one.host_key)
        output.line(f"{one.device}: recorded {one.fingerprint}", "green")
    refused = [] if replace else changed
    for one in refused:
        output.line(f"{one.device}: refused, its key was {one.recorded_fingerprint} before", "red")
    if refused:
        output.line("find out why they changed; after a replacement: --replace", "dim")
    output.result(devices=[record(one, one in recorded) for one in seen])
    if refused or len(recorded) < len(wanted):
        return ExitStatus.FAILED
    return ExitStatus.UNKNOWN if any(one.state is KeyState.UNSEEN for one in seen) else ExitStatus.DONE


def agreed(output: Output, number: int, *, yes: bool) -> bool:
    """Ask whether to record keys.

    Raises
    ------
    BadInputError
        Nobody is there to answer.
    """
    if yes:
        return True
    if output.as_json or not sys.stdin.isatty():
        raise BadInputError(f"nobody is there to compare {number} fingerprints", "compare them, then give --yes")
    return typer.confirm(f"Compared with the devices' consoles: record {number}?")


def record(seen: Sighting, recorded: bool) -> dict[str, object]:
    """Return one device as a program reads it."""
    return {
        "device": seen.device,
        "at": seen.place,
        "state": seen.state,
        "fingerprint": seen.fingerprint,
        "recorded": recorded,
        "reason": seen.reason,
    }
