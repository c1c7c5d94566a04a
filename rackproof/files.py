"""Files that change as a whole or not at all: whoever reads one sees what was there before, or all of what is new."""

import os
from collections.abc import Iterable
from pathlib import Path
from stat import S_IMODE


def write_whole(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file in place of what stood there; who may read it stays as it was.

    Raises
    ------
    OSError
        It cannot be written; the file is as it was.
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
