"""What all tests share: reference data, golden files, the Pulumi engine, and no silent skips under CI.

Skips are for what this machine cannot have, never for what should have worked. Under CI (``CI=true``) a skip whose
reason is not in ``ALLOWED_SKIPS`` turns the run red.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import hypothesis
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

NO_FABRIC: Final = "network namespaces, FRR, lldpd and nftables as root are not here"
NO_ENGINE: Final = "the Pulumi engine is not on the PATH"
NO_SHARED: Final = "the reference data is not beside the checkout (RACKPROOF_SHARED or ../shared)"
NO_ERA_EXPORT: Final = "NVIDIA's export of this architecture is not among the reference data (upstream/era-<name>)"
NO_SYSTEMD: Final = "needs systemd-analyze"
NO_VTYSH: Final = "vtysh of FRR is not on the PATH"
OLD_LIBYANG: Final = "this distribution's libyang is older than the tests' Python binding needs"

ALLOWED_SKIPS: Final = {
    NO_FABRIC: "real packets need root and daemons that set-up may not start on a developer's machine",
    NO_ENGINE: "`rackproof up` deploys without it, and set-up installs it only when asked",
    NO_SHARED: "vendors' files that may not be copied into the project",
    NO_ERA_EXPORT: "the reference data holds 2-4-3 only; nothing of 2-8-9 may be copied into the project",
    NO_SYSTEMD: "containers for tests often come without systemd; a machine that is brought up has it",
    NO_VTYSH: "Debian's package starts routing daemons, which set-up may not do to a developer's machine",
    OLD_LIBYANG: "Ubuntu 22.04 carries libyang 2.0; Debian 12 and Ubuntu 24.04 run these tests",
}

UNEXPECTED_SKIPS: Final = pytest.StashKey[list[str]]()

# The same examples on every run under CI: a red run can be repeated.
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True)
hypothesis.settings.register_profile("local", deadline=None)


class Golden(Protocol):
    """Compare text with a stored file, or store it when the goldens are being updated."""

    def __call__(self, path: Path, actual: str) -> None: ...


def under_ci() -> bool:
    return os.environ.get("CI", "").lower() in {"1", "true"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        default=os.environ.get("UPDATE_GOLDEN") == "1",
        help="rewrite the golden files from what the code says now (also UPDATE_GOLDEN=1)",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[UNEXPECTED_SKIPS] = []
    config.pluginmanager.register(SkipGate(config.stash[UNEXPECTED_SKIPS]), "skip-gate")
    hypothesis.settings.load_profile("ci" if under_ci() else "local")


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("engine") and shutil.which("pulumi") is None:
        pytest.skip(NO_ENGINE)
    if item.get_closest_marker("yang") and importlib.util.find_spec("libyang") is None:
        pytest.skip(OLD_LIBYANG)
    if item.get_closest_marker("shared") and not shared_folder().is_dir():
        pytest.skip(NO_SHARED)


def shared_folder() -> Path:
    """Where the reference data lies; the folder may be absent."""
    beside_checkout = Path(__file__).resolve().parents[2] / "shared"
    return Path(os.environ.get("RACKPROOF_SHARED") or beside_checkout)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference data; skips the test where it is absent."""
    if not shared_folder().is_dir():
        pytest.skip(NO_SHARED)
    return shared_folder()


@pytest.fixture(scope="session")
def checkout() -> Path:
    """The root of the checkout."""
    return Path(__file__).resolve().parents[1]


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """``golden(path, actual)``: the text is what the file holds; ``make golden`` rewrites the files."""
    update = bool(request.config.getoption("--update-golden"))

    def compare(path: Path, actual: str) -> None:
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(actual, encoding="utf-8")
        assert path.is_file(), f"no golden file {path}: `make golden` writes it"
        expected = path.read_text(encoding="utf-8")
        assert actual == expected, f"differs from {path}; if the new text is right: `make golden`, and read the diff"

    return compare


@pytest.fixture
def ctrl_c_is_heard() -> Iterator[None]:
    """A job in a shell's background ignores Ctrl-C, and what it starts inherits that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class SkipGate:
    """Turns a run red under CI when something was skipped for a reason that nobody argued for."""

    def __init__(self, unexpected: list[str]) -> None:
        self._unexpected = unexpected

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._note(report)

    def _note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if not report.skipped or hasattr(report, "wasxfail"):
            return
        reason = skip_reason(report)
        if reason not in ALLOWED_SKIPS:
            self._unexpected.append(f"{report.nodeid}: {reason}")

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> Iterator[None]:
        yield
        if self._unexpected and under_ci() and exitstatus in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self._unexpected:
            return
        terminalreporter.section("unexpected skips (red under CI)", red=under_ci(), yellow=not under_ci())
        for line in sorted(set(self._unexpected)):
            terminalreporter.write_line(line)
        terminalreporter.write_line("A skip is for what this machine cannot have: mend the cause, or argue the reason ")
        terminalreporter.write_line("in ALLOWED_SKIPS of tests/conftest.py.")


def skip_reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    """The reason of a skip, without pytest's prefix."""
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return re.sub(r"^Skipped: ", "", text)
