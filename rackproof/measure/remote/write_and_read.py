"""Runs on a host: writes files on a mount with direct I/O, reads them back, and prints how long both took.

Sent as text to the host's own Python (3.9 or newer), so it imports the standard library only. A file is unlinked as
soon as it is open: however this script ends, also by a kill, nothing remains on the storage.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

BLOCK_BYTES = 4 << 20
"""A multiple of every block size that direct I/O needs."""


def main(folder: str, size_bytes: int, writers: int) -> None:
    """Write and read one file for each writer at the same time; print bytes, durations and whether data was intact."""
    files = [TestFile(folder, max(size_bytes // BLOCK_BYTES, 1)) for _ in range(writers)]
    wrote_s = together([file.write for file in files])
    read_s = together([file.read for file in files])
    same = all(file.wrote.digest() == file.found.digest() for file in files)
    done = sum(file.blocks for file in files) * BLOCK_BYTES
    sys.stdout.write(json.dumps({"bytes": done, "wrote_s": wrote_s, "read_s": read_s, "same": same}) + "\n")


def together(works: Sequence[Callable[[], None]]) -> float:
    """Run functions at the same time and return how long the last one took."""
    errors: list[OSError] = []

    def guarded(work: Callable[[], None]) -> None:
        try:
            work()
        except OSError as error:
            errors.append(error)

    began = time.monotonic()
    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return time.monotonic() - began


class TestFile:
    """One file; all its blocks differ, so that no cache or storage on the path can deduplicate them."""

    def __init__(self, folder: str, blocks: int) -> None:
        self.blocks = blocks
        descriptor, name = tempfile.mkstemp(dir=folder, prefix=".rackproof-")
        os.close(descriptor)
        # Bypasses the page cache both ways: the data read comes from the storage.
        self.file = os.open(name, os.O_RDWR | getattr(os, "O_DIRECT", 0))
        Path(name).unlink()
        self.buffer = mmap.mmap(-1, BLOCK_BYTES)  # aligned to a page, as direct I/O needs
        self.seed = os.urandom(BLOCK_BYTES - 8)
        self.wrote, self.found = hashlib.sha256(), hashlib.sha256()

    def write(self) -> None:
        """Write the file and flush it to the storage."""
        for number in range(self.blocks):
            self.buffer.seek(0)
            self.buffer.write(number.to_bytes(8, "big") + self.seed)
            os.pwrite(self.file, self.buffer, number * BLOCK_BYTES)
            self.wrote.update(number.to_bytes(8, "big"))
        os.fsync(self.file)

    def read(self) -> None:
        """Read the file back."""
        for number in range(self.blocks):
            os.preadv(self.file, [self.buffer], number * BLOCK_BYTES)
            self.buffer.seek(0)
            head = self.buffer.read(8)
            self.found.update(head if self.buffer.read() == self.seed else b"other")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
