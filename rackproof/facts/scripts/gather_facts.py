"""Runs on a host, with nothing but Python 3.8: runs read-only commands, each bounded in time and output.

Sent as text to the host's own Python together with the commands; it prints one JSON document: command, word for word,
to ``[status, output, standard error]``. The status is null where a command was killed; the reason is then the last line
of the third. A command that hangs does not stop the others: each has a process group of its own, and one that cannot
be killed (a file system that does not answer) is left behind.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any

COMMAND_S = 20.0
"""Longest that one command may take. ``nvidia-smi`` without persistence takes about a second for each GPU."""
TOTAL_S = 60.0
"""Longest that all of them may take."""
OUTPUT_BYTES = 2_000_000
"""Most that one command may print; ``nvidia-smi -q`` of eight GPUs prints about a tenth."""
AT_ONCE = 16
"""Most commands at the same time; on small machines four times their processors, for most of them only wait."""
LAST_S = 1.0
"""Longest wait for a killed process."""
READ_BYTES = 65536
ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C", "HOME": "/"}
"""The same for all hosts, so that the login user's variables do not change the output."""


def gathered(text: str) -> str:
    """Run the commands of a JSON list and return their results as JSON."""
    return json.dumps(gather(json.loads(text)))


def gather(commands: list[str], command_s: float = COMMAND_S, total_s: float = TOTAL_S) -> dict[str, list[Any]]:
    """Run commands and return their results: status, output, error.

    Parameters
    ----------
    commands
        Lines of the shell that read only.
    command_s, total_s
        Seconds that each, and all together, may take.
    """
    end = time.monotonic() + total_s
    workers = min(AT_ONCE, 4 * (os.cpu_count() or 1), max(1, len(commands)))
    with ThreadPoolExecutor(workers) as pool:
        asked = {command: pool.submit(answer, command, command_s, end) for command in commands}
        return {command: future.result() for command, future in asked.items()}


def answer(command: str, command_s: float, end: float) -> list[Any]:
    """Run one command; ``end`` is when all of them must be done, by the monotonic clock."""
    until = min(time.monotonic() + command_s, end)
    if until <= time.monotonic():
        return [None, "", "not begun: the commands before it took all the time there was"]
    process = subprocess.Popen(  # noqa: S603 the commands are Rackproof's own
        ["/bin/sh", "-c", command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd="/",
        env=ENVIRONMENT,
        start_new_session=True,
    )
    output, error, reason = read(process, until)
    status = None if reason else ended(process, until)
    if status is None:
        kill(process)
        reason = reason or took_too_long(command_s)
        error += ("\n" if error and not error.endswith("\n") else "") + reason
    return [status, output, error]


def read(process: subprocess.Popen[bytes], until: float) -> tuple[str, str, str]:
    """Return both outputs of a process, and why reading stopped early; empty: all was read."""
    pipes = [pipe for pipe in (process.stdout, process.stderr) if pipe is not None]
    taken: dict[int, list[bytes]] = {pipe.fileno(): [] for pipe in pipes}
    begun = time.monotonic()
    with selectors.DefaultSelector() as selector:
        for pipe in pipes:
            selector.register(pipe, selectors.EVENT_READ)
        reason = take(selector, taken, begun, until)
    output, error = (b"".join(parts).decode("utf-8", "replace") for parts in taken.values())
    close(pipes)
    return output, error, reason


def take(selector: selectors.BaseSelector, taken: dict[int, list[bytes]], begun: float, until: float) -> str:
    """Read from pipes until all are closed; return why it stopped before that, if it did."""
    while selector.get_map():
        ready = selector.select(max(0.0, until - time.monotonic()))
        if not ready:
            return took_too_long(until - begun)
        for key, _ in ready:
            part = os.read(key.fd, READ_BYTES)
            taken[key.fd].append(part)
            if not part:
                selector.unregister(key.fileobj)
            if sum(map(len, taken[key.fd])) > OUTPUT_BYTES:
                return f"ended: it printed more than {OUTPUT_BYTES} bytes"
    return ""


def ended(process: subprocess.Popen[bytes], until: float) -> int | None:
    """Return a process's status; None: it still runs at the limit."""
    try:
        return process.wait(max(0.0, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        return None


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process group; the wait is short, because a process may ignore every signal."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(LAST_S)
    except (OSError, subprocess.TimeoutExpired):
        return


def close(pipes: list[IO[bytes]]) -> None:
    """Close the pipes; a process that still writes gets SIGPIPE."""
    for pipe in pipes:
        pipe.close()


def took_too_long(limit_s: float) -> str:
    """Return the reason for ending a command that hangs."""
    return f"ended: it did not end by itself within {round(limit_s, 1):g} s"
