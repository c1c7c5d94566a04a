"""Where pytest meets the validation: each hook in a few lines, in the order in which they are called."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from rackproof.errors import RackproofError, SiteErrors
from rackproof.measure.traffic.campaign import Campaign
from rackproof.results import load_run
from validation.expected.subjects import Fabric, Server, SiteUnderTest, Switch
from validation.expected.traffic import campaign_on
from validation.runner import collection
from validation.runner.disruption import disruption_messages, start_cold
from validation.runner.gathering import gather
from validation.runner.options import Asked, add_options, asked_of
from validation.runner.reported_results import reported_state, with_results
from validation.runner.results_writer import Events, Recorder
from validation.runner.session_setup import Prepared, hashes, prepare
from validation.verdict.judge import Judge
from validation.verdict.run_folder import RunFolder, new_run_folder

BAD_INPUT: Final = 3
RUN_FOLDER: Final = "rackproof_run_folder"
LETTERS: Final = {"passed": ".", "failed": "F", "error": "E", "skipped": "s", "waived": "w"}

PREPARED: Final = pytest.StashKey[Prepared]()
COLLECTED: Final = pytest.StashKey[collection.Collected]()
DESELECTED: Final = pytest.StashKey[bool]()
JUDGE: Final = pytest.StashKey[Judge]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    add_options(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Read what the run is held against and, in the first process, ask every device before others are started."""
    config = session.config
    asked = asked_of(config)
    if asked is None:
        pytest.exit("which site? give --site <name>, or use `rackproof validate <site>`", returncode=BAD_INPUT)
    worker = getattr(config, "workerinput", None)
    try:
        if worker is not None:
            config.stash[PREPARED] = prepare(asked, RunFolder(Path(worker[RUN_FOLDER])))
        else:
            _begin(config, asked)
    except RackproofError as error:
        pytest.exit(_told(error), returncode=BAD_INPUT)


def _begin(config: pytest.Config, asked: Asked) -> None:
    """Begin a run, in the process that will write it."""
    started = datetime.now(UTC)
    prepared = prepare(asked, RunFolder(Path(os.devnull)))
    if asked.failed:
        _refuse_another_site(prepared)
    run = new_run_folder(prepared.site.plan.site, started)
    config.stash[PREPARED] = prepared = prepared.in_folder(run)
    events = Events(asked.events)
    events.tell(devices=len(prepared.devices), run=str(run.path))
    recorder = Recorder(prepared, started, events)
    for sentence in disruption_messages(prepared):
        _tell(config, f"this run interrupts the site: {sentence}")
    try:
        if asked.cold_start:
            events.tell(doing="restarting everything at once, and waiting until it is back")
            start_cold(prepared)
        gather(prepared, lambda device, answered: events.tell(device=device, answered=answered))
    except KeyboardInterrupt:
        recorder.write(interrupted=True)
        raise
    config.pluginmanager.register(recorder, "rackproof-recorder")


def _tell(config: pytest.Config, line: str) -> None:
    """Say something before the first test."""
    reporter: pytest.TerminalReporter | None = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None:
        reporter.write_line(line)


def _refuse_another_site(prepared: Prepared) -> None:
    """Make sure that what is carried over was found on the same site.

    Raises
    ------
    RackproofError
        It was not.
    """
    before, now = load_run(collection.last_run(prepared)).hashes, hashes(prepared)
    changed = sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
    if changed:
        raise RackproofError(f"{', '.join(changed)} changed since the last run", "run all checks, without --failed")


def _told(error: RackproofError) -> str:
    """Return all of an error as text."""
    lines = [f"{error.message}: {error.hint}" if error.hint else error.message]
    for one in error.errors if isinstance(error, SiteErrors) else ():
        place = f"{one.place.file}:{one.place.line}:{one.place.column}: " if one.place else ""
        lines.append(f"{place}{one.message} ({one.hint})" if one.hint else f"{place}{one.message}")
    return "\n".join(lines)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:  # noqa: ANN401 xdist's, and it may not be there
    """Tell another process which folder the run has."""
    node.workerinput[RUN_FOLDER] = str(node.config.stash[PREPARED].site.run.path)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:  # noqa: ANN401 xdist's, and it may not be there
    """Keep the tests of a device together."""
    from validation.runner.xdist_scheduler import scheduler  # noqa: PLC0415 only where xdist takes part

    return scheduler(config, log)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a test of each subject."""
    collection.parametrise(metafunc, metafunc.config.stash[PREPARED])


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Settle which tests there are, before a person's choice by name or mark."""
    config.stash[COLLECTED] = collection.settle(items, config.stash[PREPARED])


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Note that a person chose."""
    if items:
        items[0].config.stash[DESELECTED] = True


def pytest_collection_finish(session: pytest.Session) -> None:
    """Keep what was collected; every process collects the same."""
    config = session.config
    if COLLECTED in config.stash:
        chosen = config.stash.get(DESELECTED, False)
        left = collection.ended(config.stash[COLLECTED], session.items, deselected=chosen)
        collection.write_collected(left, config.stash[PREPARED])


@pytest.fixture(scope="session")
def site(request: pytest.FixtureRequest) -> SiteUnderTest:
    """The site."""
    return request.config.stash[PREPARED].site


@pytest.fixture(scope="session")
def campaign(request: pytest.FixtureRequest, site: SiteUnderTest) -> Iterator[Campaign]:
    """What live checks run on the site; nothing runs before one asks for it."""
    found = campaign_on(site, request.config.stash[PREPARED].asked.soak_hours)
    yield found
    found.close()


@pytest.fixture
def judge(request: pytest.FixtureRequest) -> Judge:
    """The judge of the check on the device."""
    return _judge_of(request.node)


@pytest.fixture
def server(request: pytest.FixtureRequest, site: SiteUnderTest, judge: Judge) -> Server:
    """Each server of the plan that the check applies to."""
    _here(request.param, site)
    return Server(request.param, site, judge.saw)


@pytest.fixture
def switch(request: pytest.FixtureRequest, site: SiteUnderTest, judge: Judge) -> Switch:
    """Each configured switch of the plan that the check applies to."""
    _here(request.param, site)
    return Switch(request.param, site, judge.saw)


@pytest.fixture
def fabric(request: pytest.FixtureRequest, site: SiteUnderTest, judge: Judge) -> Fabric:
    """Each fabric of the plan that the check applies to."""
    return Fabric(request.param, site, judge.saw)


def _here(device: str, site: SiteUnderTest) -> None:
    """Skip what a lab has no machine for."""
    if device in site.evidence.absent:
        pytest.skip(f"this lab has no machine for {device}")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what cannot be played back."""
    if item.get_closest_marker("live") and item.config.stash[PREPARED].site.evidence.replayed:
        pytest.skip("a recording cannot be made to do something")


def _judge_of(item: pytest.Item) -> Judge:
    if JUDGE not in item.stash:
        item.stash[JUDGE] = Judge(*collection.node_of(item), item.config.stash[PREPARED].rules)
    return item.stash[JUDGE]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Let the results decide what a test came to."""
    report: Any = yield
    judge = _judge_of(item)
    if call.when == "teardown":
        del item.stash[JUDGE]  # pytest keeps its items to the end
    return with_results(report, call, judge)  # type: ignore[return-value]  # a wrapper's value


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report: pytest.TestReport | pytest.CollectReport) -> tuple[str, str, str] | None:
    """Tell error and waived from failed and passed."""
    state = reported_state(report) if isinstance(report, pytest.TestReport) else None
    return None if state is None else (state, LETTERS[state], state.upper())
