"""Recording: the results of all processes become the run, written as a whole when it ends, however it ends."""

import json
import shutil
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final

import msgspec
import pytest

from rackproof.facts.controllers import COMMANDS as CONTROLLER_COMMANDS
from rackproof.facts.fact import FactError
from rackproof.files import write_whole
from rackproof.results import (
    SCHEMA_VERSION,
    Device,
    Result,
    Run,
    Threshold,
    counted,
    encoded_pieces,
    exit_status,
    load_run,
)
from validation.expected.subjects import SiteUnderTest, Switch
from validation.runner.catalogue import all_checks, suite_titles
from validation.runner.collection import Collected, last_run, read_collected
from validation.runner.gathering import controllers_asked, host_commands, switches_asked
from validation.runner.reported_results import reported_results, without_results
from validation.runner.session_setup import PreparedRun, input_hashes
from validation.verdict.baseline import write_baseline
from validation.verdict.run_folder import point_latest_to

SECONDS: Final = "%Y-%m-%dT%H:%M:%SZ"
TO_BE_KNOWN: Final = {"assumed", "export-only"}
"""Kinds of the plan's notices that a dossier repeats: what was assumed, and which fabrics were not validated."""


class Events:
    """Progress of the run for other programs: one JSON object a line."""

    def __init__(self, path: Path | None) -> None:
        self._file = None if path is None else path.open("a", encoding="utf-8", buffering=1)

    def write(self, **event: object) -> None:
        """Write one event."""
        if self._file is not None:
            try:
                self._file.write(json.dumps(event) + "\n")
            except BrokenPipeError:
                self._close()

    def _close(self) -> None:
        """Tell no more: who watched has gone, and the run is written all the same."""
        file, self._file = self._file, None
        if file is not None:
            with suppress(BrokenPipeError):
                file.close()


@dataclass(eq=False)
class Recorder:
    """Collects what the tests report, in the one process that sees all of them."""

    prepared: PreparedRun
    started: datetime
    events: Events
    results: list[Result] = field(default_factory=list)
    run: Run | None = None
    _thresholds: dict[Threshold, Threshold] = field(default_factory=dict)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the results of a test."""
        found = reported_results(report)
        self.results += map(self._sharing, found)
        report.user_properties = without_results(report)
        for result in found:
            self.events.write(check=result.check_id, subject=result.subject, state=result.state)

    def _sharing(self, result: Result) -> Result:
        """Return a result that shares with others what it has in common with them: a large site has a million."""
        threshold = result.threshold
        return msgspec.structs.replace(
            result,
            check_id=sys.intern(result.check_id),
            device=sys.intern(result.device),
            expected=sys.intern(result.expected),
            actual=sys.intern(result.actual),
            threshold=None if threshold is None else self._thresholds.setdefault(threshold, threshold),
            logs=tuple(map(sys.intern, result.logs)),
        )

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write the run, and end with the gate's exit status."""
        run = self.write(interrupted=exitstatus in {pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR})
        session.exitstatus = exit_status(run)

    def write(self, *, interrupted: bool) -> Run:
        """Write the run as it is now, and return it."""
        self.run = self.ended(interrupted=interrupted)
        folder = self.prepared.site.run
        write_whole(folder.run_file, encoded_pieces(self.run))
        point_latest_to(self.prepared.site.plan.site, folder)
        if self.prepared.options.calibrate and exit_status(self.run) == 0:
            write_baseline(self.prepared.baseline_file, self.run.started, self.run.results)
        self.events.write(verdict=self.run.verdict, run=str(folder.run_file))
        return self.run

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say the verdict."""
        if self.run is not None:
            counts = ", ".join(f"{number} {state}" for state, number in counted(self.run.results).items() if number)
            missing = f", {len(self.run.missing)} without a result" if self.run.missing else ""
            terminalreporter.write_line(f"{self.prepared.site.run.run_file}: {counts or 'no results'}{missing}")
            terminalreporter.write_line(f"{self.run.site}: {self.run.verdict}")

    def ended(self, *, interrupted: bool) -> Run:
        """Return the run as it is now."""
        site, collected = self.prepared.site, read_collected(self.prepared)
        ids = {one.check_id for one in collected.expected}
        checks = tuple(check for check in all_checks().values() if check.id in ids)
        return Run(
            schema_version=SCHEMA_VERSION,
            site=site.plan.site,
            release=site.plan.release,
            started=self.started.strftime(SECONDS),
            ended=datetime.now(UTC).strftime(SECONDS),
            rackproof=version("rackproof"),
            rehearsal=site.evidence.rehearsal,
            selected=collected.selected,
            hashes=input_hashes(self.prepared),
            assumptions=tuple(f"{one.subject}: {one.text}" for one in site.plan.notices if one.kind in TO_BE_KNOWN),
            not_proven=site.evidence.not_proven,
            checks=checks,
            expected=collected.expected,
            results=(*carried_over(self.prepared, collected), *self.results),
            devices=tuple(devices(self.prepared)),
            commands=commands(self.prepared),
            interrupted=interrupted,
            suites={check.category: suite_titles()[check.category] for check in checks},
            calibration=self.prepared.rules.baseline.calibration,
        )


def carried_over(prepared: PreparedRun, collected: Collected) -> Iterable[Result]:
    """Return the results of the last run that ``--failed`` did not ask for again; what shows them comes along."""
    if not prepared.options.failed:
        return ()
    again = {(one.check_id, one.device) for one in collected.running}
    last = last_run(prepared)
    kept = [one for one in load_run(last).results if not {(one.check_id, one.device), (one.check_id, "")} & again]
    for name in {name for one in kept for name in one.logs}:
        here, there = prepared.site.run.path / name, last.parent / name
        if there.is_file() and not here.exists():
            shutil.copyfile(there, here)
    return kept


def devices(prepared: PreparedRun) -> Iterable[Device]:
    """Yield the devices that were looked at."""
    site = prepared.site
    for name in prepared.devices:
        if name in site.plan.switches:
            yield switch_found(site, name)
        else:
            found = site.as_built.servers.get(name)
            yield Device(name, "server", site.plan.servers[name].model, (found and found.serial) or "")


def switch_found(site: SiteUnderTest, name: str) -> Device:
    """Return a switch as it says it is; what it does not say is left out."""
    switch = Switch(name, site)
    try:
        found = switch.facts.identity()
    except FactError:
        return Device(name, "switch", switch.plan.model)
    return Device(name, "switch", switch.plan.model, found.serial, {switch.plan.nos: found.version})


def commands(prepared: PreparedRun) -> dict[str, tuple[str, ...]]:
    """Return kind of device to what each of its kind was asked."""
    if prepared.options.replay:
        return {}
    asked = {one.nos: one.commands for one in switches_asked(prepared)}
    controllers = {"management controller": CONTROLLER_COMMANDS} if any(controllers_asked(prepared)) else {}
    return {"server": host_commands(), **controllers, **asked}
