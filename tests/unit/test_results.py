"""The gate: what a run's results come to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from rackproof.errors import BadInputError
from rackproof.results import Expected, Result, Run, State, Threshold, Verdict, encoded, exit_status, load_run, weakest

if TYPE_CHECKING:
    from pathlib import Path

EXPECTED = (Expected("gpu/count", "gpu-001"),)


def make_run(*states: State, **others: Any) -> Run:  # noqa: ANN401 fields of a run
    results = tuple(Result("gpu/count", f"gpu-001:{number}", state, "gpu-001") for number, state in enumerate(states))
    empty = dict.fromkeys(("assumptions", "not_proven", "checks", "devices"), ())
    return Run(
        **{
            "schema_version": 1, "site": "s", "release": "r", "started": "", "ended": "", "rackproof": "0",
            "rehearsal": False, "selected": False, "hashes": {}, "commands": {}, "expected": EXPECTED,
            "results": results, **empty, **others,
        }
    )  # fmt: skip


@pytest.mark.parametrize(
    ("run", "status", "verdict"),
    [
        (make_run("passed", "waived"), 0, "passed"),
        (make_run("passed", rehearsal=True), 0, "rehearsal passed"),
        (make_run("passed", "failed", "error"), 1, "failed"),
        (make_run("passed", "error"), 2, "incomplete"),
        (make_run("passed", "skipped"), 2, "incomplete"),
        (make_run("passed", "skipped", rehearsal=True), 0, "rehearsal passed"),
        (make_run("passed", expected=(*EXPECTED, Expected("gpu/count", "gpu-002"))), 2, "incomplete"),
        (make_run("passed", selected=True), 2, "incomplete"),
        (make_run("passed", interrupted=True), 2, "incomplete"),
        (make_run(expected=()), 2, "incomplete"),
    ],
)
def test_what_is_not_known_never_passes(run: Run, status: int, verdict: Verdict) -> None:
    assert (exit_status(run), run.verdict) == (status, verdict)


def test_a_run_comes_back_from_its_file_as_it_was(tmp_path: Path) -> None:
    limit = Threshold(384.0, "Gb/s", "at least", "a list", ceiling=392.1)
    run = make_run("failed")
    run = msgspec.structs.replace(run, results=(msgspec.structs.replace(run.results[0], threshold=limit),))
    path = tmp_path / "run.json"
    path.write_bytes(encoded(run))

    assert load_run(path) == run


@pytest.mark.parametrize("text", ["", "[]", '{"site": 1}'])
def test_another_file_is_not_taken_for_a_run(tmp_path: Path, text: str) -> None:
    path = tmp_path / "run.json"
    path.write_text(text)

    with pytest.raises(BadInputError, match=r"run\.json is not the result"):
        load_run(path)


def test_a_limit_is_kept_or_not() -> None:
    at_least, at_most = (Threshold(5.0, "us", comparison, "a list") for comparison in ("at least", "at most"))

    assert [at_least.allows(value) for value in (4.9, 5.0)] == [False, True]
    assert [at_most.allows(value) for value in (5.0, 5.1)] == [True, False]
    assert str(at_most) == "at most 5 us"


def test_a_chain_of_evidence_is_as_good_as_its_weakest_link() -> None:
    assert weakest(["real", "recorded", "simulated"]) == "recorded"
    assert weakest([]) == "real"
