"""Atomic file replacement: a reader sees the old content or all of the new content."""

import os
from collections.abc import Iterable
from pathlib import Path
from stat import S_IMODE


def write_whole(path: Path, pieces: Iterable[bytes]) -> None:
    """Replace a file atomically; its permissions stay.

    Raises
    ------
    OSError
        It cannot be written; the old file is unchanged.
    """
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with unfinished.open("wb") as file:
            if path.exists():
                os.fchmod(file.fileno(), S_IMODE(path.stat().st_mode))
            file.writelines(pieces)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
