"""Broken site files: each says everything that is wrong with it, with place and hint, and nothing is written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from rackproof.cli.app import run
from rackproof.cli.output import ExitStatus

if TYPE_CHECKING:
    from tests.conftest import Golden

FOLDER: Final = Path(__file__).parent
BROKEN: Final = sorted(FOLDER.glob("*.yaml"))


@pytest.mark.parametrize("file", BROKEN, ids=lambda file: file.stem)
def test_broken_site_file(
    file: Path, checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    monkeypatch.chdir(checkout)

    status = run(["check", str(file.relative_to(checkout))])

    said = capsys.readouterr()
    assert status == ExitStatus.BAD_INPUT
    assert said.out == ""
    assert "Traceback" not in said.err
    golden(file.with_suffix(".txt"), said.err)


def test_every_expected_text_has_its_file() -> None:
    assert {text.stem for text in FOLDER.glob("*.txt")} == {file.stem for file in BROKEN}


@pytest.mark.parametrize("file", BROKEN, ids=lambda file: file.stem)
def test_nothing_is_written(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    site = tmp_path / "site.yaml"
    site.write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "out"

    status = run(["render", str(site), "--output", str(folder)])

    capsys.readouterr()
    assert status == ExitStatus.BAD_INPUT
    assert list(tmp_path.iterdir()) == [site]
