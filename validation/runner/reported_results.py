"""The results inside pytest's report of a test, and the outcome that follows from them."""

from typing import Final

import msgspec
import pytest

from rackproof.errors import RackproofError
from rackproof.results import Result, State
from validation.verdict.judge import Judge

RESULTS: Final = "rackproof.results"
"""Property of a report: its results as JSON."""
NOTHING_JUDGED: Final = "the check added no result"

_DECODER: Final = msgspec.json.Decoder(list[Result])


def with_results(report: pytest.TestReport, call: pytest.CallInfo[None], judge: Judge) -> pytest.TestReport:
    """Return a report whose outcome is that of its results, with the results in its properties.

    A setup that went well says nothing yet, and neither does what is taken down well.
    """
    if call.excinfo is None and call.when != "call":
        return report
    if call.excinfo is not None:
        _note_exception(judge, call)
    elif not judge.results:
        judge.error(judge.device or judge.check_id, NOTHING_JUDGED, "this is a defect of the check")
    judge.results[0] = msgspec.structs.replace(judge.results[0], duration_s=round(call.duration, 6))
    report.user_properties = [(RESULTS, msgspec.json.encode(judge.results).decode())]
    _set_outcome(report, judge)
    return report


def reported_results(report: pytest.TestReport) -> list[Result]:
    """Return the results in a report."""
    return [one for name, text in report.user_properties if name == RESULTS for one in _DECODER.decode(str(text))]


def without_results(report: pytest.TestReport) -> list[tuple[str, object]]:
    """Return the other properties of a report: pytest keeps reports to its end, and the results are kept elsewhere."""
    return [(name, value) for name, value in report.user_properties if name != RESULTS]


def reported_state(report: pytest.TestReport) -> State | None:
    """Return the state of a test as it is shown; None: it has none yet."""
    found: State | None = getattr(report, "state", None)
    return found


def _set_outcome(report: pytest.TestReport, judge: Judge) -> None:
    state = judge.state
    report.state = state  # type: ignore[attr-defined]  # reports carry more attributes from process to process
    if state in {"failed", "error"}:
        report.outcome, report.longrepr = "failed", judge.failure_text()
    elif state == "skipped":
        reasons = "; ".join(dict.fromkeys(one.message for one in judge.results))
        report.outcome, report.longrepr = "skipped", (str(report.fspath), 0, f"Skipped: {reasons}")
    else:
        report.outcome, report.longrepr = "passed", None


def _note_exception(judge: Judge, call: pytest.CallInfo[None]) -> None:
    """Turn what a check raised into a result."""
    assert call.excinfo is not None  # noqa: S101 the caller has looked
    error, subject = call.excinfo.value, judge.device or judge.check_id
    if isinstance(error, pytest.skip.Exception):
        judge.skip(subject, error.msg or "no reason given")
    elif isinstance(error, RackproofError):
        judge.error_from(subject, error)
    elif isinstance(error, AssertionError | pytest.fail.Exception):
        said = str(error).strip().splitlines() or ["the check's assertion"]
        judge.expect(subject, ok=False, expected="what the check asserts", actual=said[0], remedy="the log says more")
    else:
        judge.error(subject, f"{type(error).__name__}: {error}", "this is a defect of the check")
