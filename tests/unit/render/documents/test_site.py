"""All documents of a site: the same bytes every time, whole or not at all, and as stored for the sites kept here."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from rackproof.cli.app import run
from rackproof.render.documents import site
from rackproof.render.documents.record import File
from rackproof.render.documents.site import makers, render_documents, site_documents
from rackproof.render.folder import LIST, replace_folder
from tests.unit.render.documents.conftest import site_record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rackproof.render.documents.record import Record
    from tests.conftest import Golden

GOLDEN: Final = Path(__file__).resolve().parents[3] / "golden"
STORED: Final = ("metrum-h200", "metrum-mi300x")
"""Sites whose documents are small enough to be read in a diff."""
TEXT: Final = {".csv", ".svg", ".html"}
DIGEST: Final = """
import hashlib, sys
from pathlib import Path
from rackproof.plan.from_file import plan_site
from rackproof.render.documents.site import site_documents
planned, digest = plan_site(Path(sys.argv[1])), hashlib.sha256()
for file in site_documents(planned.plan, planned.catalogue):
    digest.update(file.path.encode() + file.content)
print(digest.hexdigest())
"""


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != LIST
    }


def digest_in_a_new_process(checkout: Path, seed: str) -> str:
    command = [sys.executable, "-c", DIGEST, "inventory/metrum-mi300x/site.yaml"]
    environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": str(checkout)}
    return subprocess.run(
        command, cwd=checkout, env=environment, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_the_same_plan_gives_the_same_bytes(checkout: Path) -> None:
    first, second = (digest_in_a_new_process(checkout, seed) for seed in ("1", "2"))

    assert first == second
    assert len(first) == hashlib.sha256().digest_size * 2


def test_every_module_with_files_makes_documents() -> None:
    assert {"bill_of_materials", "cable_schedule", "labels", "elevations", "book"} <= set(makers())
    assert not {"drawing", "table", "record", "page", "site"} & set(makers())


def test_no_two_documents_have_one_name(record: Record) -> None:
    paths = [file.path for file in site_documents(record.plan, record.catalogue)]

    assert len(paths) == len(set(paths))


def test_processes_make_the_same_documents(small: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    render_documents(small.plan, small.catalogue, tmp_path / "one")
    monkeypatch.setattr(site, "LARGE", 1)
    render_documents(small.plan, small.catalogue, tmp_path / "many")

    assert contents(tmp_path / "one") == contents(tmp_path / "many")


def test_a_second_time_nothing_is_touched(small: Record, tmp_path: Path) -> None:
    first = render_documents(small.plan, small.catalogue, tmp_path)
    before = {file: file.stat().st_ino for file in first.files}

    again = render_documents(small.plan, small.catalogue, tmp_path)

    assert (first.changed, again.changed) == (True, False)
    assert {file: file.stat().st_ino for file in again.files} == before


def test_what_is_no_longer_made_goes(small: Record, tmp_path: Path) -> None:
    stale = tmp_path / "documents" / "racks" / "gone.svg"

    def fill(new: Path) -> None:
        (new / "racks").mkdir()
        (new / "racks" / "gone.svg").touch()

    replace_folder(tmp_path, "documents", fill)
    (tmp_path / "cables.csv").write_text("rendered", encoding="utf-8")

    render_documents(small.plan, small.catalogue, tmp_path)

    assert not stale.exists()
    assert (tmp_path / "cables.csv").read_text(encoding="utf-8") == "rendered"


def test_a_failure_leaves_everything_as_it_was(small: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    render_documents(small.plan, small.catalogue, tmp_path)
    before = contents(tmp_path)

    def broken(_: Record) -> Iterator[File]:
        yield File("book.html", b"half")
        raise OSError("disk full")

    monkeypatch.setattr(site, "makers", lambda: {"broken": broken})
    with pytest.raises(OSError, match="disk full"):
        render_documents(small.plan, small.catalogue, tmp_path)

    assert contents(tmp_path) == before
    assert [path.name for path in tmp_path.parent.glob(f".{tmp_path.name}-*")] == []


def test_a_folder_takes_the_place_of_another(tmp_path: Path) -> None:
    def filled(text: str) -> bool:
        def fill(new: Path) -> None:
            (new / "a").write_text(text, encoding="utf-8")

        return replace_folder(tmp_path, "made", fill)

    assert [filled(text) for text in ("1", "1", "2")] == [True, False, True]
    assert contents(tmp_path) == {"made/a": b"2"}


def test_the_verb(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["documents", "metrum-h200", "--output", str(tmp_path)]

    assert [run(arguments), run(arguments)] == [0, 0]

    said = capsys.readouterr().out
    assert "Written to" in said
    assert "Nothing to change in" in said
    assert (tmp_path / "documents" / "book.html").is_file()


@pytest.mark.parametrize("stored", STORED)
def test_text_documents_are_as_stored(stored: str, golden: Golden, request: pytest.FixtureRequest) -> None:
    record = site_record(stored)
    folder = GOLDEN / record.plan.site / "documents"
    files = {
        file.path: file.content.decode()
        for file in site_documents(record.plan, record.catalogue)
        if Path(file.path).suffix in TEXT
    }
    stale = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} - set(files)
    if request.config.getoption("--update-golden"):
        for name in stale:
            (folder / name).unlink()
        stale = set()

    assert stale == set(), f"no longer made: {folder}/{sorted(stale)}; if that is right: `make golden`"
    for name, text in files.items():
        golden(folder / name, text)
