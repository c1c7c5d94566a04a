"""What tests of checks share: a test that is said to show a check failing has a result of it that is not well."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from validation.verdict.judge import Judge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rackproof.results import Result


@pytest.fixture(autouse=True)
def _shown_failing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Hold the checks that a test is marked with against the judges that it used."""
    named = {check for mark in request.node.iter_markers("shows_failing") for check in mark.args}
    judges: list[Judge] = []
    made = Judge.__init__

    def noted(judge: Judge, *arguments: object, **options: object) -> None:
        made(judge, *arguments, **options)  # type: ignore[arg-type]
        judges.append(judge)

    monkeypatch.setattr(Judge, "__init__", noted)
    yield
    results: list[Result] = [result for judge in judges for result in judge.results]
    assert named <= {result.check_id for result in results if result.state in {"failed", "error"}}
