"""A server of a planned site whose answers a test writes, and a check run on it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, cast

import pytest

from rackproof.facts.fact import FactError
from rackproof.plan.from_file import PlannedSite, plan_site
from rackproof.plan.host_intent import HostSources, host_sources
from rackproof.results import Result
from rackproof.site.as_built import AsBuilt
from rackproof.site.load import find_site
from tests.validation.as_meant import Texts, answers_of, texts_of
from validation.evidence import EvidenceBook
from validation.judge import Judge
from validation.prepared import NO_ACCESS
from validation.run_folder import RunFolder
from validation.subjects import Server, SiteUnderTest, Switch
from validation.suites import check_id, marks

if TYPE_CHECKING:
    from pathlib import Path
    from types import FunctionType, ModuleType

    from _pytest.mark import ParameterSet

    from rackproof.facts.fact import Answers

Check = Callable[[Server, Judge], None]

NVIDIA: Final = "dell-xe9680-spectrum-x"
"""A site whose servers have adapters of NVIDIA, set by mlnx_qos, and NFS over RDMA."""
BROADCOM: Final = "metrum-h200"
"""A site whose servers have adapters of Broadcom, set by dcb."""
TCP_STORAGE: Final = "dell-era-2-8-9"
"""A site with NFS over TCP."""
NAME: Final = "gpu-001"


@cache
def planned(site: str) -> PlannedSite:
    return plan_site(find_site(site))


@cache
def sources(site: str) -> HostSources:
    return host_sources(planned(site), AsBuilt())


@dataclass
class Bench:
    """A server that answers, for the checks of a suite."""

    folder: Path
    site: str = NVIDIA
    evidence: EvidenceBook = EvidenceBook()  # noqa: RUF009 frozen

    def under_test(self) -> SiteUnderTest:
        return SiteUnderTest(planned(self.site), NO_ACCESS, sources(self.site), RunFolder(self.folder), self.evidence)

    def server(self, judge: Judge) -> Server:
        return Server(NAME, self.under_test(), judge.saw)

    def switch(self, name: str, answers: Answers, judge: Judge) -> Switch:
        """Return a switch that answers."""
        (self.folder / "facts").mkdir(exist_ok=True)
        RunFolder(self.folder).keep(name, answers)
        return Switch(name, self.under_test(), judge.saw)

    def good(self) -> Texts:
        """Return what it says when all is as meant."""
        server, external = self.server(Judge("")), planned(self.site).loaded.site.external
        dns, ntp = (tuple(map(str, addresses)) for addresses in (external.dns, external.ntp))
        return texts_of(server.intent, server.plan, dns=dns, ntp=ntp)

    def results(self, check: Check, texts: Texts) -> list[Result]:
        """Return what a check makes of answers; what a device does not tell is an error, as in a run."""
        (self.folder / "facts").mkdir(exist_ok=True)
        judge = Judge(check_id(check.__module__, check.__name__), NAME)
        RunFolder(self.folder).keep(NAME, dict(answers_of(texts)))
        try:
            check(self.server(judge), judge)
        except FactError as error:
            judge.failed_with(NAME, error)
        return judge.results

    def states(self, checks: tuple[Check, ...], texts: Texts) -> dict[str, str]:
        """Return the worst state of each check that applies."""
        return {check.__name__: worst(self.results(check, texts)) for check in checks if self.applies(check)}

    def applies(self, check: Check) -> bool:
        server = self.server(Judge(""))
        return all(mark.args[0](server) for mark in marks(cast("FunctionType", check)) if mark.name == "applies_to")


def worst(results: list[Result]) -> str:
    states = {str(result.state) for result in results} or {"nothing judged"}
    return next(one for one in ("nothing judged", "failed", "error", "skipped", "passed") if one in states)


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong on a server, and what is said of it."""

    check: str
    """The one that fails; no other check of the suite does."""
    subject: str
    says: str
    """Part of the message."""
    command: str
    before: str
    after: str
    """What the command prints instead."""
    count: int = -1
    site: str = NVIDIA
    untold: tuple[str, ...] = ()
    """Checks that cannot tell any more, because of the fault."""

    def happens(self, suite: ModuleType, folder: Path) -> None:
        """Hold what the suite says of the fault against what it must say."""
        bench = Bench(folder, self.site)
        checks = checks_of(suite)
        texts = changed(bench.good(), self.command, self.before, self.after, self.count)
        states = bench.states(checks, texts)
        assert {name for name, state in states.items() if state == "failed"} == {self.check}
        assert {name for name, state in states.items() if state == "error"} == set(self.untold)
        failed = [one for one in bench.results(named(suite, self.check), texts) if one.state == "failed"]
        assert [one.subject for one in failed] == [self.subject]
        assert self.says in failed[0].message
        assert failed[0].remedy


def shown(suite: ModuleType, faults: Mapping[str, Fault]) -> list[ParameterSet]:
    """Return faults as parameters of a test, each marked with the check that it shows failing."""
    return [
        pytest.param(fault, id=name, marks=pytest.mark.shows_failing(check_id(suite.__name__, fault.check)))
        for name, fault in faults.items()
    ]


def named(suite: ModuleType, check: str) -> Check:
    found: Check = vars(suite)[check]
    return found


def all_pass(suite: ModuleType, folder: Path, *sites: str) -> None:
    """Hold that every check of a suite passes, where it applies, on servers of the sites; each applies to one."""
    passed: set[str] = set()
    for site in sites:
        bench = Bench(folder, site)
        states = bench.states(checks_of(suite), bench.good())
        assert {name: state for name, state in states.items() if state != "passed"} == {}, site
        passed |= set(states)
    assert passed == {check.__name__ for check in checks_of(suite)}


def checks_of(suite: ModuleType) -> tuple[Check, ...]:
    """Return the checks of a suite that look at servers."""
    found = (check for name, check in vars(suite).items() if name.startswith("test_"))
    return tuple(check for check in found if "server" in inspect.signature(check).parameters)


def changed(texts: Texts, command: str, before: str, after: str, count: int = -1) -> Texts:
    """Return answers of which one was changed; what is replaced must be there."""
    assert before in texts[command], f"{before!r} is not in {texts[command][:400]}"
    return {**texts, command: texts[command].replace(before, after, count)}
