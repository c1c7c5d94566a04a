"""Reads the text of a file that a user names: regular files of a limited size, in UTF-8."""

import os
import stat
from pathlib import Path
from typing import Final

from rackproof.errors import BadInputError

SIZE_MAX_BYTES: Final = 1 << 20
"""Largest file that is read where nothing else is said: a site of thousands of servers takes a few kilobytes."""

OTHER_KINDS: Final = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}
"""Type of a file (inode(7)) that has no end or no text to what it is called."""


class AbsentFileError(BadInputError):
    """There is no such file."""


def read_text(path: Path, size_max_bytes: int = SIZE_MAX_BYTES) -> str:
    """Return the text of a file, without a byte order mark.

    Raises
    ------
    AbsentFileError
        There is no such file.
    BadInputError
        It is no regular file, cannot be read, is larger than ``size_max_bytes``, or is no text.
    """
    content = _read_bytes(path, size_max_bytes)
    if len(content) > size_max_bytes:
        message = f"{path} is larger than such a file can be ({size_max_bytes >> 20} MiB)"
        raise BadInputError(message, "is it the right file?")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        message = f"{path} is no UTF-8 text: byte {error.object[error.start]:#04x} in line {line}"
        raise BadInputError(message, "save it with the encoding UTF-8") from error


def _read_bytes(path: Path, size_max_bytes: int) -> bytes:
    """Return the bytes of a regular file, one more than ``size_max_bytes`` at most."""
    try:
        _refuse_other_kinds(path, path.stat().st_mode)
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            _refuse_other_kinds(path, os.fstat(file.fileno()).st_mode)
            return file.read(size_max_bytes + 1)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise AbsentFileError(f"cannot read {path}: {error.strerror}") from error
    except (OSError, ValueError) as error:
        raise BadInputError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error


def _refuse_other_kinds(path: Path, mode: int) -> None:
    """Refuse what is no regular file before it is opened: a pipe would block, and a device may act on being opened.

    Raises
    ------
    BadInputError
        It is no regular file.
    """
    if stat.S_ISDIR(mode):
        raise BadInputError(f"{path} is a folder", "give the path of the file in it")
    if not stat.S_ISREG(mode):
        kind = OTHER_KINDS.get(stat.S_IFMT(mode), "no regular file")
        raise BadInputError(f"{path} is {kind}, not a file", "give the path of a regular file")
