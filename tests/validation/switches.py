"""Replays recorded switches to the suites about switches: all of them, or one with a change in what it said."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from rackproof.errors import RackproofError
from rackproof.facts.hosts.recording import decode_answers
from rackproof.plan.from_file import PlannedSite, plan_site
from rackproof.site.as_built import AsBuilt
from validation.expected.advertised_prefixes import advertised_prefixes
from validation.expected.cable_index import index_cables
from validation.expected.subjects import SiteUnderTest, Switch
from validation.runner.catalogue import check_id, marks
from validation.suites import (
    test_cabling,
    test_configuration,
    test_links,
    test_overlay,
    test_roce_switches,
    test_switch_inventory,
    test_underlay,
)
from validation.verdict.evidence import EvidenceBook
from validation.verdict.judge import Judge, Rules
from validation.verdict.run_folder import RunFolder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from rackproof.facts.fact import Answers
    from rackproof.plan.model.plan import Plan
    from rackproof.results import Result
    from validation.expected.advertised_prefixes import AdvertisedPrefixes
    from validation.expected.cable_index import Cables

ROOT: Final = Path(__file__).resolve().parents[2]
RECORDINGS: Final = Path(__file__).parent / "recordings" / "switches"
SITES: Final = {
    "clos": ROOT / "lab/sites/clos/site.yaml",
    "spectrum": ROOT / "tests/deploy/spectrum.yaml",
    "pair": ROOT / "tests/deploy/pair.yaml",
    "dell-era-2-4-3": ROOT / "inventory/dell-era-2-4-3/site.yaml",
}
RECORDED: Final = {
    "clos": ("backend-leaf-01", "backend-spine-01", "backend-spine-02", "oob-leaf-01"),
    "spectrum": ("backend-leaf-01", "backend-leaf-02", "frontend-leaf-01", "frontend-leaf-02"),
    "pair": ("frontend-leaf-01", "frontend-leaf-02"),
    "dell-era-2-4-3": ("backend-leaf-01", "backend-leaf-02"),
}
SUITES: Final = (
    test_cabling,
    test_links,
    test_underlay,
    test_overlay,
    test_roce_switches,
    test_configuration,
    test_switch_inventory,
)
SONIC: Final = "sonic-cli -c '{}'"

Change = tuple[str, str, str, str]
"""Device, command (of sonic-cli, or of the shell), what it said, what it says instead."""


@dataclass(frozen=True)
class RecordedSite:
    """What checks of switches look at of a site."""

    planned: PlannedSite
    run: RunFolder
    evidence: EvidenceBook = field(default_factory=lambda: EvidenceBook(replayed=True))
    as_built: AsBuilt = field(default_factory=AsBuilt)

    @property
    def plan(self) -> Plan:
        return self.planned.plan

    @cached_property
    def cables(self) -> Cables:
        return index_cables(self.plan)

    @property
    def advertised_prefixes(self) -> AdvertisedPrefixes:
        return advertised_prefixes(self.planned, self.cables, self.evidence.absent)


@cache
def planned(site: str) -> PlannedSite:
    return plan_site(SITES[site])


@cache
def recorded(site: str, device: str) -> Answers:
    return decode_answers((RECORDINGS / site / f"{device}.json").read_bytes())


def replayed(site: str, folder: Path, *changes: Change) -> SiteUnderTest:
    """A site whose switches say what was recorded of them, but for some changes."""
    (folder / "facts").mkdir(parents=True, exist_ok=True)
    run = RunFolder(folder)
    for device in RECORDED[site]:
        answers = dict(recorded(site, device))
        for _, command, before, after in (change for change in changes if change[0] == device):
            word = command if command in answers else SONIC.format(command)
            text = answers[word].output
            assert before in text, (command, before, text[:400])
            answers[word] = answers[word]._replace(output=text.replace(before, after, 1))
        run.write_answers(device, answers)
    return cast("SiteUnderTest", RecordedSite(planned(site), run))


def checks() -> Iterator[tuple[str, Callable[..., None], list[Callable[[Switch], bool]]]]:
    """Every check of the suites: its ID, the function, and when it is for a switch."""
    for suite in SUITES:
        for name, function in vars(suite).items():
            if name.startswith("test_") and function.__module__ == suite.__name__:
                predicates = [mark.args[0] for mark in marks(function) if mark.name == "applies_to"]
                yield check_id(suite.__name__, name), function, predicates


def judged(site: SiteUnderTest, device: str) -> list[Result]:
    """The results of all checks on one switch."""
    found: list[Result] = []
    rules = Rules(devices=tuple(site.plan.switches))
    for check, function, predicates in checks():
        judge = Judge(check, device, rules)
        switch = Switch(device, site, judge.add_evidence)
        if all(predicate(switch) for predicate in predicates):
            try:
                function(cast("Any", switch), judge)
            except RackproofError as error:
                judge.error_from(device, error)
            found += judge.results or [Judge(check, device)._result(device, "error", message="it judged nothing")]
    return found


def states(results: list[Result]) -> Mapping[str, int]:
    return Counter(result.state for result in results)


def failed(results: list[Result]) -> dict[str, list[Result]]:
    """Check to its results that failed."""
    found: dict[str, list[Result]] = {}
    for result in results:
        if result.state == "failed":
            found.setdefault(result.check_id, []).append(result)
    return found


class Case(NamedTuple):
    """What one switch says differently, and what then fails."""

    site: str
    device: str
    changes: tuple[Change, ...]
    checks: tuple[str, ...]
    subject: str
    said: tuple[str, ...]
    """Parts of the first check's message or remedy."""


def shows(case: Case, folder: Path) -> None:
    """Make sure that a change fails the checks that it breaks, no other, and says what is wrong."""
    found = failed(judged(replayed(case.site, folder, *case.changes), case.device))
    assert set(found) == set(case.checks)
    first = next(one for one in found[case.checks[0]] if one.subject == case.subject)
    for part in case.said:
        assert part in f"{first.message} {first.remedy}"
