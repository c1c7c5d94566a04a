"""The validation suites in a process of their own: started, followed to the end, and read back as a run."""

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
UNUSED_FEATURES_OFF: Final = (
    *("-p", "no:cacheprovider"),
    *("-p", "no:hypothesispytest"),
    *("-p", "no:logging"),
    *("-p", "no:unraisableexception"),
    *("--assert=plain", "--capture=no"),
)
"""Switch off work of pytest for each test that no suite uses: a large site has a hundred thousand tests."""
PYTEST_USAGE: Final = 4
"""pytest's exit status for options that it cannot use."""


@dataclass(frozen=True, slots=True)
class EndedRun:
    """A finished run of the suites."""

    status: ExitStatus
    run: Run | None
    """None: the suites did not run, and the reason has been printed."""
    folder: Path


@dataclass
class Tally:
    """The progress of a run, from its events so far."""

    devices: int = 0
    asked: Counter[bool] = field(default_factory=Counter)
    states: dict[str, Counter[str]] = field(default_factory=dict)
    run: Path | None = None
    doing: str = ""
    """The action in progress before the first device is read."""

    def take(self, event: Mapping[str, Any]) -> None:
        """Add one event."""
        if "devices" in event:
            self.devices, self.run = event["devices"], Path(event["run"])
        elif "doing" in event:
            self.doing = event["doing"]
        elif "answered" in event:
            self.asked[event["answered"]] += 1
        elif "state" in event:
            self.states.setdefault(event["check"].partition("/")[0], Counter())[event["state"]] += 1

    def table(self) -> Table:
        """Return the progress as a table, one row for each suite."""
        silent = f", {self.asked[False]} did not answer" if self.asked[False] else ""
        asked = f"{self.asked.total()} of {self.devices} devices read{silent}"
        table = Table(title=asked if self.asked else self.doing or asked, title_justify="left")
        for column in ("suite", *STATES):
            table.add_column(column, justify="left" if column == "suite" else "right")
        for suite, counts in self.states.items():
            table.add_row(suite, *(str(counts[state] or "") for state in STATES))
        return table


class SuitesProcess:
    """The suites, run for one site.

    Parameters
    ----------
    site
        The site as the user named it.
    arguments
        More options of ``pytest validation``.
    processes
        Number of processes that judge besides the first one.
    output
        Where progress is shown.
    """

    def __init__(self, site: str, arguments: Sequence[str], processes: int, output: Output) -> None:
        self._command = [sys.executable, "-m", "pytest", str(paths.VALIDATION), "--site", site, "-q", "--no-header"]
        self._command += ["-c", str(paths.ROOT / "pyproject.toml"), *UNUSED_FEATURES_OFF, *arguments]
        self._command += ["-n", str(processes)] if processes else ["-p", "no:xdist"]
        self._output = output
        self._tally = Tally()

    def to_end(self) -> EndedRun:
        """Run the suites; the first Ctrl-C lets them write their results, the second one kills the process."""
        with tempfile.TemporaryFile() as said:  # a full pipe would block a run with much output
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
        """Wait until the interrupted process has written its results."""
        self._output.note("stopping: the results so far are being written; press Ctrl-C again to stop at once")
        process.send_signal(signal.SIGINT)
        try:
            process.wait()
        except KeyboardInterrupt:
            process.kill()

    @contextmanager
    def _shown(self) -> Iterator[Any]:
        """Yield a function that shows the progress to a person at a terminal."""
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
