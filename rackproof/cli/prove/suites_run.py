"""A run of the suites in a process of their own: started, followed, waited for."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from rich.live import Live
from rich.table import Table

from rackproof import paths
from rackproof.cli.output import ExitStatus, Output, console
from rackproof.results import Run, load_run

STATES: Final = ("passed", "failed", "error", "skipped", "waived")
LEFT_OUT: Final = (
    *(
        part
        for plugin in ("cacheprovider", "hypothesispytest", "logging", "unraisableexception")
        for part in ("-p", f"no:{plugin}")
    ),
    *("--assert=plain", "--capture=no"),
)
"""What pytest does for each test that no suite has a use for: a large site has a hundred thousand tests."""
PYTEST_USAGE: Final = 4
"""pytest's exit status for options that it cannot use."""


@dataclass(frozen=True, slots=True)
class EndedRun:
    """What came of the suites."""

    status: ExitStatus
    run: Run | None
    """None: it did not come to a run, and the reason has been told."""
    folder: Path


@dataclass
class Tally:
    """What has been heard so far."""

    devices: int = 0
    asked: Counter[bool] = field(default_factory=Counter)
    states: dict[str, Counter[str]] = field(default_factory=dict)
    run: Path | None = None
    doing: str = ""
    """What is done before the first device is asked."""

    def take(self, event: Mapping[str, Any]) -> None:
        """Take one event."""
        if "devices" in event:
            self.devices, self.run = event["devices"], Path(event["run"])
        elif "doing" in event:
            self.doing = event["doing"]
        elif "answered" in event:
            self.asked[event["answered"]] += 1
        elif "state" in event:
            self.states.setdefault(event["check"].partition("/")[0], Counter())[event["state"]] += 1

    def table(self) -> Table:
        """Return it as a table, suite by suite."""
        silent = f", {self.asked[False]} silent" if self.asked[False] else ""
        asked = f"asked {self.asked.total()} of {self.devices} devices{silent}"
        table = Table(title=asked if self.asked else self.doing or asked, title_justify="left")
        for column in ("suite", *STATES):
            table.add_column(column, justify="left" if column == "suite" else "right")
        for suite, counts in self.states.items():
            table.add_row(suite, *(str(counts[state] or "") for state in STATES))
        return table


class SuitesRun:
    """The suites, run for one site.

    Parameters
    ----------
    site
        As the user named it.
    arguments
        More options of ``pytest validation``.
    processes
        That judge besides the first one.
    output
        Where it is told.
    """

    def __init__(self, site: str, arguments: Sequence[str], processes: int, output: Output) -> None:
        self._command = [sys.executable, "-m", "pytest", str(paths.VALIDATION), "--site", site, "-q", "--no-header"]
        self._command += ["-c", str(paths.ROOT / "pyproject.toml"), *LEFT_OUT, *arguments]
        self._command += ["-n", str(processes)] if processes else ["-p", "no:xdist"]
        self._output = output
        self._tally = Tally()

    def to_end(self) -> EndedRun:
        """Run them; Ctrl-C lets them write what was done, a second one ends them."""
        with tempfile.TemporaryFile() as said:  # a pipe that nobody empties meanwhile would stop a run that says much
            reading, writing = os.pipe()
            process = subprocess.Popen(  # noqa: S603 our own command
                [*self._command, f"--events=/dev/fd/{writing}"],
                pass_fds=(writing,),
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # a terminal's Ctrl-C reaches this process alone, which passes it on once
            )
            os.close(writing)
            interrupted = False
            try:
                self._follow(process, reading)
            except KeyboardInterrupt:
                interrupted = True
                self._wait_for_rest(process)
            status = process.wait()
            said.seek(0)
            return self._ended(status, said.read().decode(errors="replace"), interrupted=interrupted)

    def _follow(self, process: "subprocess.Popen[bytes]", reading: int) -> None:
        with os.fdopen(reading, encoding="utf-8") as events, self._shown() as show:
            for line in events:
                self._tally.take(json.loads(line))
                show()
        process.wait()

    def _wait_for_rest(self, process: "subprocess.Popen[bytes]") -> None:
        """Wait for what was interrupted to write its run."""
        self._output.note("stopping: what was done is written; Ctrl-C again ends at once")
        process.send_signal(signal.SIGINT)
        try:
            process.wait()
        except KeyboardInterrupt:
            process.kill()

    @contextmanager
    def _shown(self) -> Iterator[Any]:
        """Yield what shows the tally to a person at a terminal."""
        screen = console(stderr=True)
        if self._output.as_json or not screen.is_terminal:
            yield lambda: None
            return
        with Live(console=screen, transient=True, refresh_per_second=4, get_renderable=self._tally.table) as live:
            yield live.refresh

    def _ended(self, status: int, said: str, *, interrupted: bool) -> EndedRun:
        folder = self._tally.run or paths.BUILD
        run_file = folder / paths.RUN_FILE
        run = load_run(run_file) if run_file.is_file() else None
        if run is None or not run.results or status not in {0, 1, 2}:
            self._output.note(said.strip(), "")
        if interrupted:
            return EndedRun(ExitStatus.INTERRUPTED, run, folder)
        known = {0: ExitStatus.DONE, 1: ExitStatus.FAILED, 3: ExitStatus.BAD_INPUT, PYTEST_USAGE: ExitStatus.BAD_INPUT}
        return EndedRun(known.get(status, ExitStatus.UNKNOWN), run, folder)
