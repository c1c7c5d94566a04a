"""A dossier is genuine, or it is said which of its files is not; the same run gives the same bytes."""

from __future__ import annotations

import json
import shutil
import zipfile
from typing import TYPE_CHECKING

import pytest

from rackproof.errors import BadInputError
from rackproof.report.bundle.keys import load_public_key, make_keys
from rackproof.report.bundle.verify import verify
from tests.unit.report.runs import make_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.unit.report.conftest import Maker


def kinds(path: Path, public: Path) -> list[tuple[str, str]]:
    return [(finding.kind, finding.file) for finding in verify(path, load_public_key(public)).findings]


def repacked(bundle: Path, change: Callable[[str, bytes], bytes | None], *more: tuple[str, bytes]) -> Path:
    """The bundle with its files changed; None takes one away."""
    path = bundle.parent.parent / "changed.zip"
    with zipfile.ZipFile(bundle) as source, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for entry in source.infolist():
            content = change(entry.filename.partition("/")[2], source.read(entry))
            if content is not None:
                target.writestr(entry.filename, content)
        top = source.namelist()[0].partition("/")[0]
        for name, content in more:
            target.writestr(f"{top}/{name}", content)
    return path


def test_what_was_signed_is_genuine(make: Maker, keys: tuple[Path, Path], tmp_path: Path) -> None:
    folder = make(make_run())
    with zipfile.ZipFile(folder / "bundle.zip") as bundle:
        bundle.extractall(tmp_path / "stick")

    unpacked = tmp_path / "stick" / "two-racks-20261121T080000Z"
    for path in (folder, folder / "bundle.zip", unpacked):
        found = verify(path, load_public_key(keys[1]))
        assert (found.genuine, found.findings) == (True, ())
        assert found.manifest is not None
        assert (found.manifest.verdict, found.manifest.site) == ("passed", "two-racks")
    assert (unpacked / "inputs" / "site.yaml").read_bytes() == (folder / "inputs" / "site.yaml").read_bytes()


def test_the_same_run_gives_the_same_bytes(make: Maker) -> None:
    first, second = make(make_run()), make(make_run(), "second")

    assert (first / "bundle.zip").read_bytes() == (second / "bundle.zip").read_bytes()


@pytest.mark.parametrize("name", ["dossier.html", "inputs/site.yaml", "evidence/logs/gpu-001-rail0.txt", "junit.xml"])
def test_a_changed_file_is_named(make: Maker, keys: tuple[Path, Path], name: str) -> None:
    folder = make(make_run())
    changed = repacked(folder / "bundle.zip", lambda one, text: text.replace(b"a", b"b", 1) if one == name else text)
    file = folder / name
    file.write_bytes(file.read_bytes() + b" ")

    assert kinds(changed, keys[1]) == [("changed", name)]
    assert kinds(folder, keys[1]) == [("changed", name)]


def test_a_missing_file_is_named(make: Maker, keys: tuple[Path, Path]) -> None:
    folder = make(make_run())
    changed = repacked(folder / "bundle.zip", lambda one, text: None if one == "dossier.pdf" else text)
    (folder / "dossier.pdf").unlink()

    assert kinds(changed, keys[1]) == kinds(folder, keys[1]) == [("missing", "dossier.pdf")]


def test_an_added_file_is_named(make: Maker, keys: tuple[Path, Path]) -> None:
    folder = make(make_run())
    changed = repacked(folder / "bundle.zip", lambda _, text: text, ("evidence/logs/more.txt", b"fine"))
    (folder / "evidence" / "logs" / "more.txt").symlink_to("/etc/hostname")

    assert kinds(changed, keys[1]) == kinds(folder, keys[1]) == [("added", "evidence/logs/more.txt")]


