"""pytest's hooks and fixtures for the validation, in the order in which pytest calls them."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from rackproof.errors import RackproofError, SiteErrors
from rackproof.measure.traffic.campaign import Campaign
from validation.expected.subjects import Fabric, Server, SiteUnderTest, Switch
from validation.expected.traffic import site_campaign
from validation.runner import collection
from validation.runner.disruption import disruption_messages, start_cold
from validation.runner.gathering import gather
from validation.runner.options import RunOptions, add_options, run_options
from validation.runner.reported_results import reported_state, with_results
from validation.runner.results_writer import Events, Recorder
from validation.runner.session_setup import PreparedRun, prepare_run
from validation.verdict.judge import Judge
from validation.verdict.run_folder import RunFolder, new_run_folder

BAD_INPUT: Final = 3
RUN_FOLDER: Final = "rackproof_run_folder"
LETTERS: Final = {"passed": ".", "failed": "F", "error": "E", "skipped": "s", "waived": "w"}

PREPARED: Final = pytest.StashKey[PreparedRun]()
COLLECTED: Final = pytest.StashKey[collection.Collected]()
DESELECTED: Final = pytest.StashKey[bool]()
JUDGE: Final = pytest.StashKey[Judge]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    add_options(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Read the site and its rules; the first process also gathers facts, before it starts the others."""
    config = session.config
    options = run_options(config)
    if options is None:
        pytest.exit("which site? give --site <name>, or use `rackproof validate <site>`", returncode=BAD_INPUT)
    worker = getattr(config, "workerinput", None)
    try:
        if worker is not None:
            config.stash[PREPARED] = prepare_run(options, RunFolder(Path(worker[RUN_FOLDER])))
        else:
            _begin_run(config, options)
    except RackproofError as error:
        pytest.exit(_error_text(error), returncode=BAD_INPUT)


def _begin_run(config: pytest.Config, options: RunOptions) -> None:
    """Make the run's folder, gather facts, and register the recorder that writes the run at its end."""
    started = datetime.now(UTC)
    prepared = prepare_run(options, RunFolder(Path(os.devnull)))
    if options.failed:
        collection.refuse_changed_inputs(prepared)
    run = new_run_folder(prepared.site.plan.site, started)
    config.stash[PREPARED] = prepared = prepared.in_folder(run)
    events = Events(options.events)
    events.write(devices=len(prepared.devices), run=str(run.path))
    recorder = Recorder(prepared, started, events)
    for sentence in disruption_messages(prepared):
        _print_line(config, f"this run interrupts the site: {sentence}")
    try:
        _gather(prepared, events)
    except KeyboardInterrupt:
        recorder.write(interrupted=True)
        raise
    config.pluginmanager.register(recorder, "rackproof-recorder")


def _gather(prepared: PreparedRun, events: Events) -> None:
    """Restart the site where a cold start was asked for, then gather the facts of every selected device."""
    if prepared.options.cold_start:
        events.write(doing="restarting all devices at once, and waiting until they are back")
        start_cold(prepared)
    gather(prepared, lambda device, answered: events.write(device=device, answered=answered))


def _print_line(config: pytest.Config, line: str) -> None:
    """Print a line before the first test."""
    reporter: pytest.TerminalReporter | None = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None:
        reporter.write_line(line)


