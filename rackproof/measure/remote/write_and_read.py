"""Runs on a host: writes files on a mount, past every cache, and reads them back; says how long each took.

Sent as text to the host's own Python (3.9 or newer), so it imports the standard library only. A file has no name any
more once it is open: whatever ends this script, also a kill, leaves nothing on the storage.
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
"""A multiple of every block size that direct access asks for."""


def main(folder: str, size_bytes: int, writers: int) -> None:
    """Let several writers each write and read a file, and print what came of it."""
    jobs = [Job(folder, max(size_bytes // BLOCK_BYTES, 1)) for _ in range(writers)]
    wrote_s = together([job.write for job in jobs])
    read_s = together([job.read for job in jobs])
    same = all(job.wrote.digest() == job.found.digest() for job in jobs)
    done = sum(job.blocks for job in jobs) * BLOCK_BYTES
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


class Job:
    """One file; its blocks are all different, so that nobody on the way can leave any out."""

    def __init__(self, folder: str, blocks: int) -> None:
        self.blocks = blocks
        descriptor, name = tempfile.mkstemp(dir=folder, prefix=".rackproof-")
        os.close(descriptor)
        # Past the page cache on both ways: what is read comes from the storage.
        self.file = os.open(name, os.O_RDWR | getattr(os, "O_DIRECT", 0))
        Path(name).unlink()
        self.buffer = mmap.mmap(-1, BLOCK_BYTES)  # on a page's boundary, as direct access asks for
        self.seed = os.urandom(BLOCK_BYTES - 8)
        self.wrote, self.found = hashlib.sha256(), hashlib.sha256()

    def write(self) -> None:
        """Write the file until the storage has it."""
        for number in range(self.blocks):
            self.buffer.seek(0)
            self.buffer.write(number.to_bytes(8, "big") + self.seed)
            os.pwrite(self.file, self.buffer, number * BLOCK_BYTES)
            self.wrote.update(number.to_bytes(8, "big"))
        os.fsync(self.file)

    def read(self) -> None:
        """Read it back."""
        for number in range(self.blocks):
            os.preadv(self.file, [self.buffer], number * BLOCK_BYTES)
            self.buffer.seek(0)
            head = self.buffer.read(8)
            self.found.update(head if self.buffer.read() == self.seed else b"other")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
