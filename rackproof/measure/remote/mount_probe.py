"""Runs on a host: writes and reads a block on a mount repeatedly, and prints the longest wait.

Sent as text to the host's own Python (3.9 or newer), so it imports the standard library only. The file is unlinked as
soon as it is open: however this script ends, also by a kill, nothing remains on the storage.
"""

from __future__ import annotations

import json
import mmap
import os
import sys
import tempfile
import time
from pathlib import Path

BLOCK_BYTES = 4096
"""Direct I/O needs a multiple of a page."""
PAUSE_S = 0.1


def main(folder: str, seconds: float) -> None:
    """Write and read until the time is over, and print longest wait, number of answers and whether data was intact."""
    file = unlinked_file(folder)
    block = mmap.mmap(-1, BLOCK_BYTES)  # aligned to a page, as direct I/O needs
    began = time.monotonic()
    longest_s, answers, same = 0.0, 0, True
    while time.monotonic() - began < seconds:
        started = time.monotonic()
        same = write_and_read_back(file, block) and same
        longest_s, answers = max(longest_s, time.monotonic() - started), answers + 1
        time.sleep(PAUSE_S)
    sys.stdout.write(json.dumps({"longest_s": longest_s, "answers": answers, "same": same}) + "\n")


def unlinked_file(folder: str) -> int:
    """Return the descriptor of a new file on the mount, opened for direct I/O and unlinked."""
    descriptor, name = tempfile.mkstemp(dir=folder, prefix=".rackproof-")
    os.close(descriptor)
    file = os.open(name, os.O_RDWR | getattr(os, "O_DIRECT", 0))
    Path(name).unlink()
    return file


def write_and_read_back(file: int, block: mmap.mmap) -> bool:
    """Write a random block, read it back, and return whether it is the same."""
    written = os.urandom(BLOCK_BYTES)
    block.seek(0)
    block.write(written)
    os.pwrite(file, block, 0)
    os.fsync(file)
    block.seek(0)
    block.write(bytes(BLOCK_BYTES))
    os.preadv(file, [block], 0)
    return block[:] == written


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
