"""Runs on a host: writes and reads a block on a mount again and again, and says how long it waited at most.

Sent as text to the host's own Python (3.9 or newer), so it imports the standard library only. Its file has no name any
more once it is open: whatever ends this script, also a kill, leaves nothing on the storage.
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
"""Direct access asks for a multiple of a page."""
PAUSE_S = 0.1


def main(folder: str, seconds: float) -> None:
    """Write and read until the time is over, and print what came of it."""
    descriptor, name = tempfile.mkstemp(dir=folder, prefix=".rackproof-")
    os.close(descriptor)
    file = os.open(name, os.O_RDWR | getattr(os, "O_DIRECT", 0))
    Path(name).unlink()
    block = mmap.mmap(-1, BLOCK_BYTES)  # on a page's boundary, as direct access asks for
    began = time.monotonic()
    longest_s, answers, same = 0.0, 0, True
    while time.monotonic() - began < seconds:
        asked = time.monotonic()
        written = os.urandom(BLOCK_BYTES)
        block.seek(0)
        block.write(written)
        os.pwrite(file, block, 0)
        os.fsync(file)
        block.seek(0)
        block.write(bytes(BLOCK_BYTES))
        os.preadv(file, [block], 0)
        same = same and block[:] == written
        longest_s, answers = max(longest_s, time.monotonic() - asked), answers + 1
        time.sleep(PAUSE_S)
    sys.stdout.write(json.dumps({"longest_s": longest_s, "answers": answers, "same": same}) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
