"""Reach: a device that does not answer is a failure of its own, with its reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import pytest

from rackproof.connect.errors import UnreadableError
from validation.expected.subjects import Server, SiteUnderTest, Switch
from validation.suites import test_reach
from validation.verdict.evidence import EvidenceBook
from validation.verdict.judge import Judge
from validation.verdict.run_folder import RunFolder

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class OnlyItsRun:
    """A site of which nothing but the run's folder is looked at."""

    run: RunFolder
    evidence: EvidenceBook = field(default_factory=EvidenceBook)


@pytest.fixture
def site(tmp_path: Path) -> SiteUnderTest:
    (tmp_path / "facts").mkdir()
    return cast("SiteUnderTest", OnlyItsRun(RunFolder(tmp_path)))


KINDS = {
    "server-answers": (test_reach.test_server_answers, Server),
    "switch-answers": (test_reach.test_switch_answers, Switch),
}


@pytest.mark.parametrize(
    "check",
    [
        pytest.param("server-answers", marks=pytest.mark.shows_failing("reach/server-answers")),
        pytest.param("switch-answers", marks=pytest.mark.shows_failing("reach/switch-answers")),
    ],
)
def test_silent_device_is_named_with_its_reason(check: str, site: SiteUnderTest) -> None:
    function, kind = KINDS[check]
    made = cast("Any", kind)
    well, silent = Judge(f"reach/{check}", "a"), Judge(f"reach/{check}", "b")
    site.run.write_answers("a", {})
    site.run.write_answers("b", UnreadableError("b", "it did not answer within 95 s", "does its root hang?"))

    cast("Any", function)(made("a", site, well.add_evidence), well)
    cast("Any", function)(made("b", site, silent.add_evidence), silent)

    assert [one.state for one in well.results] == ["passed"]
    (failed,) = silent.results
    assert (failed.state, failed.subject, failed.remedy) == ("failed", "b", "does its root hang?")
    assert "it did not answer within 95 s" in failed.message
    assert failed.logs == ("facts/b.json",)
