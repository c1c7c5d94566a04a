"""The checks of servers as plain testinfra: each test runs its commands on its host over SSH, one by one.

Run by ``validate.py``: ``pytest benchmarks/plain_testinfra.py --hosts=... --ssh-config=...``. The checks are the same
functions; only the source of their answers differs. Checks of management controllers are absent: what they read comes
over Redfish, not from a command. A command whose output no check reads is not run, and one that is
read twice is run once, as a suite written by hand would do.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import pytest
from typing_extensions import override

from rackproof.facts.fact import Answer, Fact
from rackproof.plan.from_file import host_sources, plan_site
from rackproof.site.as_built import load_as_built
from tests.validation.recorded import server_checks
from validation.expected.subjects import Server, SiteUnderTest
from validation.runner.catalogue import check_id, marks, suite_modules
from validation.runner.session_setup import NO_ACCESS
from validation.suites import test_server_settings
from validation.verdict.evidence import site_evidence
from validation.verdict.judge import Judge
from validation.verdict.run_folder import RunFolder

if TYPE_CHECKING:
    from types import FunctionType

T = TypeVar("T")

FOLDER: Final = Path(os.environ.get("RACKPROOF_BENCHMARK", "."))


class LazyAnswers(Mapping[str, Answer]):
    """Answers of a host; each command runs when its answer is first read."""

    def __init__(self, host: Any) -> None:  # noqa: ANN401 testinfra's
        self._host = host
        self._known: dict[str, Answer] = {}

    def __getitem__(self, command: str) -> Answer:
        if command not in self._known:
            ran = self._host.run(command)
            self._known[command] = Answer(ran.stdout, ran.rc, ran.stderr)
        return self._known[command]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


@dataclass(frozen=True, kw_only=True)
class LazyServer(Server):
    """A server whose commands run one by one."""

    lazy_answers: LazyAnswers

    @property
    @override
    def answers(self) -> LazyAnswers:
        return self.lazy_answers

    @override
    def fact(self, fact: Fact[T]) -> T:
        return fact.parse(self.lazy_answers)


@cache
def site() -> SiteUnderTest:
    """Return the site, read once."""
    planned = plan_site(FOLDER / "site.yaml")
    sources = host_sources(planned, load_as_built(FOLDER / "as-built.yaml"))
    return SiteUnderTest(planned, NO_ACCESS, sources, RunFolder(FOLDER), site_evidence())


def passive_checks() -> list[FunctionType]:
    """Return the passive checks of servers that read commands."""
    suites = [suite for suite in suite_modules() if suite is not test_server_settings]
    found = (cast("FunctionType", check) for check in chain.from_iterable(map(server_checks, suites)))
    return [one for one in found if not {mark.name for mark in marks(one)} & {"live", "disruptive"}]


def applies(check: FunctionType, server: Server) -> bool:
    """Return whether a check applies to a server."""
    return all(mark.args[0](server) for mark in marks(check) if mark.name == "applies_to")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a test for each check; all servers of the site have the same plan."""
    first = Server(next(iter(site().plan.servers)), site())
    found = [check for check in passive_checks() if applies(check, first)]
    metafunc.parametrize("check", found, ids=lambda check: check_id(check.__module__, check.__name__))


def test_check(host: Any, check: FunctionType) -> None:  # noqa: ANN401 testinfra's
    """Judge one server by one check."""
    name = host.backend.host.name
    judge = Judge(check_id(check.__module__, check.__name__), name)
    if "reach" not in judge.check_id:
        check(LazyServer(name, site(), judge.add_evidence, lazy_answers=LazyAnswers(host)), judge)
        if judge.state != "passed":
            pytest.fail(judge.failure_text())
