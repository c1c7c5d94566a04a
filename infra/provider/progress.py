"""Progress lines of the provider in the engine's display, each at its resource."""

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
"""A device with more changes shows counts instead of a list; `pulumi preview --diff` shows every key."""


class EngineProgress:
    """Sends lines about the progress on a device to the engine, which shows them to the user.

    Parameters
    ----------
    engine_address
        Host and port of the engine's gRPC service, as the engine gives it on the command line.
    """

    def __init__(self, engine_address: str) -> None:
        self._engine_address = engine_address
        self._engine: engine_pb2_grpc.EngineAsyncStub | None = None
        self._passing: set[asyncio.Task[None]] = set()

    async def report(self, urn: str, *lines: str) -> None:
        """Show lines at the resource with this URN."""
        if lines:
            await self._log(urn, "\n".join(lines), ephemeral=False)

    def step_report(self, urn: str) -> Report:
        """Return the receiver of a step's events, which shows the current action; the next action replaces it."""

        def report(event: Event) -> None:
            if isinstance(event, Progressed):
                task = asyncio.create_task(self._log(urn, event.doing, ephemeral=True))
                self._passing.add(task)
                task.add_done_callback(self._passing.discard)

        return report

    async def _log(self, urn: str, message: str, *, ephemeral: bool) -> None:
        """Send a line to the engine.

        When the engine has ended the line is dropped; a device that is being changed is finished all the same.
        """
        if self._engine is None:
            stub = engine_pb2_grpc.EngineStub(grpc.aio.insecure_channel(self._engine_address))
            self._engine = cast("engine_pb2_grpc.EngineAsyncStub", stub)
        request = engine_pb2.LogRequest(severity=engine_pb2.INFO, message=message, urn=urn, ephemeral=ephemeral)
        with suppress(grpc.aio.AioRpcError):
            await self._engine.Log(request)


def change_lines(changes: Sequence[Change]) -> Iterator[str]:
    """Yield lines about the changes of a device: each change, or the number of each kind."""
    if len(changes) <= LINES_A_PERSON_READS:
        yield from map(str, changes)
        return
    sorts = Counter(str(change.path[0]) for change in changes)
    worst = max((change.disruption for change in changes), key=lambda disruption: disruption.rank)
    counts = ", ".join(f"{sort} {count}" for sort, count in sorts.items())
    yield f"{len(changes)} changes ({counts}); disruption at most: {worst.replace('-', ' ')}"


def outcome_lines(applied: Applied) -> Iterator[str]:
    """Yield lines about a completed change: what is still pending, and notes."""
    yield from (f"pending: {pending}" for pending in applied.pending)
    yield from applied.notes
