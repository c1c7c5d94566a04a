"""Runs the real framework over suites that a test writes, in processes of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pytest

from rackproof import paths
from rackproof.results import Result, Run, load_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ANSWERS: Final = '{\n"hostname":[0,"it\\n",""]\n}\n'
DEVICES: Final = ("gpu-001", "gpu-002", "frontend-leaf-01", "backend-leaf-01", "oob-leaf-01")
COMMON: Final = '''"""A suite of a test."""

import os

import pytest

from rackproof.facts.fact import Fact, FactError, command_output
from rackproof.results import Threshold
from validation.expected.fixtures import (
    Judge, Server, SiteUnderTest, Switch, applies_to, disruptive, live, requirements
)

'''


@dataclass(frozen=True)
class Ended:
    """How a run of pytest ended."""

    status: int
    said: str
    run: Run | None

    def one(self, check: str, device: str = "") -> Result:
        """The only result of a check, for a device."""
        assert self.run is not None, self.said
        (found,) = [one for one in self.run.results if one.check_id == check and device in {"", one.device}]
        return found

    @property
    def states(self) -> dict[str, str]:
        assert self.run is not None, self.said
        return {f"{one.check_id} {one.subject}": one.state for one in self.run.results}


@dataclass(frozen=True)
class Suites:
    """A copy of the framework without its suites, and a site of its own."""

    folder: Path
    site: str

    @property
    def site_folder(self) -> Path:
        return self.folder / "site"

    @property
    def recording(self) -> Path:
        return self.folder / "recording"

    def write(self, name: str, body: str) -> None:
        (self.folder / "validation" / "suites" / f"test_{name}.py").write_text(COMMON + body, encoding="utf-8")

    def start(self, *options: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "pytest", "validation", "-q", "-p", "no:cacheprovider", "--site"]
        command += [str(self.site_folder / "site.yaml"), "--replay", str(self.recording), *options]
        environment = {**os.environ, "PYTHONPATH": f"{self.folder}{os.pathsep}{paths.ROOT}"}
        return subprocess.Popen(
            [*command, "-c", str(paths.ROOT / "pyproject.toml"), "--rootdir", str(self.folder)],
            cwd=self.folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def run(self, *options: str) -> Ended:
        return self.ended(self.start(*options))

    def ended(self, process: subprocess.Popen[str]) -> Ended:
        said, _ = process.communicate(timeout=120)
        latest = paths.latest_validation(self.site) / "run.json"
        return Ended(process.returncode, said, load_run(latest) if latest.is_file() else None)


@pytest.fixture
def suites(tmp_path: Path, checkout: Path) -> Iterator[Suites]:
    site = f"suites-of-{os.getpid()}"
    shutil.copytree(
        checkout / "validation", tmp_path / "validation", ignore=shutil.ignore_patterns("test_*", "__pycache__")
    )
    (tmp_path / "site").mkdir()
    text = (checkout / "inventory" / "metrum-h200" / "site.yaml").read_text(encoding="utf-8")
    (tmp_path / "site" / "site.yaml").write_text(text.replace("site: metrum-h200", f"site: {site}"), encoding="utf-8")
    (tmp_path / "recording" / "facts").mkdir(parents=True)
    for device in DEVICES:
        (tmp_path / "recording" / "facts" / f"{device}.json").write_text(ANSWERS, encoding="utf-8")
    yield Suites(tmp_path, site)
    shutil.rmtree(paths.build_folder(site), ignore_errors=True)
