"""The gRPC service of the provider: the SDK's service with our error messages, and the start of the process."""

import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Final, TypeAlias, TypeVar

import grpc
import grpc.aio
from google.protobuf import empty_pb2
from pulumi.provider.experimental.provider import Provider
from pulumi.provider.experimental.server import ProviderServicer
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc
from typing_extensions import override

from infra.provider.progress import EngineProgress
from rackproof.connect.errors import DeviceError
from rackproof.deploy.errors import DisruptionRefusedError, outcome_after
from rackproof.deploy.protocol import Outcome
from rackproof.errors import RackproofError

Answer = TypeVar("Answer")
Context: TypeAlias = grpc.aio.ServicerContext[Any, Any]

HINTS: Final[dict[type[RackproofError], str]] = {
    DisruptionRefusedError: "allow it with `pulumi config set allowDisruption true`, in a maintenance window",
}
"""Hints that differ from those of `rackproof up`."""

ANSWERS_S = 5.0
"""How long finished operations have to answer the engine before the server ends."""
MESSAGE_BYTES = 64 * 1024 * 1024
"""Largest gRPC message either way: a thousand times what a switch's inputs take."""


class Service(ProviderServicer):
    """Answers the engine.

    Two things differ from the SDK's servicer. An error that Rackproof raises on purpose reaches the person as its
    own sentence, with a status that says whether the device is unchanged; anything else is a defect and keeps its
    traceback. And the state holds the inputs only, so that it stays small: operations get the old inputs where the
    SDK passes the old outputs.
    """

    @override
    async def Configure(
        self, request: provider_pb2.ConfigureRequest, context: Context
    ) -> provider_pb2.ConfigureResponse:
        return await _answered(super().Configure(request, context), context)

    @override
    async def Check(self, request: provider_pb2.CheckRequest, context: Context) -> provider_pb2.CheckResponse:
        return await _answered(super().Check(request, context), context)

    @override
    async def Diff(self, request: provider_pb2.DiffRequest, context: Context) -> provider_pb2.DiffResponse:
        request.olds.CopyFrom(request.old_inputs)
        return await _answered(super().Diff(request, context), context)

    @override
    async def Create(self, request: provider_pb2.CreateRequest, context: Context) -> provider_pb2.CreateResponse:
        return await _answered(super().Create(request, context), context)

    @override
    async def Read(self, request: provider_pb2.ReadRequest, context: Context) -> provider_pb2.ReadResponse:
        return await _answered(super().Read(request, context), context)

    @override
    async def Update(self, request: provider_pb2.UpdateRequest, context: Context) -> provider_pb2.UpdateResponse:
        request.olds.CopyFrom(request.old_inputs)
        return await _answered(super().Update(request, context), context)

    @override
    async def Delete(self, request: provider_pb2.DeleteRequest, context: Context) -> empty_pb2.Empty:
        request.properties.CopyFrom(request.old_inputs)
        return await _answered(super().Delete(request, context), context)


async def _answered(answer: Awaitable[Answer], context: Context) -> Answer:
    """Return an operation's answer, or end the call with Rackproof's error message.

    The SDK puts its own exception with a traceback around ours, which stays its context.
    """
    try:
        return await answer
    except Exception as error:
        cause = error.__context__
        if isinstance(cause, RackproofError):
            await context.abort(_status(cause), "\n".join(_lines(cause)))
        raise


def _status(error: RackproofError) -> grpc.StatusCode:
    """Return how the engine is to take an error: INTERNAL leaves a pending operation, which asks for a refresh."""
    if isinstance(error, DeviceError) and outcome_after(error) is Outcome.FAILED:
        return grpc.StatusCode.INTERNAL
    return grpc.StatusCode.FAILED_PRECONDITION


def _lines(error: RackproofError) -> Iterator[str]:
    yield error.message
    if isinstance(error, DeviceError):
        yield f"{error.device} is now: {outcome_after(error)}"
    if hint := HINTS.get(type(error), error.hint):
        yield hint


def serve(engine_address: str, version: str, make_provider: Callable[[EngineProgress], Provider]) -> None:
    """Serve a provider on a free loopback port, written to standard output, until the engine ends the process.

    Parameters
    ----------
    engine_address
        Host and port of the engine's own gRPC service.
    version
        Version the provider reports.
    make_provider
        Makes the provider from the receiver of its progress lines.
    """
    asyncio.run(_serve(engine_address, version, make_provider))


async def _serve(engine_address: str, version: str, make_provider: Callable[[EngineProgress], Provider]) -> None:
    limits = [("grpc.max_receive_message_length", MESSAGE_BYTES), ("grpc.max_send_message_length", MESSAGE_BYTES)]
    server = grpc.aio.server(options=limits)
    provider = make_provider(EngineProgress(engine_address))
    service = Service([], version, provider, engine_address)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(service, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    finish_on_signals(server, provider)
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    await server.wait_for_termination()


def finish_on_signals(server: grpc.aio.Server, provider: Provider) -> None:
    """Let the signals that end a process finish or roll back every device that is being changed, and then the server.

    A second signal does nothing more: the switches would be left to their timers.
    """
    loop = asyncio.get_running_loop()
    ending: list[asyncio.Task[None]] = []

    async def end() -> None:
        await provider.cancel()
        await server.stop(ANSWERS_S)

    def begin() -> None:
        if not ending:
            ending.append(loop.create_task(end()))

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, begin)
