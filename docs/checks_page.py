"""The page of the reference about checks: what each proves, its evidence in the lab, and where it is seen failing."""

from __future__ import annotations

import contextlib
import io
from typing import TYPE_CHECKING, Final

import msgspec
import pytest

from rackproof.paths import ROOT
from validation.runner.catalogue import all_checks, suite_titles

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS: Final = ROOT / "tests" / "validation"
EVIDENCE: Final = ROOT / "docs" / "lab-evidence.json"
"""Check to the evidence that it had in a run of the lab; `docs/lab_evidence.py` writes it from that run."""
LEAD: Final = """
# The checks

`rackproof validate <site>` runs them all, `-k <words>` some of them; a waiver names a check by its ID, which is in the
first column. The third column says what a result of the check rests on in the lab: *real* (a kernel and
packets), *simulated* (computed), *recorded* (played back), or why the lab cannot tell. The last one leads to a test in
which the check fails.
"""


class MarkedTests:
    """A plug-in of pytest that notes, at collection, which tests are said to show which check failing."""

    def __init__(self) -> None:
        self.found: dict[str, list[str]] = {}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note the marks."""
        for item in session.items:
            for mark in item.iter_markers("shows_failing"):
                for check in mark.args:
                    self.found.setdefault(check, []).append(item.nodeid.partition("[")[0])


def shown_failing() -> dict[str, str]:
    """Return check to the first test that shows it failing, as path and name."""
    marked = MarkedTests()
    with contextlib.redirect_stdout(io.StringIO()):
        pytest.main(["--collect-only", "-q", "-p", "no:cacheprovider", str(TESTS)], plugins=[marked])
    return {check: tests[0] for check, tests in marked.found.items()}


def lab_evidence() -> dict[str, str]:
    """Return check to its evidence in the lab, in words."""
    if not EVIDENCE.is_file():
        return {}
    return msgspec.json.decode(EVIDENCE.read_bytes(), type=dict[str, str])


def checks_page() -> str:
    """Return the page."""
    return LEAD + "\n".join(["", *_sections()]) + "\n"


def _sections() -> Iterator[str]:
    tests, evidence = shown_failing(), lab_evidence()
    for category, title in suite_titles().items():
        yield from (f"## {category}", "", f"{title}.", "")
        yield from ("| check | proves | in the lab | seen failing in |", "|---|---|---|---|")
        for check in all_checks().values():
            if check.category == category:
                told = f" ({', '.join(check.requirements)})" if check.requirements else ""
                asked = " *Disruptive.*" if check.disruptive else ""
                shown = evidence.get(check.id, "not run")
                yield f"| `{check.id}` | {check.title}{told}.{asked} | {shown} | {_test_link(tests.get(check.id))} |"
        yield ""


def _test_link(node: str | None) -> str:
    if node is None:
        return "**nowhere**"
    path, _, name = node.partition("::")
    return f"[`{name}`](../../{path})"
