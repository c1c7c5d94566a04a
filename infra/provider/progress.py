"""Lines the provider adds to the engine's display, each beside the resource it is about."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import cast

import grpc.aio
from pulumi.runtime.proto import engine_pb2, engine_pb2_grpc

from rackproof.deploy.events import Event, Progressed, Report
from rackproof.deploy.protocol import Applied, Change

LINES_A_PERSON_READS = 20
"""More changes than this on one device are counted instead of listed; `pulumi preview --diff` has every key."""


class Account:
    """Tells the engine, and through it the person, what happens on a device.

    Parameters
    ----------
    engine_address
        Host and port of the engine's gRPC service, as the engine gives it on the command line.
    """

    def __init__(self, engine_address: str) -> None:
        self._engine_address = engine_address
        self._engine: engine_pb2_grpc.EngineAsyncStub | None = None
        self._passing: set[asyncio.Task[None]] = set()

    async def tell(self, urn: str, *lines: str) -> None:
        """Show lines beside the resource with this URN."""
        if lines:
            await self._log(urn, "\n".join(lines), ephemeral=False)

    def progress_of(self, urn: str) -> Report:
        """Return where a step tells what it does now; the next such line takes its place."""

        def report(event: Event) -> None:
            if isinstance(event, Progressed):
                task = asyncio.create_task(self._log(urn, event.doing, ephemeral=True))
                self._passing.add(task)
                task.add_done_callback(self._passing.discard)

        return report

    async def _log(self, urn: str, message: str, *, ephemeral: bool) -> None:
        """Say something to the engine.

        An engine that has gone away has nobody to show it to; a device in hand is finished all the same.
        """
        if self._engine is None:
            stub = engine_pb2_grpc.EngineStub(grpc.aio.insecure_channel(self._engine_address))
            self._engine = cast("engine_pb2_grpc.EngineAsyncStub", stub)
        request = engine_pb2.LogRequest(severity=engine_pb2.INFO, message=message, urn=urn, ephemeral=ephemeral)
        with suppress(grpc.aio.AioRpcError):
            await self._engine.Log(request)


def lines_of_changes(changes: Sequence[Change]) -> Iterator[str]:
    """Yield what would change as a person reads it: each change, or how many of which sort."""
    if len(changes) <= LINES_A_PERSON_READS:
        yield from map(str, changes)
        return
    sorts = Counter(str(change.path[0]) for change in changes)
    worst = max((change.disruption for change in changes), key=lambda disruption: disruption.rank)
    counts = ", ".join(f"{sort} {count}" for sort, count in sorts.items())
    yield f"{len(changes)} changes ({counts}); disruption at most: {worst.replace('-', ' ')}"


def lines_of_outcome(applied: Applied) -> Iterator[str]:
    """Yield what a person should know about a change that went well."""
    yield from (f"pending: {pending}" for pending in applied.pending)
    yield from applied.notes
