"""A run of Ansible whose process is killed leaves neither a key nor a process that works on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rackproof.deploy.nodes import private_folder, watchdog
from rackproof.deploy.process_identity import this_process

if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT_S = 20.0
PROGRAM = """
import os, subprocess, sys
from pathlib import Path
from rackproof.deploy.nodes.private_folder import watched, written
folder, in_memory = map(Path, sys.argv[1:])
with watched(folder, in_memory):
    written(in_memory / "key-0", "PRIVATE KEY", 0o600)
    variables = {**os.environ, "ANSIBLE_HOME": f"{folder}/home"}
    subprocess.Popen(["sleep", "600"], env=variables, start_new_session=True)
    worker = subprocess.Popen(["sleep", "600"], start_new_session=True)
    (folder / "pid").write_text(str(worker.pid))
    print("ready", flush=True)
    sys.stdin.read()
"""


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_run_leaves_no_key_and_no_process(tmp_path: Path, number: signal.Signals) -> None:
    folder, in_memory = tmp_path / "run", tmp_path / "memory"
    folder.mkdir()
    in_memory.mkdir()
    words = [sys.executable, "-c", PROGRAM, str(folder), str(in_memory)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        leader = watchdog.ansible_process(folder)
        (worker,) = watchdog.run_processes(folder)
        assert leader is not None
        assert (in_memory / "key-0").is_file()
        process.send_signal(number)
        process.wait()
        wait_until(lambda: not folder.exists() and not in_memory.exists())
    wait_until(lambda: not any(is_running(one) for one in (leader, worker)))


def is_running(process: int) -> bool:
    """Whether a process runs; one that has ended and waits for its parent does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_folders_of_dead_runs_are_swept_and_those_of_living_ones_stay(tmp_path: Path) -> None:
    here = private_folder.owner_text(this_process())
    with subprocess.Popen(["true"]) as ended:
        ended.wait()
    dead = tmp_path / f"{private_folder.PREFIX}{ended.pid}-1-abc"
    reused = tmp_path / f"{private_folder.PREFIX}{os.getpid()}-1-abc"
    living = tmp_path / f"{private_folder.PREFIX}{here}-abc"
    foreign = tmp_path / "rackproof-notes"
    for folder in (dead, reused, living, foreign):
        folder.mkdir()
    private_folder.sweep([tmp_path])
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted((living.name, foreign.name))
