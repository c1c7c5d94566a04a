"""The script that runs on a host: what a command came to, and that nothing it does can hold the others up."""

from __future__ import annotations

import ast
import inspect
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rackproof.facts.fact import Answer, FactError, command_output
from rackproof.facts.hosts import kernel_log
from rackproof.facts.hosts.recording import decode_answers, encode_answers
from rackproof.facts.scripts import gather_facts
from rackproof.gather.hosts import script_for

QUICK_S = 0.5


def test_every_command_says_what_it_came_to() -> None:
    text = script_for(["echo one; echo two >&2", "exit 3", "echo one; echo two >&2", "printf 'a\\377b'", "echo $HOME"])

    done = subprocess.run([sys.executable, "-I", "-"], input=text, capture_output=True, text=True, check=True)

    assert json.loads(done.stdout) == {
        "echo one; echo two >&2": [0, "one\n", "two\n"],
        "exit 3": [3, "", ""],
        "printf 'a\\377b'": [0, "a\ufffdb", ""],
        "echo $HOME": [0, "/\n", ""],
    }


def test_script_is_python_3_8_and_needs_nothing_else() -> None:
    tree = ast.parse(inspect.getsource(gather_facts), feature_version=(3, 8))
    imported = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}

    assert imported <= sys.stdlib_module_names
    assert isinstance(tree.body[1], ast.ImportFrom)
    assert tree.body[1].module == "__future__"  # its annotations are of a later Python


def test_a_command_that_hangs_is_ended_with_all_it_started(tmp_path: Path) -> None:
    child = tmp_path / "child"
    hangs = f"echo begun; sh -c 'echo $$ > {child}; exec sleep 600' & wait"

    found = gather_facts.gather([hangs, "echo well"], command_s=QUICK_S)

    assert found["echo well"] == [0, "well\n", ""]
    assert found[hangs] == [None, "begun\n", "ended: it did not end by itself within 0.5 s"]
    until = time.monotonic() + 10
    while alive(int(child.read_text())):
        assert time.monotonic() < until


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and was not waited for does not."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_command_that_closes_its_outputs_and_stays_is_ended() -> None:
    stays = "exec >&- 2>&-; exec sleep 600"

    assert gather_facts.gather([stays], command_s=QUICK_S)[stays][0] is None


def test_a_command_that_prints_without_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gather_facts, "OUTPUT_BYTES", 100_000)

    status, output, error = gather_facts.gather(["yes"])["yes"]

    assert (status, error) == (None, "ended: it printed more than 100000 bytes")
    assert 100_000 < len(output) <= 100_000 + gather_facts.READ_BYTES


def test_all_commands_together_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    hang = [f"sleep 60{number}" for number in range(5)]

    found = gather_facts.gather(hang, total_s=QUICK_S)

    assert [found[command][0] for command in hang] == [None] * 5
    assert "not begun" in found[hang[4]][2]


def test_a_fact_says_why_its_command_was_ended() -> None:
    answers = {"df": Answer("", None, "df: /srv\nended: it did not end by itself within 20 s")}

    with pytest.raises(FactError, match="`df` was ended: it did not end by itself within 20 s"):
        command_output(answers, "df")


def test_a_recording_reads_as_it_was_written() -> None:
    answers = {"b": Answer("x\n", 0), "a": Answer("", None, "ended")}
    text = encode_answers(answers)

    assert decode_answers(text) == answers
    assert text.decode().splitlines()[1] == '"a":[null,"","ended"],'


@pytest.mark.parametrize("text", ['{"a": 1}', "[]", '{"a": ["0", "", ""]}', "no"])
def test_what_is_no_recording_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        decode_answers(text)


@pytest.mark.parametrize(
    ("log", "found"),
    [
        (["-- No entries --"], "0 lines\n"),
        (
            [
                "-- Boot 1 --",
                "a kernel: usb",
                "b kernel: NVRM: Xid (PCI:0000:19:00): 79",
                "c kernel: I/O error, dev sda",
            ],
            "b kernel: NVRM: Xid (PCI:0000:19:00): 79\nc kernel: I/O error, dev sda\n3 lines\n",
        ),
    ],
)
def test_the_kernels_log_says_how_much_of_it_there_is(log: list[str], found: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_text("".join(f"{line}\n" for line in log))
    _, _, filtered = kernel_log.LOG.partition("| ")

    done = subprocess.run(
        ["/bin/sh", "-c", f"cat {tmp_path}/log | {filtered}"], capture_output=True, text=True, check=True
    )

    assert done.stdout == found
