"""What the command line and the daemon say to each other: one JSON object each way over a Unix socket."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

Verb = Literal["status", "fault", "clear", "advance", "edit", "counters"]


class Message(BaseModel):
    """Part of a request or an answer: closed, frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Request(Message):
    """What the daemon is asked to do."""

    verb: Verb
    name: str | None = None
    """Of a fault, or of a switch to type lines on."""
    parameters: dict[str, str] = {}
    """Of a fault."""
    seconds: float = 0.0
    """To move the clock ahead."""
    lines: tuple[str, ...] = ()
    """To type on a switch."""


class SwitchStatus(Message):
    """A switch of a running lab."""

    name: str
    port: int
    """Loopback port its SSH server listens on."""
    host_key: str
    user: str
    """Account to log in with."""
    power: Literal["up", "booting", "off"]
    links: int
    """Cables plugged into it."""
    links_up: int
    return_timers: tuple[str, ...]
    """Timers that wait for their time."""


class HostStatus(Message):
    """A host of a running lab that is a machine."""

    name: str
    port: int
    """Loopback port that leads to its SSH server."""
    host_key: str
    user: str
    power: Literal["up", "booting", "hung", "off"]
    ports: tuple[str, ...]
    """Its ports that lead to switches, as the plan names them."""
    kind: Literal["server", "storage"] = "server"
    """Whether it is brought up from outside, or serves as a node of a storage cluster."""
    recorded: tuple[str, ...]
    """What it answers from a recording, for want of the real thing."""


class ControllerStatus(Message):
    """The management controller of a server: a double that speaks Redfish."""

    name: str
    """Of its entry in access.yaml."""
    server: str
    port: int
    """Loopback port of its HTTPS service."""
    user: str
    certificate: str
    """File with what its certificate is checked by, seen from the lab's folder."""


class FaultStatus(Message):
    """A fault in force."""

    name: str
    parameters: dict[str, str]


class LabStatus(Message):
    """A lab as it is."""

    running: bool
    process_id: int | None = None
    clock: datetime | None = None
    """The lab's time, UTC."""
    switches: tuple[SwitchStatus, ...] = ()
    hosts: tuple[HostStatus, ...] = ()
    controllers: tuple[ControllerStatus, ...] = ()
    faults: tuple[FaultStatus, ...] = ()
    simulated: tuple[str, ...] = ()
    """What is computed, and why no packet takes part in it."""
    simulated_facts: dict[str, tuple[str, ...]] = {}
    """Device to what validation asks of it that rests on that; an empty device: all."""


class PortCount(Message):
    """What a port of a switch has counted since it was made."""

    switch: str
    port: str
    in_bytes: int
    out_bytes: int
    queue_packets: dict[int, int]
    """Queue to packets it has sent."""


class Answer(Message):
    """What came of a request."""

    error: str | None = None
    hint: str = ""
    status: LabStatus | None = None
    count: int = 0
    """Faults cleared."""
    refused: tuple[str, ...] = ()
    """Answers to lines that a switch refused."""
    counters: tuple[PortCount, ...] = ()
    """Of every port that has a cable."""


@contextmanager
def socket_address(path: Path) -> Iterator[str]:
    """Yield a short name for a socket: the kernel takes 107 characters, folders may be deeper than that."""
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
