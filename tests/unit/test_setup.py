"""Set-up leaves nothing on the machine that it does not say: above all no policy that keeps services from starting."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

SCRIPTS: Final = Path(__file__).parents[2] / "scripts"
FORBIDDEN: Final = 101
"""What invoke-rc.d(8) takes for: do not start it."""


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    return tmp_path / "policy-rc.d"


def start(policy: Path, command: str) -> subprocess.Popen[str]:
    words = [str(SCRIPTS / "without_services.sh"), "sh", "-c", command, "sh", str(policy)]
    environment = {**os.environ, "POLICY_FILE": str(policy)}
    return subprocess.Popen(words, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("status", [0, 100])
def test_no_service_starts_while_packages_are_installed_and_nothing_stays(policy: Path, status: int) -> None:
    with start(policy, f'"$1"; echo $?; exit {status}') as running:
        assert running.stdout is not None
        assert running.stdout.read() == f"{FORBIDDEN}\n"

    assert running.returncode == status
    assert not policy.exists()


@pytest.fixture
def installing(policy: Path) -> Iterator[subprocess.Popen[str]]:
    """A set-up whose command goes on until its input ends."""
    with start(policy, "echo begun; cat") as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "begun\n"
        yield running


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_an_interrupted_run_removes_its_policy(
    policy: Path, installing: subprocess.Popen[str], number: signal.Signals
) -> None:
    installing.send_signal(number)
    assert installing.stdin is not None
    installing.stdin.close()

    assert installing.wait(timeout=30) == 128 + number
    assert not policy.exists()


def test_the_policy_of_a_killed_run_forbids_nothing_and_is_replaced(
    policy: Path, installing: subprocess.Popen[str]
) -> None:
    installing.kill()
    installing.wait(timeout=30)

    assert policy.exists()
    assert subprocess.run([policy], check=False).returncode == 0
    with start(policy, "true") as again:
        again.communicate()
    assert again.returncode == 0
    assert not policy.exists()


def test_a_second_run_at_the_same_time_is_refused(policy: Path, installing: subprocess.Popen[str]) -> None:
    assert installing.poll() is None
    with start(policy, "true") as second:
        second.communicate()

    assert second.returncode == 1
    assert policy.exists()


def test_a_policy_of_the_machine_itself_stays(policy: Path) -> None:
    policy.write_text("#!/bin/sh\nexit 101\n")

    with start(policy, "true") as running:
        running.communicate()

    assert running.returncode == 0
    assert policy.read_text() == "#!/bin/sh\nexit 101\n"


LAB_ONLY: Final = ("qemu", "mmdebstrap", "lldpd", "nftables")


def test_only_a_lab_installs_the_packages_of_a_lab() -> None:
    text = (SCRIPTS / "setup.sh").read_text(encoding="utf-8")
    functions = {
        found[1]: found[2] for found in re.finditer(r"^(\w+)\(\) \{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL)
    }

    assert '[ "$what" != lab ] || install_lab' in functions["main"]
    assert not [name for name in LAB_ONLY if name in functions["missing_packages"]]


def test_an_unknown_purpose_is_refused_before_anything_is_done() -> None:
    done = subprocess.run([SCRIPTS / "setup.sh", "everything"], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "setup: unknown: everything; give product, lab, pulumi or develop\n"


@pytest.mark.parametrize("script", sorted(SCRIPTS.glob("*.sh")), ids=lambda script: script.name)
def test_scripts_can_be_parsed(script: Path) -> None:
    assert subprocess.run(["bash", "-n", script], check=False).returncode == 0
