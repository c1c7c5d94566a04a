"""What goes wrong on hosts that are machines: each time the host, the cause and the command that goes on are told."""

from __future__ import annotations

import signal
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pytest

from lab.daemon import client
from lab.hosts.requirements import why_not
from rackproof import paths
from tests.conftest import NO_FABRIC
from tests.deploy.nodes.real_lab import ONE, PROGRAM, TWO, RealLab, real_lab

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.lab_hosts, pytest.mark.slow, pytest.mark.proof]

LIMITS: Final = "/etc/security/limits.d/60-rackproof.conf"
"""A file that Rackproof keeps; nothing restarts for it."""
LOSE_IT: Final = f"sudo rm -f {LIMITS}"


@dataclass(frozen=True)
class Fault:
    """A fault of the second host, and what is said about it."""

    name: str
    said: tuple[str, ...]
    hint: str
    parameters: tuple[tuple[str, str], ...] = ()
    before: str = "true"
    """What is done on both hosts, so that there is something to bring up."""


FAULTS: Final = {
    "without power": Fault("dead-host", ("does not answer",), "is it powered and cabled"),
    "hangs": Fault("hung-host", ("answer",), "console"),
    "another host key": Fault("reinstalled-host", ("another host key than the one recorded",), "rackproof trust"),
    "sudo refused": Fault("no-sudo", ("sudo is refused to user rackproof",), "NOPASSWD"),
    "adapter missing": Fault(
        "missing-nic", ("not touched", "rail0: no network adapter at PCI"), "rackproof discover", (("port", "rail0"),)
    ),
    "adapters swapped": Fault(
        "swapped-nics", ("not touched", "is another one: its MAC is"), "rackproof discover",
        (("first", "rail0"), ("second", "frontend0")),
    ),
    "full disk": Fault("full-host-disk", ("No usable temporary directory",), "make room on its disk", before=LOSE_IT),
}  # fmt: skip


@pytest.fixture(scope="module", name="lab")
def _lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealLab]:
    if why_not():
        pytest.skip(NO_FABRIC)
    with real_lab(tmp_path_factory.mktemp("site")) as lab:
        said = lab.rackproof("up", "--yes")
        assert said.status == 0, said.text
        yield lab


@contextmanager
def broken(lab: RealLab, fault: Fault) -> Iterator[None]:
    """Break the second host, and mend it at the end."""
    for host in (ONE, TWO):
        lab.on(host, fault.before)
    client.fault(lab.folder, fault.name, {"host": TWO, **dict(fault.parameters)})
    try:
        yield
    finally:
        client.clear(lab.folder, fault.name)


def resume(lab: RealLab) -> str:
    """Return the command that goes on with the second host."""
    return f"rackproof up {lab.file} --only {TWO}"


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_is_told_with_the_command_that_goes_on(lab: RealLab, fault: Fault) -> None:
    with broken(lab, fault):
        said = lab.rackproof("up", "--yes", "--only", "gpu")

    text = " ".join(said.text.split())
    assert said.status in {1, 2}, said.text
    assert [part for part in (TWO, *fault.said, fault.hint, resume(lab)) if part not in text] == [], said.text
    assert lab.on(ONE, f"cat {LIMITS}").status == 0
    assert lab.rackproof("up", "--yes", "--only", "gpu").status == 0


def test_an_interrupted_run_leaves_whole_files_and_goes_on(lab: RealLab) -> None:
    for host in (ONE, TWO):
        lab.on(host, LOSE_IT)
    words = [str(PROGRAM), "up", str(lab.file), "--yes", "--only", "gpu"]
    with subprocess.Popen(words, cwd=paths.ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as going:
        assert going.stdout is not None
        shown = []
        for line in going.stdout:
            shown.append(line)
            if f"{TWO}: base" in line:
                going.send_signal(signal.SIGINT)
                break
        shown += going.stdout.readlines()

    text = " ".join("".join(shown).split())
    assert "interrupted" in text
    assert resume(lab) in text
    assert lab.rackproof("up", "--yes", "--only", "gpu").status == 0
    assert "2 devices without changes" in lab.rackproof("diff", "--only", "gpu").text
