"""The checks of servers as plain testinfra: each test asks its host over SSH, command by command, what it must know.

Run by ``validate.py``: ``pytest benchmarks/plain_testinfra.py --hosts=... --ssh-config=...``. The checks are the same
functions; only what answers them differs. A command that a check does not look at is not run, and one that it looks at
twice is run once: that is what somebody would write by hand.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import pytest
from typing_extensions import override

from rackproof.facts.fact import Answer, Fact
from rackproof.plan.from_file import host_sources, plan_site
from rackproof.site.as_built import load_as_built
from tests.validation.recorded import checks_of
from validation.expected.subjects import Server, SiteUnderTest
from validation.runner.catalogue import check_id, marks, modules
from validation.runner.session_setup import NO_ACCESS
from validation.verdict.evidence import of_site
from validation.verdict.judge import Judge
from validation.verdict.run_folder import RunFolder

if TYPE_CHECKING:
    from types import FunctionType

T = TypeVar("T")

FOLDER: Final = Path(os.environ.get("RACKPROOF_BENCHMARK", "."))


class Asked(Mapping[str, Answer]):
    """Answers of a host, asked for when somebody looks at them."""

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
class AskedServer(Server):
    """A server whose facts are asked for one by one."""

    asked: Asked

    @property
    @override
    def answers(self) -> Asked:
        return self.asked

    @override
    def fact(self, fact: Fact[T]) -> T:
        return fact.parse(self.asked)


@cache
def site() -> SiteUnderTest:
    """Return the site, read once."""
    planned = plan_site(FOLDER / "site.yaml")
    sources = host_sources(planned, load_as_built(FOLDER / "as-built.yaml"))
    return SiteUnderTest(planned, NO_ACCESS, sources, RunFolder(FOLDER), of_site())


def passive_checks() -> list[FunctionType]:
    """Return the checks of servers that only look."""
    found = (cast("FunctionType", check) for suite in modules() for check in checks_of(suite))
    return [one for one in found if not {mark.name for mark in marks(one)} & {"live", "disruptive"}]


def applies(check: FunctionType, server: Server) -> bool:
    """Whether a check is for a server."""
    return all(mark.args[0](server) for mark in marks(check) if mark.name == "applies_to")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a test of each check; the servers of the site are alike."""
    first = Server(next(iter(site().plan.servers)), site())
    found = [check for check in passive_checks() if applies(check, first)]
    metafunc.parametrize("check", found, ids=lambda check: check_id(check.__module__, check.__name__))


def test_check(host: Any, check: FunctionType) -> None:  # noqa: ANN401 testinfra's
    """Judge one server by one check."""
    name = host.backend.host.name
    judge = Judge(check_id(check.__module__, check.__name__), name)
    if "reach" not in judge.check_id:
        check(AskedServer(name, site(), judge.saw, asked=Asked(host)), judge)
        if judge.state != "passed":
            pytest.fail(judge.text())
