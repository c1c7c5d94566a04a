"""The command line as a shell meets it."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
import typer.main
from typer.core import TyperGroup

import rackproof.cli
from rackproof.cli.app import ROOMS, build_app, run
from rackproof.cli.options import complete_site
from rackproof.cli.output import ExitStatus


def defect(*_: object) -> None:
    raise KeyError("lost")


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> pytest.CaptureFixture[str]:
    """What the command line printed."""
    return capsys


def test_check(said: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "metrum-h200"]) == ExitStatus.DONE
    assert said.readouterr().out.startswith("metrum-h200: no errors (racks: 1, servers: 2, switches: 3, ")


def test_check_for_a_program(said: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "metrum-mi300x", "--json"]) == ExitStatus.DONE

    document = json.loads(said.readouterr().out)
    assert (document["status"], document["servers"], document["switches"]) == (0, 2, 4)
    memory = next(record for record in document["problems"] if "memory" in record["message"])
    assert (memory["severity"], memory["path"]) == ("warning", ["servers", 0, "model"])


def test_plan(said: pytest.CaptureFixture[str]) -> None:
    assert run(["plan", "metrum-h200"]) == ExitStatus.DONE

    out = said.readouterr().out
    assert all(title in out for title in ("Fabrics", "Subnets", "Racks, from the top", "Cables", "Power", "Assumed"))
    assert "addresses for documentation (RFC 5737)" in out


@pytest.mark.parametrize(
    ("options", "keys"),
    [
        ([], {"plan", "reachability"}),
        (["--fabric", "backend"], {"fabric", "links", "cables"}),
        (["--device", "gpu-001"], {"device", "links", "cords"}),
        (["--device", "backend-leaf-01"], {"device", "links", "cords"}),
    ],
)
def test_plan_for_a_program(options: list[str], keys: set[str], said: pytest.CaptureFixture[str]) -> None:
    assert run(["plan", "metrum-h200", *options]) == ExitStatus.DONE
    assert run(["plan", "metrum-h200", "--json", *options]) == ExitStatus.DONE

    document: Any = json.loads(said.readouterr().out.partition("{")[2].join(["{", ""]))
    assert keys | {"status", "problems"} == set(document)


def test_a_device_shows_its_ports(said: pytest.CaptureFixture[str]) -> None:
    run(["plan", "metrum-h200", "--device", "gpu-001"])

    out = said.readouterr().out
    assert "rail15" in out
    assert "bmc" in out
    assert "frontend-bond0" in out


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (
            ["plan", "metrum-h200", "--device", "gpu-01"],
            "the plan has no server, storage node or switch gpu-01",
            "gpu-001",
        ),
        (["plan", "metrum-h200", "--fabric", "x"], "the plan has no fabric x", "backend, frontend, oob"),
        (["check", "metrum"], "there is no site metrum", "metrum-h200"),
        (["check"], "Missing argument 'SITE'.", "`rackproof check --help` shows how"),
        (["chek"], "No such command 'chek'. Did you mean 'check'", "`rackproof --help` shows how"),
        (["check", "--jsno", "x"], "No such option: --jsno", "`rackproof check --help` shows how"),
    ],
)
def test_bad_usage_is_status_3(arguments: list[str], message: str, hint: str, said: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == ExitStatus.BAD_INPUT

    err = said.readouterr().err
    assert f"error: {message}" in err
    assert hint in err


def test_no_verb_shows_the_help(said: pytest.CaptureFixture[str]) -> None:
    assert run([]) == ExitStatus.BAD_INPUT

    shown = said.readouterr()
    assert "Usage: rackproof" in shown.out
    assert shown.err == ""


def test_schema(tmp_path: Path, said: pytest.CaptureFixture[str]) -> None:
    assert run(["schema"]) == ExitStatus.DONE
    printed = said.readouterr().out
    assert run(["schema", "--output", str(tmp_path / "x.json")]) == ExitStatus.DONE

    assert json.loads(printed) == json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))


def test_render(tmp_path: Path, said: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "out"
    arguments = ["render", "metrum-h200", "--output", str(folder)]

    assert run(arguments) == ExitStatus.DONE
    first = {
        file: file.read_bytes() for file in folder.rglob("*") if file.is_file() and file.name != ".rackproof-files"
    }
    assert run([*arguments, "--json"]) == ExitStatus.DONE

    document = json.loads(said.readouterr().out.partition("{")[2].join(["{", ""]))
    assert not document["changed"]
    assert {Path(file): Path(file).read_bytes() for file in document["files"]} == first
    assert folder / "configs" / "backend-leaf-01.cfg" in first


@pytest.mark.parametrize("verb", ["", "check", "plan", "render", "schema"])
def test_help_teaches(verb: str, said: pytest.CaptureFixture[str]) -> None:
    assert run([*([verb] if verb else []), "--help"]) == ExitStatus.DONE
    assert "rackproof" in said.readouterr().out


def test_help_lists_the_verbs_in_groups_in_the_order_of_use(said: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == ExitStatus.DONE

    out = said.readouterr().out
    groups = ["Plan", "check", "plan", "render", "documents", "inventory", "schema"]
    groups += ["Deploy", "trust", "discover", "diff", "up"]
    groups += ["Prove", "validate", "report", "verify", "keygen", "Lab", "lab"]
    listed = re.findall(r"^(?:╭─ (?!Options)|│ )([A-Za-z]+)(?=:| +[A-Z])", out, re.MULTILINE)
    assert listed == groups


@pytest.mark.parametrize("room", ROOMS)
def test_every_module_with_verbs_is_listed_by_its_room(room: str) -> None:
    package = importlib.import_module(f"rackproof.cli.{room}")
    folder = Path(package.__path__[0])
    with_verbs = {file.stem for file in folder.glob("*.py") if "\nverbs = " in file.read_text(encoding="utf-8")}

    assert len(package.VERBS) == len(set(package.VERBS))
    assert set(package.VERBS) == with_verbs


def test_a_module_has_the_name_of_its_verb() -> None:
    listed = [verb for room in ROOMS for verb in importlib.import_module(f"rackproof.cli.{room}").VERBS]
    command = typer.main.get_command(build_app())

    assert isinstance(command, TyperGroup)
    assert list(command.commands) == listed


def test_every_package_of_the_command_line_is_a_room() -> None:
    packages = {file.parent.name for file in Path(rackproof.cli.__path__[0]).glob("*/__init__.py")}

    assert packages == set(ROOMS)


def test_sites_are_completed() -> None:
    assert complete_site("metrum-m") == ["metrum-mi300x"]


def test_a_defect_is_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, said: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.delenv("RACKPROOF_DEBUG", raising=False)
    monkeypatch.setattr("rackproof.cli.plan.check.planned_site", defect)

    assert run(["check", "metrum-h200"]) == ExitStatus.UNKNOWN

    err = said.readouterr().err
    assert err.startswith("error: internal error: KeyError: 'lost'\n  hint: this is a defect of Rackproof; details: ")
    details = Path(err.partition("details: ")[2].partition(" (")[0])
    assert "Traceback" in details.read_text(encoding="utf-8")


def test_a_defect_is_shown_to_a_developer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACKPROOF_DEBUG", "1")
    monkeypatch.setattr("rackproof.cli.plan.check.planned_site", defect)

    with pytest.raises(KeyError, match="lost"):
        run(["check", "metrum-h200"])


def test_an_interrupted_command_is_no_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("rackproof.cli.plan.check.planned_site", interrupt)

    assert run(["check", "metrum-h200"]) == ExitStatus.INTERRUPTED


def test_check_loads_nothing_it_does_not_need() -> None:
    program = "import sys; from rackproof.cli.app import run; run(['check', 'metrum-h200']); print(*sys.modules)"
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    loaded = set(finished.stdout.split())
    assert not loaded & {"asyncssh", "netmiko", "jinja2", "paramiko", "pulumi", "asyncio", "cryptography"}


def test_the_installed_command_has_its_status() -> None:
    command = Path(sys.executable).parent / "rackproof"
    environment = {**os.environ, "NO_COLOR": "1"}

    finished = subprocess.run(
        [command, "check", "nowhere.yaml"], env=environment, capture_output=True, text=True, check=False
    )

    assert finished.returncode == ExitStatus.BAD_INPUT
    assert finished.stderr == "error: cannot read nowhere.yaml: No such file or directory\n"
