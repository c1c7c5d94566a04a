"""Generated files take nothing from a user: no file that Rackproof did not write is replaced or removed."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from rackproof import paths
from rackproof.errors import BadInputError
from rackproof.render.folder import LIST, replace_files, replace_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FILES = {"configs/a.cfg": [b"a"], "plan.json": [b"{}"]}


def put(path: Path, text: str = "mine") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda folder: put(folder / "configs" / "thesis.txt"), "configs/thesis.txt"),
        (lambda folder: put(folder / "plan.json"), "plan.json"),
        (lambda folder: put(folder / "configs"), "configs"),
        (lambda folder: (folder / "configs").symlink_to(folder.parent), "configs"),
        (lambda folder: (folder / "plan.json").symlink_to("nowhere"), "plan.json"),
        (lambda folder: os.mkfifo(folder / "plan.json"), "plan.json"),
        (lambda folder: put(folder / "plan.json" / "deep" / "file"), "plan.json/deep/file"),
    ],
)
def test_files_of_others_are_refused_and_stay(make: Callable[[Path], None], named: str, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    make(folder)
    before = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))

    with pytest.raises(BadInputError, match=f"did not write: {named}$"):
        replace_files(folder, FILES)

    assert sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*")) == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_file_added_later_to_a_generated_folder_is_refused(tmp_path: Path) -> None:
    replace_files(tmp_path / "out", FILES)
    put(tmp_path / "out" / "configs" / "notes.txt")

    with pytest.raises(BadInputError, match=r"configs/notes\.txt"):
        replace_files(tmp_path / "out", {"configs/b.cfg": [b"b"], "plan.json": [b"{}"]})

    assert (tmp_path / "out" / "configs" / "a.cfg").read_bytes() == b"a"


def test_our_own_files_are_replaced_and_removed(tmp_path: Path) -> None:
    replace_files(tmp_path, FILES)
    put(tmp_path / "configs" / "a.cfg", "edited")

    assert replace_files(tmp_path, {"configs/b.cfg": [b"b"], "plan.json": [b"{}"]})
    assert [path.name for path in (tmp_path / "configs").iterdir()] == ["b.cfg"]
    assert not replace_files(tmp_path, {"configs/b.cfg": [b"b"], "plan.json": [b"{}"]})


def test_commands_keep_one_list_for_a_folder(tmp_path: Path) -> None:
    replace_files(tmp_path, FILES)
    replace_folder(tmp_path, "documents", lambda new: put(new / "book.html"))

    assert (tmp_path / LIST).read_text().splitlines()[1:] == ["configs/a.cfg", "documents/book.html", "plan.json"]
    assert replace_files(tmp_path, {"plan.json": [b"[]"]})
    assert replace_folder(tmp_path, "documents", lambda new: put(new / "book.html", "new"))


def test_what_an_earlier_release_left_in_build_is_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "BUILD", tmp_path)
    put(tmp_path / "site" / "plan.json", "old")

    assert replace_files(tmp_path / "site", FILES)
    assert (tmp_path / "site" / "plan.json").read_bytes() == b"{}"


def test_two_at_once_leave_the_files_of_one(tmp_path: Path) -> None:
    failures: list[BaseException] = []

    def write(letter: bytes) -> None:
        try:
            for _ in range(20):
                replace_files(tmp_path / "out", {f"configs/{number}": [letter] for number in range(20)})
        except BaseException as error:  # noqa: BLE001 shown by the assertion
            failures.append(error)

    threads = [threading.Thread(target=write, args=(letter,)) for letter in (b"a", b"b", b"c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    assert len({path.read_bytes() for path in (tmp_path / "out" / "configs").iterdir()}) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
