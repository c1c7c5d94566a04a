"""What a run keeps of its devices, and the progress that it tells."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rackproof.errors import RackproofError
from rackproof.facts.fact import Answer, FactError
from validation.runner.results_writer import Events
from validation.verdict.run_folder import DEVICES_KEPT, RunFolder

ANSWERS = {"hostname": Answer("gpu-001\n", 0)}


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    (tmp_path / "facts").mkdir()
    return RunFolder(tmp_path)


def test_device_is_read_once_whoever_asks_first(run: RunFolder) -> None:
    run.write_answers("a", ANSWERS)
    run.write_answers("b", RackproofError("no route to host", "is it on?"))
    assert run.no_answer("a") is None
    assert (silence := run.no_answer("b")) is not None
    assert (silence.silent, silence.hint) == ("no route to host", "is it on?")
    for file in (run.path / "facts").iterdir():
        file.unlink()

    assert run.answers("a") == ANSWERS
    with pytest.raises(FactError, match="b did not answer: no route to host"):
        run.answers("b")


def test_device_that_comes_later_is_not_taken_for_silent(run: RunFolder) -> None:
    assert not run.was_asked("a")
    assert run.no_answer("a") is not None
    run.write_answers("a", ANSWERS)

    assert run.was_asked("a")
    assert run.answers("a") == ANSWERS


def test_few_devices_stay_in_memory(run: RunFolder) -> None:
    names = [f"gpu-{number:03}" for number in range(DEVICES_KEPT + 1)]
    for name in names:
        run.write_answers(name, ANSWERS)
        run.answers(name)
    for name in names:
        (run.path / run.log_name(name)).unlink()

    assert [name for name in names if run.no_answer(name)] == names[:1]


@pytest.mark.parametrize("text", [b"", b'{"hostname":[0,"gpu', b"[]", b'{"hostname":[0,"\xff",""]}', b"{a}"])
def test_damaged_recording_is_a_silence_with_its_reason(run: RunFolder, text: bytes) -> None:
    (run.path / run.log_name("a")).write_bytes(text)

    with pytest.raises(FactError, match="a did not answer: its file of answers cannot be read: ") as caught:
        run.answers("a")
    assert caught.value.hint == "gather its facts again"


def test_run_goes_on_when_nobody_listens_any_more() -> None:
    reading, writing = os.pipe()
    events = Events(Path(f"/dev/fd/{writing}"))
    events.write(device="a", answered=True)
    os.close(reading)
    os.close(writing)

    events.write(device="b", answered=True)
    events.write(verdict="failed")
