"""`rackproof report`, `verify` and `keygen` as a person and a program use them."""

from __future__ import annotations

import hashlib
import json
import shutil
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from rackproof import paths
from rackproof.cli.app import run
from rackproof.cli.output import ExitStatus
from rackproof.report import build
from tests.unit.report.runs import SECRET, failed_run, make_run, write_run

if TYPE_CHECKING:
    from pathlib import Path

    from rackproof.results import Run

SITE = "azure-nd-h100"


@pytest.fixture(autouse=True)
def _folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inventory = tmp_path / "inventory"
    shutil.copytree(paths.INVENTORY / SITE, inventory / SITE)
    monkeypatch.setattr(paths, "INVENTORY", inventory)
    monkeypatch.setattr(paths, "BUILD", tmp_path / "build")
    monkeypatch.delenv("RACKPROOF_SIGNING_KEY", raising=False)


def validated(tmp_path: Path, found: Run) -> Path:
    """A run of the site as it is; returns its folder."""
    site_file = tmp_path / "inventory" / SITE / "site.yaml"
    files = (site_file, *site_file.parent.glob("waivers.yaml"))
    hashes = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    folder = write_run(tmp_path / "build" / SITE / "validation", replace(found, site=SITE, hashes=hashes))
    (folder.parent / "latest").symlink_to(folder.name)
    return folder