def test_a_file_outside_its_folder_is_named(make: Maker, keys: tuple[Path, Path]) -> None:
    changed = repacked(make(make_run()) / "bundle.zip", lambda _, text: text)
    with zipfile.ZipFile(changed, "a") as bundle:
        bundle.writestr("../elsewhere.txt", b"fine")

    assert kinds(changed, keys[1]) == [("added", "../elsewhere.txt")]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_file_that_is_there_twice_is_named(make: Maker, keys: tuple[Path, Path]) -> None:
    folder = make(make_run())
    page = (folder / "dossier.html").read_bytes()
    changed = repacked(folder / "bundle.zip", lambda _, text: text, ("dossier.html", page))

    assert kinds(changed, keys[1]) == [("added", "dossier.html")]


def test_a_manifest_that_was_made_to_fit_is_not_signed(make: Maker, keys: tuple[Path, Path]) -> None:
    folder = make(make_run())
    manifest = json.loads((folder / "manifest.json").read_bytes())
    manifest["verdict"] = "failed"
    (folder / "manifest.json").write_text(json.dumps(manifest))

    assert kinds(folder, keys[1]) == [("changed", "manifest.json")]


def test_the_signature_of_another_run_does_not_fit(make: Maker, keys: tuple[Path, Path]) -> None:
    folder, other = make(make_run()), make(make_run(), "other", "metrum-2025")
    shutil.copy(other / "manifest.sig", folder / "manifest.sig")

    assert kinds(folder, keys[1]) == [("changed", "manifest.json")]


def test_the_key_of_somebody_else_verifies_nothing(make: Maker, tmp_path: Path) -> None:
    found = verify(make(make_run()), load_public_key(make_keys(tmp_path / "other.key")))

    assert [(one.kind, one.file) for one in found.findings] == [("not signed", "manifest.json")]
    assert "it names the key SHA256:" in found.findings[0].text


def test_what_nobody_signed_is_not_genuine(make: Maker, keys: tuple[Path, Path]) -> None:
    unsigned, signed = make(make_run(), "unsigned", signed=False), make(make_run())
    (signed / "manifest.sig").unlink()

    assert kinds(unsigned, keys[1]) == [("not signed", "manifest.sig")]
    assert kinds(signed, keys[1]) == [("missing", "manifest.sig")]
    assert "This dossier is not signed" in (unsigned / "dossier.html").read_text()


def test_without_a_manifest_nothing_is_believed(make: Maker, keys: tuple[Path, Path]) -> None:
    folder = make(make_run())
    (folder / "manifest.json").write_text("[]")
    assert kinds(folder, keys[1]) == [("changed", "manifest.json")]

    (folder / "manifest.json").unlink()
    assert kinds(folder, keys[1]) == [("missing", "manifest.json")]


def test_a_broken_bundle_is_not_genuine(make: Maker, keys: tuple[Path, Path]) -> None:
    folder = make(make_run())
    whole = (folder / "bundle.zip").read_bytes()
    path = folder.parent / "broken.zip"
    with zipfile.ZipFile(folder / "bundle.zip") as bundle:
        entry = next(one for one in bundle.infolist() if one.filename.endswith("/dossier.html"))
    middle = entry.header_offset + 30 + len(entry.filename) + entry.compress_size // 2
    path.write_bytes(whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :])

    assert kinds(path, keys[1]) == [("changed", "dossier.html")]


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 not really", b"text"])
def test_what_is_no_bundle_is_refused(tmp_path: Path, keys: tuple[Path, Path], content: bytes) -> None:
    path = tmp_path / "bundle.zip"
    path.write_bytes(content)

    with pytest.raises(BadInputError, match="is not a bundle"):
        verify(path, load_public_key(keys[1]))
    with pytest.raises(BadInputError, match="cannot be read"):
        verify(tmp_path / "nowhere.zip", load_public_key(keys[1]))


def test_one_that_unpacks_to_more_than_it_says_is_not_unpacked(make: Maker, keys: tuple[Path, Path]) -> None:
    changed = repacked(
        make(make_run()) / "bundle.zip", lambda one, text: bytes(50_000_000) if one == "dossier.md" else text
    )
    found = verify(changed, load_public_key(keys[1])).findings

    assert [(one.kind, one.file) for one in found] == [("changed", "dossier.md")]
    assert "bytes long" in found[0].text
