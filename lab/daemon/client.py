"""The lab as the command line uses it: up, down, status, faults, clock. Typed results; nothing is printed."""

import asyncio
import fcntl
import secrets
import shutil
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from lab.daemon import daemon_process
from lab.daemon.access_file import write_access
from lab.daemon.messages import Answer, LabStatus, PortCount, Request, socket_address
from lab.errors import LabError, LabNotRunningError
from lab.fabric import namespaces
from lab.folder import LabFolder, lab_id
from lab.hosts import processes
from lab.hosts.hosts import write_hosts
from lab.hosts.image import Image, Report
from lab.hosts.machine import HostSpec
from lab.spec.models import LabEnd, LabSite

ANSWER_TIMEOUT_S = 30.0
CLEAR_TIMEOUT_S = 630.0
"""Clearing a fault of a host may boot it first."""


@dataclass(frozen=True, slots=True)
class LabState:
    """A lab that was brought up."""

    folder: Path
    access_file: Path
    already_running: bool
    status: LabStatus


@dataclass(frozen=True, slots=True)
class HostPlan:
    """The hosts of a lab that are virtual machines, and the disk image that they start from."""

    image: Image
    hosts: tuple[HostSpec, ...]


def up(
    site: LabSite,
    folder: Path,
    site_text: str | None = None,
    hosts: HostPlan | None = None,
    report: Report = lambda _line: None,
) -> LabState:
    """Start the lab of a site in the background and return once every switch and host answers.

    A running lab is left unchanged.

    Parameters
    ----------
    site
        What to build: ``lab.spec.from_plan.lab_site(plan, models)``.
    folder
        Where the lab keeps its files; it owns the whole folder.
    site_text
        The site file as the lab has it, kept beside the other files.
    hosts
        Its hosts that are virtual machines; without them no packet is sent and every link is computed.
    report
        Receives a line about each step that takes time.

    Raises
    ------
    LabError
        The lab did not start.
    """
    files = LabFolder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder):
        already = daemon_process.running(files) is not None
        if not already:
            sweep(files)
            _write(files, site, site_text)
            if hosts is not None:
                write_hosts(files, hosts.image, hosts.hosts)
            _start(files, report)
        now = status(folder)
        if not already:
            write_access(files, now)
        return LabState(folder, files.access, already, now)


def down(folder: Path) -> bool:
    """End the lab and remove every file of it; return whether it was running.

    Works also when the daemon or a host was killed, and when there is no lab.
    """
    if not folder.is_dir():
        return False
    with _locked(folder):
        was_running = daemon_process.end(LabFolder(folder))
        was_running |= sweep(LabFolder(folder))
        shutil.rmtree(folder)
    return was_running


def sweep(files: LabFolder) -> bool:
    """Remove the hosts, namespaces and daemons that a killed lab daemon left; return whether there were any."""
    machines = processes.end_processes(files.hosts)
    name = lab_id(files.path)
    return bool(machines + (asyncio.run(namespaces.sweep(name)) if namespaces.lab_namespaces(name) else 0))


def _start(files: LabFolder, report: Report) -> None:
    try:
        daemon_process.start(files, report)
    except LabError:
        sweep(files)
        raise


def status(folder: Path) -> LabStatus:
    """Return the status of the lab; ``running`` is false when there is none."""
    try:
        return _ask(folder, Request(verb="status")).status or LabStatus(running=False)
    except LabNotRunningError:
        return LabStatus(running=False)


def fault(folder: Path, name: str, parameters: Mapping[str, str]) -> None:
    """Inject a fault.

    Raises
    ------
    LabError
        No lab is running, there is no such fault, or its parameters are wrong.
    """
    _ask(folder, Request(verb="fault", name=name, parameters=dict(parameters)), CLEAR_TIMEOUT_S)


def clear(folder: Path, name: str | None = None) -> int:
    """Clear the faults of a name, or all; return their number.

    Raises
    ------
    LabError
        No lab is running.
    """
    return _ask(folder, Request(verb="clear", name=name), CLEAR_TIMEOUT_S).count


def advance_clock(folder: Path, seconds: float) -> None:
    """Advance the lab's clock; timers that become due fire.

    Raises
    ------
    LabError
        No lab is running, or ``seconds`` is negative.
    """
    if seconds < 0:
        raise LabError("the lab's clock only moves ahead")
    _ask(folder, Request(verb="advance", seconds=seconds))


def edit(folder: Path, switch: str, lines: tuple[str, ...]) -> tuple[str, ...]:
    """Type configuration lines on a switch, as from its console; return the answers to refused ones.

    Raises
    ------
    LabError
        No lab is running, or it has no such switch.
    """
    return _ask(folder, Request(verb="edit", name=switch, lines=lines)).refused


def counters(folder: Path) -> dict[LabEnd, PortCount]:
    """Return the counters of the ports of all switches.

    Raises
    ------
    LabError
        No lab is running.
    """
    found = _ask(folder, Request(verb="counters")).counters
    return {LabEnd(one.switch, one.port): one for one in found}


def _write(files: LabFolder, site: LabSite, site_text: str | None) -> None:
    for stale in (files.control, files.access, files.process_id, files.hosts_description, files.known_hosts):
        stale.unlink(missing_ok=True)
    files.site_description.write_bytes(TypeAdapter(LabSite).dump_json(site))
    files.password.touch(mode=0o600)
    files.password.write_text(f"{secrets.token_urlsafe(12)}\n", "utf-8")
    if site_text is not None:
        files.site_file.write_text(site_text, "utf-8")


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a lab: one command at a time starts or ends it."""
    with folder.parent.joinpath(f".{folder.name}.lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield
        finally:
            Path(lock.name).unlink(missing_ok=True)


def _ask(folder: Path, request: Request, timeout_s: float = ANSWER_TIMEOUT_S) -> Answer:
    files = LabFolder(folder)
    if daemon_process.running(files) is None:
        raise LabNotRunningError
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection, socket_address(files.control) as address:
        connection.settimeout(timeout_s)
        try:
            connection.connect(address)
            connection.sendall(request.model_dump_json().encode() + b"\n")
            answer = Answer.model_validate_json(connection.makefile("rb").readline())
        except (OSError, ValueError) as error:
            if daemon_process.gone(files):
                raise LabNotRunningError from error
            raise LabError(f"the lab does not answer: {error}", f"see {files.log}") from error
    if answer.error is not None:
        raise LabError(answer.error, answer.hint)
    return answer
