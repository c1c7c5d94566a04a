"""Files change as a whole: nobody sees half of one, and nothing is left beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rackproof.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "record.yaml"
    path.write_bytes(b"before\n")
    path.chmod(0o640)
    return path


def breaking_off() -> Iterator[bytes]:
    yield b"half"
    raise OSError("no space left on device")


def test_what_was_there_is_replaced_for_the_same_readers(file: Path) -> None:
    write_whole(file, [b"aft", b"er\n"])

    assert file.read_bytes() == b"after\n"
    assert file.stat().st_mode & 0o777 == 0o640


def test_broken_off_writing_leaves_the_file_as_it_was(file: Path) -> None:
    with pytest.raises(OSError, match="no space left"):
        write_whole(file, breaking_off())

    assert file.read_bytes() == b"before\n"
    assert list(file.parent.iterdir()) == [file]


def test_new_file_is_as_readable_as_any_other(tmp_path: Path) -> None:
    write_whole(tmp_path / "new", [b""])
    (tmp_path / "other").touch()

    assert (tmp_path / "new").stat().st_mode == (tmp_path / "other").stat().st_mode
