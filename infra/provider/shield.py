"""Devices that are being changed: started work is finished or rolled back, even if its caller is cancelled."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from rackproof.errors import RackproofError

Outcome = TypeVar("Outcome")


class CancelledBeforeStartError(RackproofError):
    """The run was cancelled before this device's turn came."""


class DevicesInProgress:
    """Runs the work on several devices concurrently; after a cancellation no new work starts."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()
        self._cancelled = False

    async def finish(self, device: str, work: Coroutine[Any, Any, Outcome]) -> Outcome:
        """Return what the work on a device returns; the work goes on when the caller is cancelled.

        Raises
        ------
        CancelledBeforeStartError
            The run was cancelled before; the device was not touched.
        """
        if self._cancelled:
            work.close()
            raise CancelledBeforeStartError(
                f"{device}: not changed, because the run was cancelled before its turn",
                "run the same command again to go on",
            )
        task = asyncio.create_task(work, name=device)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return await asyncio.shield(task)

    async def cancel(self) -> None:
        """Start no new work, and wait until every device that is being changed is finished or rolled back."""
        self._cancelled = True
        if self._running:
            await asyncio.wait(self._running)
