"""A lab inside this process: the event loop runs in a thread, so that blocking clients can talk to it."""

import asyncio
import threading
from collections.abc import Coroutine
from types import TracebackType
from typing import Self, TypeVar

from lab.daemon.running_lab import RunningLab
from lab.fabric.fabric import Fabric
from lab.spec.models import LabSite

Result = TypeVar("Result")


class LabThread:
    """A running lab in a thread of its own; a context manager."""

    def __init__(self, site: LabSite, password: str, fabric: Fabric | None = None) -> None:
        self.password = password
        self._fabric = fabric
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=f"lab {site.name}", daemon=True)
        self.lab = self._in_loop(site)

    def _in_loop(self, site: LabSite) -> RunningLab:
        return RunningLab(site, self.password, self._fabric)

    def call(self, work: Coroutine[object, object, Result]) -> Result:
        """Run a coroutine of the lab in its loop and return what it returns."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def port(self, switch: str) -> int:
        """Return the loopback port a switch answers on."""
        return self.lab.endpoints[switch].port

    def __enter__(self) -> Self:
        """Start the thread and all switches."""
        self._thread.start()
        self.call(self.lab.__aenter__())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the switches and the thread."""
        self.call(self.lab.__aexit__(kind, error, trace))
        self.call(_settle())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _settle() -> None:
    """Cancel all other tasks and wait for their end before the loop stops."""
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
