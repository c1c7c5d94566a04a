"""Asynchronous work of a verb, with the signals that end it."""

import asyncio
import threading
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from rackproof.cli.signals import caught
from rackproof.errors import RackproofError

T = TypeVar("T")


def run_to_end(work: Coroutine[Any, Any, T], in_progress: "Sequence[str] | set[str]" = ()) -> T:
    """Run asynchronous work; the first Ctrl-C lets it finish or roll back, the second one stops it at once.

    SIGTERM and SIGHUP do what Ctrl-C does.

    Raises
    ------
    RackproofError
        A second Ctrl-C came while devices were being changed; the message names them.
    """
    try:
        return asyncio.run(cancelled_by_signals(work))
    except (KeyboardInterrupt, asyncio.CancelledError) as error:
        devices = ", ".join(sorted(in_progress))
        if not devices or isinstance(error, asyncio.CancelledError):
            raise KeyboardInterrupt from error
        message = f"stopped at once, while changes were in progress on {devices}"
        hint = (
            "a switch rolls back when its timer ends, within half an hour; a host keeps the changes that were made. "
            "Then run the command again"
        )
        raise RackproofError(message, hint) from error


async def cancelled_by_signals(work: Coroutine[Any, Any, T]) -> T:
    """Await work; the first signal that ends a command cancels it."""
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()

    def cancel() -> None:
        if task is not None:
            loop.call_soon_threadsafe(task.cancel)

    if threading.current_thread() is not threading.main_thread():
        return await work  # only the main thread takes signals
    with caught(cancel):
        return await work
