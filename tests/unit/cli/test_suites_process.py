"""The process that runs the suites: however much it says, it comes to its end."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rackproof import paths
from rackproof.cli.output import ExitStatus, Output
from rackproof.cli.prove.suites_process import SuitesProcess

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

MUCH = "print('word ' * 100_000); raise SystemExit(3)"
"""More than a pipe holds, which is 64 KiB."""


def test_one_that_says_much_comes_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(paths, "BUILD", tmp_path)
    suites = SuitesProcess("site", (), 0, Output(as_json=False))
    suites._command = [sys.executable, "-c", MUCH]

    ended = suites.to_end()

    assert (ended.status, ended.run) == (ExitStatus.BAD_INPUT, None)
    assert capfd.readouterr().err.count("word") == 100_000
