"""Signals that end a command: SIGTERM and SIGHUP do what Ctrl-C (SIGINT) does."""

import os
import signal
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final

LIKE_CTRL_C: Final = (signal.SIGTERM, signal.SIGHUP)
ENDING: Final = (signal.SIGINT, *LIKE_CTRL_C)


def end_as_by_ctrl_c() -> None:
    """Let SIGTERM and SIGHUP raise KeyboardInterrupt; one that is ignored (`nohup`) stays ignored."""
    for number in LIKE_CTRL_C:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _interrupt)


@contextmanager
def caught(act: Callable[[], object]) -> Iterator[None]:
    """Call ``act`` at the first signal that ends a command, and raise KeyboardInterrupt at the second one."""
    seen: list[int] = []

    def take(number: int, frame: FrameType | None) -> None:
        seen.append(number)
        if len(seen) > 1:
            _interrupt(number, frame)
        leave_terminal(number)
        act()

    before = {number: signal.getsignal(number) for number in ENDING}
    try:
        for number, handler in before.items():
            if callable(handler):
                signal.signal(number, take)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def leave_terminal(number: int) -> None:
    """Write no more to a terminal that is gone: each write would fail in the middle of a rollback."""
    if number != signal.SIGHUP:
        return
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (1, 2):
        with suppress(OSError):
            if stat.S_ISCHR(os.fstat(stream).st_mode):
                os.dup2(nowhere, stream)
    os.close(nowhere)


def _interrupt(number: int, _frame: FrameType | None) -> None:
    leave_terminal(number)
    raise KeyboardInterrupt
