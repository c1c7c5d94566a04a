"""`rackproof inventory`: what it tells a person and a program, and what it never writes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import yaml12

from rackproof import paths
from rackproof.cli.app import run
from rackproof.cli.output import ExitStatus

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "planted-9c41e7"


@pytest.fixture(autouse=True)
def _build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "BUILD", tmp_path / "build")


def access_with(folder: Path, **entry: object) -> str:
    file = folder / "access.yaml"
    device = {"host": "192.0.2.7", "user": "rackproof", "host_key": "ssh-ed25519 AAAA", **entry}
    file.write_text(yaml12.format_yaml({"devices": {"head-001": device}}))
    return str(file)


def test_what_a_person_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    access = access_with(tmp_path, password={"env": "PASSWORD"})

    assert run(["inventory", "h20044", "--access", access]) == ExitStatus.DONE
    first = capsys.readouterr()
    assert run(["inventory", "h20044", "--access", access]) == ExitStatus.DONE

    assert "h20044/ansible: 1 servers" in first.out.replace("\n", "")
    assert "left out: MLNX_OFED" in first.err
    assert "left out, because access.yaml does not say how they are reached: gpu-001, gpu-002" in first.err
    assert capsys.readouterr().out.startswith("Nothing to change")


def test_no_secret_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PASSWORD", SECRET)
    (tmp_path / "password").write_text(SECRET)
    for reference in ({"env": "PASSWORD"}, {"file": "password"}):
        access = access_with(tmp_path, password=reference)

        assert run(["inventory", "h20044", "--access", access, "--json"]) == ExitStatus.DONE

        said = capsys.readouterr()
        document = json.loads(said.out)
        written = [file.read_text() for file in (tmp_path / "build").rglob("*") if file.is_file()]
        assert (document["hosts"], document["changed"]) == (["head-001"], True)
        assert len(written) == 5  # with the list of written files
        assert not [text for text in (*written, said.out, said.err) if SECRET in text]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"password": {"pulumi": "password"}}, "Pulumi secret"),
        ({"host_key": None, "password": {"env": "PASSWORD"}}, "never recorded"),
    ],
)
def test_bad_access(entry: dict[str, object], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["inventory", "h20044", "--access", access_with(tmp_path, **entry)]) == ExitStatus.BAD_INPUT

    assert said in capsys.readouterr().err
    assert not (tmp_path / "build").exists()
