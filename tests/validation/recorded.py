"""A server that answers as recorded, before the judge: for tests of suites, with the framework's own classes."""

from __future__ import annotations

import base64
import inspect
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from rackproof.errors import RackproofError
from rackproof.facts.fact import Answer
from rackproof.facts.hosts import system
from rackproof.paths import INVENTORY
from rackproof.plan.from_file import PlannedSite, host_sources, plan_site
from rackproof.site.as_built import AsBuilt, load_as_built
from validation.expected.subjects import Server, SiteUnderTest
from validation.runner.catalogue import check_id, marks
from validation.runner.session_setup import NO_ACCESS
from validation.verdict.evidence import replay_evidence
from validation.verdict.judge import Judge, Rules
from validation.verdict.run_folder import RunFolder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FunctionType, ModuleType

    from rackproof.facts.fact import Answers
    from rackproof.results import Result

RECORDINGS: Final = Path(__file__).parent / "recordings"


@cache
def planned(site: str) -> PlannedSite:
    """A site of the inventory."""
    return plan_site(INVENTORY / site / "site.yaml")


def recorded(name: str) -> dict[str, Answer]:
    """The answers of a recording, which says where it comes from."""
    document: dict[str, Any] = msgspec.json.decode((RECORDINGS / name).read_bytes())
    assert document["source"]
    return {command: Answer(output, status, error) for command, (status, output, error) in document["answers"].items()}


def changed(answers: Answers, command: str, old: str, new: str) -> dict[str, Answer]:
    """The same answers, one of them changed in one place."""
    answer = answers[command]
    assert old in answer.output, f"{old!r} is not in what `{command}` printed"
    return {**answers, command: answer._replace(output=answer.output.replace(old, new, 1))}


def with_firmware(answers: Answers, old: bytes, new: bytes) -> dict[str, Answer]:
    """The same answers, but one word of the SMBIOS structures is another."""
    table = base64.b64decode(answers[system.SMBIOS].output)
    assert old in table
    return {**answers, system.SMBIOS: Answer(base64.b64encode(table.replace(old, new, 1)).decode(), 0)}


def recorded_server(
    folder: Path, answers: Answers, *, site: str, name: str = "gpu-001", as_built: AsBuilt | None = None
) -> Server:
    """A server of a site whose only answers are these."""
    (folder / "facts").mkdir(parents=True)
    run = RunFolder(folder)
    run.write_answers(name, answers)
    record = as_built or load_as_built(RECORDINGS / "as-built.yaml")
    sources = host_sources(planned(site), record)
    return Server(name, SiteUnderTest(planned(site), NO_ACCESS, sources, run, replay_evidence()))


def server_checks(suite: ModuleType, argument: str = "server") -> Iterator[Callable[..., None]]:
    """The checks of a suite that take a subject of one kind."""
    for name, function in vars(suite).items():
        if name.startswith("test_") and argument in inspect.signature(function).parameters:
            yield function


def judged(check: Callable[..., None], server: Server) -> list[Result]:
    """What a check finds of a server; nothing where it does not apply."""
    function = cast("FunctionType", check)
    if not all(mark.args[0](server) for mark in marks(function) if mark.name == "applies_to"):
        return []
    judge = Judge(check_id(function.__module__, function.__name__), server.name, Rules(devices={server.name}))
    try:
        check(server, judge)
    except RackproofError as error:
        judge.error_from(server.name, error)
    return judge.results


def not_passed(suites: list[ModuleType], server: Server) -> dict[str, list[str]]:
    """Check to what is not well, a line each, of all checks of some suites."""
    found = {check: judged(check, server) for suite in suites for check in server_checks(suite)}
    return {
        results[0].check_id: [f"{one.state} {one.subject}: {one.message}" for one in bad]
        for results in found.values()
        if (bad := [one for one in results if one.state != "passed"])
    }
