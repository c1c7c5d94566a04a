"""Requirements: the IDs that checks name exist, and each stands as the worst of the checks that answer it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rackproof.report.content.findings import Findings
from rackproof.report.content.requirements import answered, catalogue, unknown
from rackproof.results import Check
from tests.unit.report.runs import failed_run, make_run
from validation.runner.catalogue import all_checks

if TYPE_CHECKING:
    from rackproof.results import Run


def test_the_suites_name_ids_that_exist() -> None:
    assert unknown(all_checks().values()) == []


def test_an_id_that_does_not_exist_is_told() -> None:
    checks = [Check("a/b", "", ("N-016", "N-999")), Check("a/c", "", ("BM1",))]

    assert unknown(checks) == ["a/b: there is no requirement N-999", "a/c: there is no requirement BM1"]


def test_every_id_stands_once() -> None:
    known = catalogue()
    every = [one for document in known.documents.values() for one in (*document.in_scope, *document.others)]

    assert len(every) == len(set(every)) == 296
    assert {"BM01", "CNP02", "CNP10", "N-014", "N-015", "N-016", "N-017"} <= {
        one for document in known.documents.values() for one in document.in_scope
    }


@pytest.mark.parametrize(
    ("run", "answers"),
    [
        (make_run(), {"N-016": "passed", "NET01": "passed", "ATTEST02": "passed", "BM01": "no check"}),
        (failed_run(), {"N-016": "missing", "NET01": "failed", "ATTEST02": "waived", "HWING01": "passed"}),
    ],
)
def test_it_stands_as_the_worst_of_its_checks(run: Run, answers: dict[str, str]) -> None:
    found = {one.id: one.answer for one in answered(Findings(run))}

    assert {one: found[one] for one in answers} == answers
