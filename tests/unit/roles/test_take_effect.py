"""Handlers: check mode says what a run does, and does nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from rackproof.paths import PLAYBOOKS

if TYPE_CHECKING:
    from pathlib import Path

MODULE = PLAYBOOKS / "plugins" / "modules" / "take_effect.py"


def answer(folder: Path, *argv: str, check_mode: bool = False) -> dict[str, Any]:
    """Run the module as Ansible does and return what it answers."""
    asked = folder / "asked.json"
    asked.write_text(json.dumps({"ANSIBLE_MODULE_ARGS": {"argv": argv, "_ansible_check_mode": check_mode}}))
    done = subprocess.run([sys.executable, MODULE, asked], capture_output=True, text=True, check=False)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.mark.parametrize("check_mode", [True, False])
def test_check_mode_tells_of_the_change_and_leaves_it(tmp_path: Path, *, check_mode: bool) -> None:
    trace = tmp_path / "trace"

    assert answer(tmp_path, "touch", str(trace), check_mode=check_mode)["changed"] is True
    assert trace.exists() is not check_mode


def test_a_command_that_fails_is_told_in_its_own_words(tmp_path: Path) -> None:
    said = answer(tmp_path, "sh", "-c", "echo 'line 3: what is this' >&2; exit 1")

    assert said["failed"] is True
    assert said["msg"].endswith(": line 3: what is this")
