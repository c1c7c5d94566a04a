"""Host keys of the chosen devices, recorded when the user agrees."""

import sys
from collections.abc import Sequence
from pathlib import Path

import typer

from rackproof.cli.load_plan import planned_for_access
from rackproof.cli.output import ExitStatus, Output
from rackproof.connect.access import LoadedAccess, access_file, load_access, record_host_key
from rackproof.connect.ssh import Target
from rackproof.connect.trust import KeyState, Sighting
from rackproof.deploy.switch.build_steps import selected
from rackproof.errors import BadInputError


def chosen_targets(
    site: str, access: Path | None, only: Sequence[str], output: Output
) -> tuple[LoadedAccess, tuple[Target, ...]]:
    """Return access.yaml with the chosen switches and hosts; by default all switches and every host that it names.

    Raises
    ------
    BadInputError
        There is no such site or device, the site is wrong, or access.yaml is missing, wrong or incomplete.
    """
    plan = planned_for_access(site, access, output).plan
    loaded = load_access(access_file(plan.site, access))
    output.note(f"access to devices: {loaded.path}")
    hosts = plan.hosts()
    groups = {host.group for host in hosts.values()}
    host_names = {name for name in only if name in hosts or name in groups}
    switch_names = [name for name in only if name not in host_names]
    switches = selected(plan, switch_names) if switch_names or not only else ()
    chosen = [
        name
        for name, host in hosts.items()
        if (name in loaded.access.devices and not only) or host_names & {name, host.group}
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
        The keys that the devices offer.
    output
        Where the result is printed.
    yes
        Whether new keys are recorded without asking.
    replace
        Whether changed keys are recorded too.

    Raises
    ------
    BadInputError
        There are keys to record, and no terminal to ask for a confirmation.
    """
    changed = [one for one in seen if one.state is KeyState.CHANGED]
    wanted = [one for one in seen if one.state is KeyState.NEW or (replace and one.state is KeyState.CHANGED)]
    recorded = wanted if wanted and agreed(output, len(wanted), yes=yes) else []
    for one in recorded:
        access = record_host_key(access, one.device, one.host_key)
        output.line(f"{one.device}: recorded {one.fingerprint}", "green")
    refused = [] if replace else changed
    for one in refused:
        output.line(f"{one.device}: refused: the recorded key is {one.recorded_fingerprint}", "red")
    if refused:
        output.line("find out why the key changed; if the device was replaced, run this again with --replace", "dim")
    output.result(devices=[record(one, one in recorded) for one in seen])
    if refused or len(recorded) < len(wanted):
        return ExitStatus.FAILED
    return ExitStatus.UNKNOWN if any(one.state is KeyState.UNSEEN for one in seen) else ExitStatus.DONE


def agreed(output: Output, number: int, *, yes: bool) -> bool:
    """Return whether the user agrees to record keys.

    Raises
    ------
    BadInputError
        There is no terminal to ask.
    """
    if yes:
        return True
    if output.as_json or not sys.stdin.isatty():
        raise BadInputError(
            f"{number} fingerprints need a confirmation, and there is no terminal to ask",
            "compare them with the devices' consoles, then give --yes",
        )
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