def _error_text(error: RackproofError) -> str:
    """Return an error with all its places and hints as text."""
    lines = [f"{error.message}: {error.hint}" if error.hint else error.message]
    for one in error.errors if isinstance(error, SiteErrors) else ():
        place = f"{one.place.file}:{one.place.line}:{one.place.column}: " if one.place else ""
        lines.append(f"{place}{one.message} ({one.hint})" if one.hint else f"{place}{one.message}")
    return "\n".join(lines)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:  # noqa: ANN401 xdist's, and it may not be there
    """Pass the run's folder to an xdist worker."""
    node.workerinput[RUN_FOLDER] = str(node.config.stash[PREPARED].site.run.path)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:  # noqa: ANN401 xdist's, and it may not be there
    """Run all tests of a device on one worker."""
    from validation.runner.xdist_scheduler import scheduler  # noqa: PLC0415 only where xdist takes part

    return scheduler(config, log)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrise a check with the subjects that it applies to."""
    collection.parametrise(metafunc, metafunc.config.stash[PREPARED])


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Select and order the tests of this run; pytest's ``-k`` and ``-m`` choose among them afterwards."""
    config.stash[COLLECTED] = collection.select_tests(items, config.stash[PREPARED])


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Record that ``-k`` or ``-m`` deselected tests."""
    if items:
        items[0].config.stash[DESELECTED] = True


def pytest_collection_finish(session: pytest.Session) -> None:
    """Write the collected tests to the run's folder; every process collects the same ones."""
    config = session.config
    if COLLECTED in config.stash:
        chosen = config.stash.get(DESELECTED, False)
        left = collection.after_selection(config.stash[COLLECTED], session.items, deselected=chosen)
        collection.write_collected(left, config.stash[PREPARED])


@pytest.fixture(scope="session")
def site(request: pytest.FixtureRequest) -> SiteUnderTest:
    """The site."""
    return request.config.stash[PREPARED].site


@pytest.fixture(scope="session")
def campaign(request: pytest.FixtureRequest, site: SiteUnderTest) -> Iterator[Campaign]:
    """The live measurements on the site; each runs when the first check needs it."""
    found = site_campaign(site, request.config.stash[PREPARED].options.soak_hours)
    yield found
    found.close()


@pytest.fixture
def judge(request: pytest.FixtureRequest) -> Judge:
    """The judge that collects the results of this check on this device."""
    return _item_judge(request.node)


@pytest.fixture
def server(request: pytest.FixtureRequest, site: SiteUnderTest, judge: Judge) -> Server:
    """Each server of the plan that the check applies to."""
    _skip_if_absent(request.param, site)
    return Server(request.param, site, judge.add_evidence)


@pytest.fixture
def switch(request: pytest.FixtureRequest, site: SiteUnderTest, judge: Judge) -> Switch:
    """Each configured switch of the plan that the check applies to."""
    _skip_if_absent(request.param, site)
    return Switch(request.param, site, judge.add_evidence)


@pytest.fixture
def fabric(request: pytest.FixtureRequest, site: SiteUnderTest, judge: Judge) -> Fabric:
    """Each fabric of the plan that the check applies to."""
    return Fabric(request.param, site, judge.add_evidence)


def _skip_if_absent(device: str, site: SiteUnderTest) -> None:
    """Skip the test of a device that the lab does not run."""
    if device in site.evidence.absent:
        pytest.skip(f"this lab does not run {device}")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip live checks in a replay."""
    if item.get_closest_marker("live") and item.config.stash[PREPARED].site.evidence.replayed:
        pytest.skip("this check measures live devices; a replay has only recorded facts")


def _item_judge(item: pytest.Item) -> Judge:
    """Return the judge of a test, made at its first use."""
    if JUDGE not in item.stash:
        item.stash[JUDGE] = Judge(*collection.test_node(item), item.config.stash[PREPARED].rules)
    return item.stash[JUDGE]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Set a test's outcome from the results of its judge."""
    report: Any = yield
    judge = _item_judge(item)
    if call.when == "teardown":
        del item.stash[JUDGE]  # pytest keeps its items to the end
    return with_results(report, call, judge)  # type: ignore[return-value]  # a wrapper's value


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report: pytest.TestReport | pytest.CollectReport) -> tuple[str, str, str] | None:
    """Show all five states of a test: pytest alone knows no error of a check, and no waiver."""
    state = reported_state(report) if isinstance(report, pytest.TestReport) else None
    return None if state is None else (state, LETTERS[state], state.upper())