def keys(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    key = tmp_path / "site.key"
    assert run(["keygen", str(key), "--json"]) == ExitStatus.DONE
    document = json.loads(capsys.readouterr().out)
    assert document["fingerprint"].startswith("SHA256:")
    return document["private_key"], document["public_key"]


def test_from_a_run_to_a_genuine_dossier(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    validated(tmp_path, make_run())
    private, public = keys(tmp_path, capsys)

    assert run(["report", SITE, "--key", private]) == ExitStatus.DONE
    assert f"{SITE}: passed" in capsys.readouterr().out
    dossier = tmp_path / "build" / SITE / "dossier"
    assert {path.name for path in dossier.iterdir()} == {
        "bundle.zip", "dossier.html", "dossier.json", "dossier.md", "dossier.pdf", "dossier.schema.json", "evidence",
        "inputs", "junit.xml", "manifest.json", "manifest.sig",
    }  # fmt: skip
    assert {path.name for path in (dossier / "inputs").iterdir()} == {"site.yaml", "plan.json"}

    assert run(["verify", str(dossier / "bundle.zip"), "--key", public]) == ExitStatus.DONE
    told = capsys.readouterr().out
    assert "genuine: all" in told
    assert f"{SITE}, validation ended 2026-11-21T08:04:10Z: passed" in told


def test_a_tampered_dossier_is_told_file_by_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    validated(tmp_path, failed_run())
    private, public = keys(tmp_path, capsys)
    run(["report", SITE, "--key", private])
    dossier = tmp_path / "build" / SITE / "dossier"
    page = dossier / "dossier.html"
    page.write_text(page.read_text().replace("failed", "passed"))
    (dossier / "inputs" / "plan.json").unlink()
    capsys.readouterr()

    assert run(["verify", str(dossier), "--key", public]) == ExitStatus.FAILED
    told = capsys.readouterr().out
    assert told.startswith("not genuine")
    assert run(["verify", str(dossier), "--key", public, "--json"]) == ExitStatus.FAILED
    document = json.loads(capsys.readouterr().out)
    assert [(one["kind"], one["file"]) for one in document["findings"]] == [
        ("changed", "dossier.html"),
        ("missing", "inputs/plan.json"),
    ]
    assert not document["genuine"]


def test_what_changed_since_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "inventory" / SITE
    (folder / "waivers.yaml").write_text("waivers: []\n")
    validated(tmp_path, make_run())
    assert run(["report", SITE]) == ExitStatus.DONE
    assert (tmp_path / "build" / SITE / "dossier" / "inputs" / "waivers.yaml").read_text() == "waivers: []\n"

    (folder / "waivers.yaml").unlink()
    assert run(["report", SITE]) == ExitStatus.BAD_INPUT
    assert "waivers.yaml was removed since the validation" in capsys.readouterr().err
    (folder / "waivers.yaml").write_text("waivers: [] # another day\n")
    assert run(["report", SITE]) == ExitStatus.BAD_INPUT
    assert "waivers.yaml was changed since the validation" in capsys.readouterr().err


def test_a_scaled_lab_is_told_by_its_own_site_file(tmp_path: Path) -> None:
    lab = tmp_path / "build" / SITE / "lab"
    lab.mkdir(parents=True)
    site_file = tmp_path / "inventory" / SITE / "site.yaml"
    (lab / "site.yaml").write_text(site_file.read_text() + "# scaled\n")
    found = replace(make_run(rehearsal=True), site=SITE)
    digest = hashlib.sha256((lab / "site.yaml").read_bytes()).hexdigest()
    write_run(tmp_path / "build" / SITE / "validation", replace(found, hashes={"site.yaml": digest}))

    assert run(["report", SITE, "--run", "20261121T080000Z"]) == ExitStatus.DONE
    kept = tmp_path / "build" / SITE / "dossier" / "inputs" / "site.yaml"
    assert kept.read_text().endswith("# scaled\n")


def test_nothing_is_lost_when_it_cannot_be_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    validated(tmp_path, make_run())
    run(["report", SITE])
    dossier = tmp_path / "build" / SITE / "dossier"
    before = {path.relative_to(dossier): path.read_bytes() for path in dossier.rglob("*") if path.is_file()}

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "dossier.pdf")

    monkeypatch.setattr(build, "pdf", full)
    shutil.rmtree(tmp_path / "build" / SITE / "validation")
    validated(tmp_path, failed_run())
    assert run(["report", SITE]) == ExitStatus.FAILED

    assert "No space left on device" in capsys.readouterr().err
    assert {path.relative_to(dossier): path.read_bytes() for path in dossier.rglob("*") if path.is_file()} == before
    assert sorted(path.name for path in dossier.parent.iterdir()) == [".rackproof-files", "dossier", "validation"]


def test_secrets_of_access_are_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = validated(tmp_path, make_run())
    (folder / "logs" / "gpu-001-rail0.txt").write_text(f"motd: {SECRET}\nkey: planted-in-a-file-77\n")
    access = tmp_path / "inventory" / SITE / "access.yaml"
    access.write_text(
        "devices:\n  node-001: {host: 192.0.2.1, user: admin, password: {env: PLANTED}}\n"
        "  node-002: {host: 192.0.2.2, user: admin, password: {file: password}}\n"
        "  node-003: {host: 192.0.2.3, user: admin, password: {env: NOT_SET}}\n"
    )
    (access.parent / "password").write_text("planted-in-a-file-77\n")
    (access.parent / "password").chmod(0o600)
    monkeypatch.setenv("PLANTED", SECRET)

    assert run(["report", SITE]) == ExitStatus.DONE
    dossier = tmp_path / "build" / SITE / "dossier"
    log = (dossier / "evidence" / "logs" / "gpu-001-rail0.txt").read_text()
    assert log == "motd: [removed: secret]\nkey: [removed: secret]\n"
    assert not [path for path in dossier.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["report", SITE], "holds no validation"),
        (["report", "nowhere"], "there is no site nowhere"),
        (["report", SITE, "--key", "nowhere.key"], "nowhere.key cannot be read"),
        (["verify", "nowhere.zip", "--key", "nowhere.pub"], "nowhere.pub cannot be read"),
        (["verify", "nowhere.zip"], "Missing option '--key'"),
    ],
)
def test_bad_input_is_told(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == ExitStatus.BAD_INPUT
    assert message in capsys.readouterr().err


def test_an_unknown_run_is_told_with_those_there_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    validated(tmp_path, make_run())

    for name in ("20200101T000000Z", "../validation", ".."):
        assert run(["report", SITE, "--run", name]) == ExitStatus.BAD_INPUT
        assert "there are: 20261121T080000Z" in capsys.readouterr().err
