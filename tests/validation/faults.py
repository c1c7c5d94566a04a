"""Faults of a server's network: one answer is not as meant, and one check of a suite says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pytest

from rackproof.plan.from_file import host_sources
from rackproof.plan.hosts.intent import host_intent
from rackproof.site.as_built import AsBuilt
from tests.validation.as_planned import planned_answers, planned_texts
from tests.validation.recorded import judged, not_passed, planned, recorded_server, server_checks
from validation.runner.catalogue import check_id

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import ModuleType

    from _pytest.mark import ParameterSet

    from rackproof.facts.fact import Answer
    from validation.expected.subjects import Server

NVIDIA: Final = "dell-xe9680-spectrum-x"
"""A site whose servers have adapters of NVIDIA, set by mlnx_qos, and NFS over RDMA."""
BROADCOM: Final = "metrum-h200"
"""A site whose servers have adapters of Broadcom, set by dcb."""
TCP_STORAGE: Final = "dell-era-2-8-9"
"""A site with NFS over TCP."""
NAME: Final = "gpu-001"


def good(site: str) -> dict[str, Answer]:
    """What the first server of a site says when all is as meant."""
    found = planned(site)
    external = found.loaded.site.external
    dns, ntp = (tuple(map(str, addresses)) for addresses in (external.dns, external.ntp))
    intent = host_intent(host_sources(found, AsBuilt()), NAME)
    return planned_answers(planned_texts(intent, found.plan.servers[NAME], dns=dns, ntp=ntp))


def server(folder: Path, answers: Mapping[str, Answer], site: str = NVIDIA) -> Server:
    return recorded_server(folder, answers, site=site, name=NAME, as_built=AsBuilt())


def edited(answers: Mapping[str, Answer], command: str, before: str, after: str, count: int = -1) -> dict[str, Answer]:
    """Return answers of which one says something else; what is replaced must be there."""
    answer = answers[command]
    assert before in answer.output, f"{before!r} is not in {answer.output[:400]}"
    return {**answers, command: answer._replace(output=answer.output.replace(before, after, count))}


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
        broken = server(folder, edited(good(self.site), self.command, self.before, self.after, self.count), self.site)
        found = not_passed([suite], broken)
        assert set(found) == {check_id(suite.__name__, name) for name in (self.check, *self.untold)}
        (said,) = found.pop(check_id(suite.__name__, self.check))
        assert said.startswith(f"failed {self.subject}: ")
        assert self.says in said
        assert all(line.startswith("error ") for lines in found.values() for line in lines)
        assert all(one.remedy for one in judged(vars(suite)[self.check], broken) if one.state == "failed")


def shown(suite: ModuleType, faults: Mapping[str, Fault]) -> list[ParameterSet]:
    """Return faults as parameters of a test, each marked with the check that it shows failing."""
    return [
        pytest.param(fault, id=name, marks=pytest.mark.shows_failing(check_id(suite.__name__, fault.check)))
        for name, fault in faults.items()
    ]


def all_pass(suite: ModuleType, folder: Path, *sites: str) -> None:
    """Hold that every check of a suite passes, where it applies, on servers of the sites; each applies to one."""
    judging: set[str] = set()
    for site in sites:
        healthy = server(folder / site, good(site), site)
        assert not_passed([suite], healthy) == {}, site
        judging |= {check.__name__ for check in server_checks(suite) if judged(check, healthy)}
    assert judging == fault_names(suite)


def fault_names(suite: ModuleType) -> set[str]:
    """Return the names of the checks of a suite that look at servers."""
    return {check.__name__ for check in server_checks(suite)}
