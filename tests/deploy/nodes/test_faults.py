"""What goes wrong on a host: each ends with host, task, cause and the way to go on, and the other host is finished."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import asyncssh
import pytest

from rackproof.deploy.protocol import Outcome
from rackproof.deploy.scheduler import Run, StepResult, compare
from tests.deploy.nodes.conftest import ONE, OPTIONS, TWO

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.deploy.nodes.conftest import HostBench

KEEP: Final = "`probe : Keep the files`"
SET: Final = "`probe : Set what runs`"
WAIT: Final = "`probe : Wait until it is back`"
RESUME: Final = f"`rackproof up site-a --only {TWO}`"
OLD: Final = "mtu=1500\nname=rail0\n"
NEW: Final = "mtu=9000\nname=rail0\n"


def script(bench: HostBench, text: str) -> None:
    bench.variables[TWO]["probe_script"] = text


def missing_adapter(bench: HostBench) -> None:
    bench.variables[TWO]["probe_live"] = [{"kind": "link", "name": "rail0", "pci_address": "0000:ff:1f.7"}]


def adapter_in_another_slot(bench: HostBench) -> None:
    bench.variables[TWO]["probe_live"] = [{"kind": "link", "name": "lo", "pci_address": "0000:ff:1f.7"}]


def other_host_key(bench: HostBench) -> None:
    wrong = asyncssh.generate_private_key("ssh-ed25519").export_public_key().decode()
    host = bench.hosts[TWO]
    trusted = host.access().model_copy(update={"host_key": " ".join(wrong.split()[:2])})
    host.access = lambda: trusted  # type: ignore[method-assign]


def hangs_at_once(bench: HostBench) -> None:
    bench.limits = replace(bench.limits, command_s=1.5)
    bench.hosts[TWO].command("python3", "#!/bin/sh\nexec sleep 60\n")


def refused_file(bench: HostBench) -> None:
    bench.hosts[TWO].command("check-ports", "#!/bin/sh\necho 'line 1: mtu is unknown' >&2\nexit 1\n")


def goes_away_for_good(bench: HostBench) -> None:
    bench.variables[TWO]["probe_restarts"] = True
    bench.when[f"{TWO}: probe : Wait"] = lambda: bench.stop(TWO)


def goes_away_in_a_task(bench: HostBench) -> None:
    script(bench, "sleep 60")
    bench.when[f"{TWO}: probe : Set"] = lambda: bench.stop(TWO)


@dataclass(frozen=True)
class Fault:
    """A fault of the second host, and what is said about it."""

    make: Callable[[HostBench], None]
    outcome: Outcome
    said: tuple[str, ...]
    hint: tuple[str, ...] = (RESUME,)
    files: str | None = OLD
    """What its file holds afterwards: the old text or the new one, never a part of either."""


FAULTS: Final = {
    "a host that does not answer": Fault(
        lambda bench: bench.stop(TWO), Outcome.UNKNOWN, ("does not answer",), ("powered and cabled", RESUME)
    ),
    "another host key": Fault(
        other_host_key, Outcome.UNKNOWN, ("another host key than the one recorded",), ("rackproof trust", RESUME)
    ),
    "sudo refused": Fault(
        lambda bench: bench.hosts[TWO].mark("no-sudo"), Outcome.UNKNOWN,
        ("sudo is refused to user rackproof: sudo: a password is required",), ("NOPASSWD", RESUME),
    ),
    "a host that hangs": Fault(
        hangs_at_once, Outcome.UNKNOWN, ("it hangs: no answer within 1.5 s",), ("console", RESUME)
    ),
    "an adapter that is missing": Fault(
        missing_adapter, Outcome.UNTOUCHED, ("rail0: no network adapter at PCI 0000:ff:1f.7",)
    ),
    "an adapter in another slot": Fault(
        adapter_in_another_slot, Outcome.UNTOUCHED, ("no network adapter at PCI 0000:ff:1f.7; lo is at PCI none",)
    ),
    "a file that does not parse": Fault(
        refused_file, Outcome.UNTOUCHED, (f"failed in {KEEP}: ", "mtu is unknown", "nothing was changed on it"),
    ),
    "a task that hangs": Fault(
        lambda bench: script(bench, "sleep 600"), Outcome.FAILED, (f"failed in {SET}: ", "imed out"), files=NEW
    ),
    "a host that goes away in a task": Fault(
        goes_away_in_a_task, Outcome.FAILED, (f"unreachable in {SET}: ", "1 tasks had changed it"), files=NEW
    ),
    "a restart that does not come back": Fault(
        goes_away_for_good, Outcome.FAILED, (f" in {WAIT}: ", "1 tasks had changed it"), files=NEW
    ),
    "a full disk": Fault(
        lambda bench: script(bench, "cat /etc/hostname > /dev/full"), Outcome.FAILED,
        (f"failed in {SET}: ", "No space left on device"), ("make room", RESUME), NEW,
    ),
    "a package that cannot be had": Fault(
        lambda bench: script(bench, "echo 'E: Unable to locate package gpu-driver-999' >&2; exit 100"), Outcome.FAILED,
        (f"failed in {SET}: ", "Unable to locate package gpu-driver-999"), ("package repository", RESUME), NEW,
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_is_told_and_the_other_host_is_finished(bench: HostBench, fault: Fault) -> None:
    for host in (ONE, TWO):
        (bench.hosts[host].disk / "ports.conf").write_text(OLD)
    fault.make(bench)

    done = bench.up(replace(OPTIONS, task_s=4))

    assert (done[ONE].outcome, bench.file(ONE, "ports.conf")) == (Outcome.CHANGED, NEW), done[ONE]
    result = done[TWO]
    assert result.outcome is fault.outcome, result
    assert [text for text in fault.said if text not in result.text] == [], result
    assert [text for text in fault.hint if text not in result.hint] == [], result
    assert bench.file(TWO, "ports.conf") == fault.files
    assert set(bench.files(TWO)) <= {"ports.conf", "time.conf"}
    assert bench.left_behind() == []


UNREAD: Final = {name: fault for name, fault in FAULTS.items() if fault.outcome is Outcome.UNKNOWN}


@pytest.mark.parametrize("fault", UNREAD.values(), ids=UNREAD)
def test_a_host_that_cannot_be_read_is_told_beside_the_others(bench: HostBench, fault: Fault) -> None:
    fault.make(bench)

    found = bench.compared()

    error = found[TWO].error
    assert error is not None
    assert [text for text in fault.said if text not in error.cause] == [], error.cause
    assert [text for text in fault.hint if text not in error.hint] == [], error.hint
    assert (found[ONE].error, len(found[ONE].changes)) == (None, 2)


@pytest.mark.slow
def test_a_host_goes_on_where_it_stopped(bench: HostBench) -> None:
    script(bench, "exit 1")
    assert bench.up()[TWO].outcome is Outcome.FAILED
    bench.variables[TWO]["probe_script"] = "true"
    bench.hosts[TWO].disk.joinpath("time.conf").unlink()

    again = bench.up()

    assert {name: result.outcome for name, result in again.items()} == {ONE: Outcome.UNCHANGED, TWO: Outcome.CHANGED}


@pytest.mark.slow
def test_what_still_differs_afterwards_is_a_failure(bench: HostBench) -> None:
    bench.variables[TWO]["probe_live"] = [{"kind": "sysctl", "name": "kernel.ostype", "value": "Rackproof"}]

    done = bench.up()

    assert done[TWO].outcome is Outcome.FAILED
    assert "every task succeeded, but the host still differs: kernel.ostype: Linux → Rackproof" in done[TWO].text
    assert RESUME in done[TWO].hint
    assert done[ONE].outcome is Outcome.CHANGED


@pytest.mark.slow
def test_a_failed_member_holds_the_others_of_its_group_back(bench: HostBench) -> None:
    bench.variables[ONE]["probe_script"] = "exit 1"

    done = bench.up(group="pair")

    assert done[ONE].outcome is Outcome.FAILED
    assert done[TWO].outcome is Outcome.UNTOUCHED
    assert bench.files(TWO) == []


@pytest.mark.slow
def test_an_interrupted_run_ends_ansible_and_says_how_to_go_on(bench: HostBench) -> None:
    for host in (ONE, TWO):
        bench.variables[host]["probe_script"] = "sleep 600"

    async def interrupted() -> tuple[StepResult, ...]:
        steps = tuple(bench.steps().values())
        run = Run(steps, await compare(steps, bench.report), bench.report)
        going, begun = asyncio.create_task(run.all()), asyncio.Event()
        bench.when[f"{TWO}: probe : Set"] = begun.set
        await begun.wait()
        going.cancel()
        results = await going
        assert run.interrupted
        return results

    for result in asyncio.run(interrupted()):
        assert result.outcome is Outcome.FAILED
        assert result.text.startswith("interrupted in `probe : ")
        assert result.hint == f"`rackproof up site-a --only {result.step}`"
        assert bench.file(result.step, "ports.conf") == NEW
    assert bench.left_behind() == []
