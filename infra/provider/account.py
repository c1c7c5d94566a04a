"""Lines the provider adds to the engine's display, each beside the resource it is about."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import cast

import grpc.aio
from pulumi.runtime.proto import engine_pb2, engine_pb2_grpc

from rackproof.deploy.step import Applied, Change

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

    async def tell(self, urn: str, *lines: str) -> None:
        """Show lines beside the resource with this URN.

        An engine that has gone away has nobody to show it to; a device in hand is finished all the same.
        """
        if not lines:
            return
        if self._engine is None:
            stub = engine_pb2_grpc.EngineStub(grpc.aio.insecure_channel(self._engine_address))
            self._engine = cast("engine_pb2_grpc.EngineAsyncStub", stub)
        request = engine_pb2.LogRequest(severity=engine_pb2.INFO, message="\n".join(lines), urn=urn)
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
