"""Requests and answers between the command line and the daemon: one JSON object each way over a Unix socket."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

Verb = Literal["status", "fault", "clear", "advance", "edit", "counters"]


class Message(BaseModel):
    """Base of requests and answers: unknown keys are refused, values are frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Request(Message):
    """A request to the daemon."""

    verb: Verb
    name: str | None = None
    """Name of a fault, or of a switch to type lines on."""
    parameters: dict[str, str] = {}
    """Parameters of a fault."""
    seconds: float = 0.0
    """Seconds to advance the clock."""
    lines: tuple[str, ...] = ()
    """Lines to type on a switch."""


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
    """Names of the armed timers."""


class HostStatus(Message):
    """A host of a running lab that is a virtual machine."""

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
    """What it answers from a recording, because the lab has no such hardware."""


class ControllerStatus(Message):
    """The fake management controller of a server, which speaks Redfish."""

    name: str
    """Name of its entry in access.yaml."""
    server: str
    port: int
    """Loopback port of its HTTPS service."""
    user: str
    certificate: str
    """File with its certificate, relative to the lab's folder."""


class FaultStatus(Message):
    """An active fault."""

    name: str
    parameters: dict[str, str]


class LabStatus(Message):
    """Status of a lab."""

    running: bool
    process_id: int | None = None
    clock: datetime | None = None
    """The lab's time, UTC."""
    switches: tuple[SwitchStatus, ...] = ()
    hosts: tuple[HostStatus, ...] = ()
    controllers: tuple[ControllerStatus, ...] = ()
    faults: tuple[FaultStatus, ...] = ()
    simulated: tuple[str, ...] = ()
    """What the lab simulates, and why."""
    simulated_facts: dict[str, tuple[str, ...]] = {}
    """The facts of validation that rest on it, by device; an empty name stands for all devices."""


class PortCount(Message):
    """Counters of a switch port since it was created."""

    switch: str
    port: str
    in_bytes: int
    out_bytes: int
    queue_packets: dict[int, int]
    """Packets sent, by queue."""


class Answer(Message):
    """The answer to a request."""

    error: str | None = None
    hint: str = ""
    status: LabStatus | None = None
    count: int = 0
    """Faults cleared."""
    refused: tuple[str, ...] = ()
    """Answers to lines that a switch refused."""
    counters: tuple[PortCount, ...] = ()
    """Counters of every port with a cable."""


@contextmanager
def socket_address(path: Path) -> Iterator[str]:
    """Yield a short path for a socket: the kernel allows 107 characters, and folders may be deeper."""
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
