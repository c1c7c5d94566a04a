"""A thread for the blocking calls to one device, which run one after the other."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class DeviceThread:
    """Runs calls in one daemon thread, which does not delay the end of the program."""

    def __init__(self, name: str) -> None:
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        threading.Thread(target=self._work, name=name, daemon=True).start()

    async def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function in the thread; return its result or raise its exception."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()

        def settle(act: Callable[[], None]) -> None:
            def act_if_waiting() -> None:
                if not answer.done():
                    act()

            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(act_if_waiting)

        def run() -> None:
            try:
                result = function(*args, **kwargs)
            except Exception as error:  # noqa: BLE001 it is raised again where the call is awaited
                failure = error
                settle(lambda: answer.set_exception(failure))
            else:
                settle(lambda: answer.set_result(result))

        self._calls.put(run)
        return await answer

    def leave(self, function: Callable[[], object]) -> None:
        """Queue a function without waiting for it; its exceptions are ignored."""

        def run() -> None:
            with suppress(Exception):
                function()

        self._calls.put(run)

    def stop(self) -> None:
        """End the thread after the queued calls."""
        self._calls.put(None)

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            call()
