"""The engine's side of the provider's gRPC contract: it starts the process, reads its port and asks."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import grpc
from google.protobuf import empty_pb2, json_format, struct_pb2
from pulumi.runtime.proto import engine_pb2, engine_pb2_grpc, provider_pb2, provider_pb2_grpc
from typing_extensions import override

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

Values = dict[str, Any]

SIGNATURE = "4dabf18193072939515e22adb298388d"
"""Key under which a value on the wire says what it is (Pulumi's protocol: sdk/go/common/resource, SigKey)."""
SECRET = "1b47061264138c4ac30d75fd1eb44270"
"""Says that it is a secret (SecretSig)."""


class Listener(engine_pb2_grpc.EngineServicer):
    """Keeps the lines the provider has for the person."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str]] = []
        """URN and text."""
        self.passing: list[str] = []
        """Lines that only say what happens now."""

    @override
    def Log(self, request: engine_pb2.LogRequest, context: object) -> empty_pb2.Empty:
        if request.ephemeral:
            self.passing.append(request.message)
        else:
            self.lines.append((request.urn, request.message))
        return empty_pb2.Empty()


def struct(values: Values) -> struct_pb2.Struct:
    message = struct_pb2.Struct()
    message.update(values)
    return message


def values(message: struct_pb2.Struct) -> Values:
    return json_format.MessageToDict(message)


class Engine:
    """Asks a running provider what the engine would ask."""

    def __init__(self, process: subprocess.Popen[str], port: int, token: str, listener: Listener) -> None:
        self.process = process
        """The provider."""
        self.provider = provider_pb2_grpc.ResourceProviderStub(grpc.insecure_channel(f"127.0.0.1:{port}"))
        self.listener = listener
        self._token = token

    def urn(self, name: str) -> str:
        return f"urn:pulumi:site-a::rackproof::rackproof:index:Fabric${self._token}::{name}"

    def schema(self) -> str:
        answer: provider_pb2.GetSchemaResponse = self.provider.GetSchema(provider_pb2.GetSchemaRequest(version=0))
        return answer.schema

    def check_config(self, settings: Values) -> provider_pb2.CheckResponse:
        urn = "urn:pulumi:site-a::rackproof::pulumi:providers:rackproof::default"
        request = provider_pb2.CheckRequest(urn=urn, news=struct(settings))
        answer: provider_pb2.CheckResponse = self.provider.CheckConfig(request)
        return answer

    def configure(self, settings: Values, **secrets: str) -> None:
        checked = values(self.check_config({**settings, **secrets}).inputs)
        arguments = {
            key: {SIGNATURE: SECRET, "value": value} if key in secrets else value for key, value in checked.items()
        }
        self.provider.Configure(provider_pb2.ConfigureRequest(args=struct(arguments), acceptSecrets=True))

    def check(self, name: str, inputs: Values) -> Mapping[str, str]:
        """Reason by property path."""
        answer = self.provider.Check(provider_pb2.CheckRequest(urn=self.urn(name), news=struct(inputs)))
        return {failure.property: failure.reason for failure in answer.failures}

    def diff(self, name: str, old: Values, new: Values) -> provider_pb2.DiffResponse:
        olds = struct({"device": name})
        request = provider_pb2.DiffRequest(
            id=name, urn=self.urn(name), olds=olds, old_inputs=struct(old), news=struct(new)
        )
        answer: provider_pb2.DiffResponse = self.provider.Diff(request)
        return answer

    def create_request(self, name: str, inputs: Values, *, preview: bool = False) -> provider_pb2.CreateRequest:
        return provider_pb2.CreateRequest(urn=self.urn(name), properties=struct(inputs), preview=preview)

    def create(self, name: str, inputs: Values, *, preview: bool = False) -> provider_pb2.CreateResponse:
        request = self.create_request(name, inputs, preview=preview)
        answer: provider_pb2.CreateResponse = self.provider.Create(request)
        return answer

    def update(self, name: str, old: Values, new: Values, *, preview: bool = False) -> provider_pb2.UpdateResponse:
        olds = struct({"device": name})
        request = provider_pb2.UpdateRequest(
            id=name, urn=self.urn(name), olds=olds, old_inputs=struct(old), news=struct(new), preview=preview
        )
        answer: provider_pb2.UpdateResponse = self.provider.Update(request)
        return answer

    def read(self, name: str, inputs: Values | None = None) -> provider_pb2.ReadResponse:
        request = provider_pb2.ReadRequest(id=name, urn=self.urn(name), inputs=struct(inputs or {}))
        answer: provider_pb2.ReadResponse = self.provider.Read(request)
        return answer

    def delete(self, name: str, inputs: Values) -> None:
        self.provider.Delete(
            provider_pb2.DeleteRequest(
                id=name, urn=self.urn(name), properties=struct({"device": name}), old_inputs=struct(inputs)
            )
        )

    def cancel(self) -> None:
        self.provider.Cancel(empty_pb2.Empty())


@contextmanager
def running_provider(program: Path, token: str, environment: dict[str, str]) -> Iterator[Engine]:
    """Start a provider as the engine does: its own address on the command line, the provider's port on stdout."""
    listener, server = Listener(), grpc.server(ThreadPoolExecutor(max_workers=4))
    engine_pb2_grpc.add_EngineServicer_to_server(listener, server)
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    command = [sys.executable, str(program), address]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as process:
        assert process.stdout is not None
        yield Engine(process, int(process.stdout.readline()), token, listener)
        process.terminate()
    server.stop(grace=None)
