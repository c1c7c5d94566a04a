"""A Pulumi program run without the engine: what it declares, in the SDK's mocks."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import pulumi
from google.protobuf import json_format
from pulumi.runtime import mocks
from typing_extensions import override

if TYPE_CHECKING:
    from collections.abc import Callable

    from pulumi.runtime.proto import resource_pb2

STACK: Final = "pulumi:pulumi:Stack"
"""The parent of what has no other; the engine leaves it out of URNs."""


class DuplicateUrnError(Exception):
    """The program declared two resources of one URN."""


@dataclass
class Declared:
    """One resource as the program registered it."""

    type: str
    inputs: dict[str, Any]
    parent: str
    depends_on: list[str]


@dataclass
class Recording(mocks.Mocks):
    """Everything the program declared, by name."""

    resources: dict[str, Declared] = field(default_factory=dict)
    urns: set[str] = field(default_factory=set)
    refused: DuplicateUrnError | None = None

    @override
    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        return args.name, args.inputs

    @override
    def call(self, args: mocks.MockCallArgs) -> tuple[dict[Any, Any], list[tuple[str, str]] | None]:
        raise NotImplementedError(args.token)


class RecordingMonitor(mocks.MockMonitor):
    """Keeps what mocks leave out: who depends on whom."""

    def __init__(self, recording: Recording) -> None:
        super().__init__(recording)
        self._recording = recording

    @override
    def RegisterResource(self, request: resource_pb2.RegisterResourceRequest) -> Any:
        self._refuse_duplicate(request)
        self._recording.resources[request.name] = Declared(
            request.type,
            json_format.MessageToDict(request.object),
            resource_name(request.parent),
            [resource_name(urn) for urn in request.dependencies],
        )
        try:
            return super().RegisterResource(request)  # type: ignore[no-untyped-call]  # the SDK leaves it untyped
        finally:
            close_loop_of_thread()

    def _refuse_duplicate(self, request: resource_pb2.RegisterResourceRequest) -> None:
        """Refuse a second resource of one URN, as the engine does: a URN has the types of the parents, not their names.

        The engine says "Duplicate resource URN" (pulumi/pulumi, pkg/resource/deploy/step_generator.go).
        """
        above = request.parent.split("::")[2].removeprefix(STACK).removeprefix("$") if request.parent else ""
        urn = f"{above}${request.type}::{request.name}".removeprefix("$")
        if urn in self._recording.urns:
            self._recording.refused = DuplicateUrnError(f"Duplicate resource URN '{urn}'; try giving it a unique name")
            raise self._recording.refused
        self._recording.urns.add(urn)


def close_loop_of_thread() -> None:
    """Close the event loop that the SDK's monitor makes for a worker thread, for some resources, and never closes."""
    with suppress(RuntimeError):  # the thread has none
        asyncio.get_event_loop().close()
        asyncio.set_event_loop(None)


def resource_name(urn: str) -> str:
    return urn.rsplit("::", maxsplit=1)[-1]


def declared_by(program: Callable[[], object]) -> dict[str, Declared]:
    """Run a program and return what it declared, by name.

    The SDK takes the current event loop, which another test of this process may have closed: it gets one of its own.
    """
    recording = Recording()
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        mocks.set_mocks(recording, project="rackproof", stack="site-a", monitor=RecordingMonitor(recording))
        pulumi.runtime.test(program)()  # type: ignore[no-untyped-call]  # the SDK leaves it untyped
    except Exception:
        if recording.refused is not None:
            raise recording.refused from None
        raise
    finally:
        loop.close()
        asyncio.set_event_loop(None)
    return recording.resources
