"""Dossiers that the tests look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pytest

from rackproof.report.build import Source, fill
from rackproof.report.bundle.keys import load_private_key, make_keys
from rackproof.report.finished_run import RunFolder
from rackproof.report.scrub import scrubber
from tests.unit.report.runs import write_run

if TYPE_CHECKING:
    from pathlib import Path

    from rackproof.results import Run

SITE_FILE = b"site: two-racks\n"


class Maker(Protocol):
    """Write the dossier of a run and return its folder; signed unless it is said otherwise."""

    def __call__(self, run: Run, name: str = "dossier", *secrets: str, signed: bool = True) -> Path: ...


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A private and a public key."""
    private = tmp_path_factory.mktemp("keys") / "site.key"
    return private, make_keys(private)


@pytest.fixture
def make(tmp_path: Path, keys: tuple[Path, Path]) -> Maker:
    def made(run: Run, name: str = "dossier", *secrets: str, signed: bool = True) -> Path:
        run_path = tmp_path / "validation" / "20261121T080000Z"
        if not run_path.exists():
            write_run(tmp_path / "validation", run)
        folder = tmp_path / name
        folder.mkdir()
        key = load_private_key(keys[0]) if signed else None
        fill(folder, Source(RunFolder(run_path), {"site.yaml": [SITE_FILE]}, scrubber(secrets), key))
        return folder

    return made
