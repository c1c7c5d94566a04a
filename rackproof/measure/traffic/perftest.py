"""``ib_write_bw`` and ``ib_read_lat`` of perftest: the words they are started with, and what they print.

Options and columns are those of perftest 4.5 (linux-rdma/perftest, src/perftest_parameters.{c,h}).
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

from msgspec import Struct

Tool = Literal["ib_write_bw", "ib_read_lat"]

FIRST_PORT: Final = 18515
"""Where perftest listens by default (src/perftest_parameters.h, DEF_PORT); rails count up from it."""
ECT0: Final = 2
"""The low bits of a traffic class: this sender understands congestion marks (RFC 3168, 5)."""
QP_TIMEOUT: Final = 18
"""4.096 us x 2^18: a second until a packet is sent again (InfiniBand Architecture, volume 1, 9.9.2.1.3); a host that
is busy answers late, and a packet that was lost shows in the counters."""
LATENCY_BYTES: Final = 8
"""As OCI's health check measures latency: ``-s 8 -n 10000``."""
LATENCY_MESSAGES: Final = 10_000
BANDWIDTH_BYTES: Final = 1 << 20
"""Large enough that the adapter, and not the processor, is the limit."""
QUEUE_PAIRS: Final = 4
"""Flows of a pair: each takes a way of its own where there are several."""


ACCELERATORS: Final = {"nvidia": "--use_cuda_bus_id", "amd": "--use_rocm"}
"""Vendor to how perftest is told an accelerator: by PCI address, or by number."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a pair is measured."""

    tool: Tool
    message_bytes: int
    messages: int
    """A queue pair."""
    dscp: int
    """What the plan marks RDMA with."""
    queue_pairs: int = 1
    both_ways: bool = False

    @property
    def payload_bytes(self) -> int:
        """What one side sends as data at least; of a read it is what comes back."""
        return self.message_bytes * self.messages * self.queue_pairs

    @property
    def traffic_class(self) -> int:
        """The byte that stands in every packet's IP header."""
        return self.dscp << 2 | ECT0


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One side's device and address."""

    device: str
    gid_index: int | None
    """None: InfiniBand, which finds its way by LID."""
    address: str
    accelerator: str = ""
    """Option that names the accelerator whose memory is used; empty: the host's memory."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a host's perftest was built with, from its ``--help``."""

    binds_source: bool
    """Whether its first words, over TCP, may leave from a given address (since 4.5-0.17)."""
    accelerators: frozenset[str]
    """Vendors of accelerators whose memory it can use."""


def abilities(help_text: str) -> Abilities:
    """Return what perftest says it can do."""
    able = frozenset(vendor for vendor, option in ACCELERATORS.items() if option in help_text)
    return Abilities("--bind_source_ip" in help_text, able)


def perftest_command(options: Options, endpoint: Endpoint, port: int, can: Abilities, towards: str = "") -> list[str]:
    """Return the command of one side.

    Parameters
    ----------
    options, seat
        What is measured, and with what on this side.
    port
        TCP port of the first words.
    can
        What this host's perftest knows.
    towards
        Address of the side that listens; empty: this is that side.
    """
    said = [options.tool, "--ib-dev", endpoint.device, "--port", str(port), "--size", str(options.message_bytes)]
    said += ["--iters", str(options.messages), "--qp-timeout", str(QP_TIMEOUT), "--CPU-freq"]
    if endpoint.gid_index is not None:
        said += ["--gid-index", str(endpoint.gid_index), "--tclass", str(options.traffic_class)]
    if options.tool == "ib_write_bw":
        said += ["--qp", str(options.queue_pairs), "--report_gbits"]
        said += ["--bidirectional"] if options.both_ways else []
    said += [endpoint.accelerator] if endpoint.accelerator else []
    if towards:
        said += ["--bind_source_ip", endpoint.address] if can.binds_source else []
        said.append(towards)
    return said


PATH_MTUS: Final = (4096, 2048, 1024, 512, 256)
"""InfiniBand Architecture, volume 1, 9.7.1 (packet payloads)."""
ROCE_HEADERS: Final = 60
"""Room that a packet's headers take of a port's MTU: Ethernet excluded, IPv6 or IPv4, UDP, BTH, RETH, ICRC; the kernel
takes the largest path MTU that leaves as much (Linux, include/rdma/ib_addr.h, iboe_get_mtu)."""


def path_mtu(mtu_bytes: int) -> int:
    """Return the payload of an RDMA packet on a port with an MTU; unknown: the smallest that Ethernet must carry."""
    return next((size for size in PATH_MTUS if size <= mtu_bytes - ROCE_HEADERS), 1024 if not mtu_bytes else 256)


class Measured(Struct, frozen=True, gc=False):
    """What one run came to, in Gb/s or in microseconds."""

    messages: int
    average: float
    best: float
    """Highest rate, or shortest time."""
    percentile_99: float | None = None
    """Of latency."""
    transport: str = ""
    """As perftest says it: ``IB`` or ``IW`` (iWARP)."""
    link: str = ""
    """``Ethernet`` or ``IB``."""
    connection: str = ""
    """``RC``: reliable connected."""
    mtu_bytes: int = 0
    """Path MTU of the transport."""
    gid_index: int | None = None


class NotPerftestError(ValueError):
    """The text is not what perftest prints."""


def parse(tool: Tool, text: str) -> Measured:
    """Return what perftest printed.

    Raises
    ------
    NotPerftestError
        There is no row of results, or its columns are others.
    """
    titles = {"ib_write_bw": "BW average[Gb/sec]", "ib_read_lat": "t_avg[usec]"}
    lines = text.splitlines()
    head = next((number for number, line in enumerate(lines) if titles[tool] in line), None)
    row = lines[head + 1].split() if head is not None and head + 1 < len(lines) else []
    try:
        # bytes, messages, peak, average, rate; or bytes, messages, min, max, typical, average, stdev, 99 %, 99.9 %
        if tool == "ib_write_bw":
            numbers = {"average": float(row[3]), "best": float(row[2])}
        else:
            numbers = {"average": float(row[5]), "best": float(row[2]), "percentile_99": float(row[7])}
        messages = int(row[1])
    except (IndexError, ValueError) as error:
        raise NotPerftestError(f"{tool} printed no results: {last_line(text)}") from error
    gid = _stated(text, "GID index")
    return Measured(
        messages=messages,
        **numbers,
        transport=_stated(text, "Transport type"),
        link=_stated(text, "Link type"),
        connection=_stated(text, "Connection type"),
        mtu_bytes=int("0" + re.sub(r"\D.*", "", _stated(text, "Mtu"))),
        gid_index=int(gid) if gid.isdigit() else None,
    )


def _stated(text: str, what: str) -> str:
    """Return what perftest's head says of one thing: `` Mtu             : 1024[B]``."""
    match = re.search(rf"\b{what}\s*:\s*(\S+)", text)
    return match[1] if match else ""


def last_line(text: str) -> str:
    """Return the last line that says anything."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip(" -")), "nothing")
