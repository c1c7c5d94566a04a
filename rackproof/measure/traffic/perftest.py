"""``ib_write_bw`` and ``ib_read_lat`` of perftest: their command lines and their output.

Options and columns are those of perftest 4.5 (linux-rdma/perftest, src/perftest_parameters.{c,h}).
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

from msgspec import Struct

Tool = Literal["ib_write_bw", "ib_read_lat"]

FIRST_PORT: Final = 18515
"""Default TCP port of perftest (src/perftest_parameters.h, DEF_PORT); pairs on a host count up from it."""
ECT0: Final = 2
"""Low bits of a traffic class: ECN-capable transport (RFC 3168, 5)."""
QP_TIMEOUT: Final = 18
"""4.096 us x 2^18: a second until a packet is retransmitted (InfiniBand Architecture, volume 1, 9.9.2.1.3); a busy
host answers late, and a lost packet shows in the counters."""
LATENCY_BYTES: Final = 8
"""As OCI's health check measures latency: ``-s 8 -n 10000``."""
LATENCY_MESSAGES: Final = 10_000
BANDWIDTH_BYTES: Final = 1 << 20
"""Large enough that the adapter is the limit, not the processor."""
QUEUE_PAIRS: Final = 4
"""Flows of a pair: each is hashed to an ECMP path of its own."""


ACCELERATORS: Final = {"nvidia": "--use_cuda_bus_id", "amd": "--use_rocm"}
"""Vendor to perftest's option for an accelerator, by PCI address or by number."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a pair is measured."""

    tool: Tool
    message_bytes: int
    messages: int
    """For each queue pair."""
    dscp: int
    """DSCP of RDMA in the plan."""
    queue_pairs: int = 1
    both_ways: bool = False

    @property
    def payload_bytes(self) -> int:
        """Least data that one side sends; for a read, the least data that is returned."""
        return self.message_bytes * self.messages * self.queue_pairs

    @property
    def traffic_class(self) -> int:
        """Traffic class byte of every packet's IP header."""
        return self.dscp << 2 | ECT0


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One side's device and address."""

    device: str
    gid_index: int | None
    """None: InfiniBand, which routes by LID."""
    address: str
    accelerator: str = ""
    """Option that names the accelerator whose memory is used; empty: the host's memory."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """Features of a host's perftest, from its ``--help``."""

    binds_source: bool
    """Whether the TCP connection setup may use a given source address (since 4.5-0.17)."""
    accelerators: frozenset[str]
    """Vendors of accelerators whose memory it can use."""


def abilities(help_text: str) -> Abilities:
    """Return the features of perftest."""
    able = frozenset(vendor for vendor, option in ACCELERATORS.items() if option in help_text)
    return Abilities("--bind_source_ip" in help_text, able)


def perftest_command(options: Options, own: Endpoint, port: int, able: Abilities, server: str = "") -> list[str]:
    """Return the command of one side.

    Parameters
    ----------
    options, own
        How the pair is measured, and this side's endpoint.
    port
        TCP port of the connection setup.
    able
        Features of this host's perftest.
    server
        Address of the side that listens; empty: this is that side.
    """
    argv = [options.tool, "--ib-dev", own.device, "--port", str(port), "--size", str(options.message_bytes)]
    argv += ["--iters", str(options.messages), "--qp-timeout", str(QP_TIMEOUT), "--CPU-freq"]
    if own.gid_index is not None:
        argv += ["--gid-index", str(own.gid_index), "--tclass", str(options.traffic_class)]
    if options.tool == "ib_write_bw":
        argv += ["--qp", str(options.queue_pairs), "--report_gbits"]
        argv += ["--bidirectional"] if options.both_ways else []
    argv += [own.accelerator] if own.accelerator else []
    if server:
        argv += ["--bind_source_ip", own.address] if able.binds_source else []
        argv.append(server)
    return argv


PATH_MTUS: Final = (4096, 2048, 1024, 512, 256)
"""InfiniBand Architecture, volume 1, 9.7.1 (packet payloads)."""
ROCE_HEADERS: Final = 60
"""Bytes of a port's MTU for headers: Ethernet excluded, IPv6 or IPv4, UDP, BTH, RETH, ICRC; the kernel takes the
largest path MTU that leaves as much (Linux, include/rdma/ib_addr.h, iboe_get_mtu)."""


def path_mtu(mtu_bytes: int) -> int:
    """Return the payload of an RDMA packet on a port with an MTU; unknown: the smallest that Ethernet must carry."""
    return next((size for size in PATH_MTUS if size <= mtu_bytes - ROCE_HEADERS), 1024 if not mtu_bytes else 256)


class Measured(Struct, frozen=True, gc=False):
    """The measurement of one run, in Gb/s or in microseconds."""

    messages: int
    average: float
    best: float
    """Highest rate, or shortest time."""
    percentile_99: float | None = None
    """Of latency runs only."""
    transport: str = ""
    """As perftest prints it: ``IB`` or ``IW`` (iWARP)."""
    link: str = ""
    """``Ethernet`` or ``IB``."""
    connection: str = ""
    """``RC``: reliable connected."""
    mtu_bytes: int = 0
    """Path MTU of the transport."""
    gid_index: int | None = None


class NotPerftestError(ValueError):
    """The text is no output of perftest."""


TITLES: Final[dict[Tool, str]] = {"ib_write_bw": "BW average[Gb/sec]", "ib_read_lat": "t_avg[usec]"}
COLUMNS: Final[dict[Tool, dict[str, int]]] = {
    "ib_write_bw": {"average": 3, "best": 2},
    "ib_read_lat": {"average": 5, "best": 2, "percentile_99": 7},
}
"""Bytes, messages, peak, average, rate; or bytes, messages, min, max, typical, average, stdev, 99 %, 99.9 %."""


def parse(tool: Tool, text: str) -> Measured:
    """Return the measurement in perftest's output.

    Raises
    ------
    NotPerftestError
        There is no row of results, or its columns differ.
    """
    lines = text.splitlines()
    head = next((number for number, line in enumerate(lines) if TITLES[tool] in line), None)
    row = lines[head + 1].split() if head is not None and head + 1 < len(lines) else []
    try:
        messages, numbers = int(row[1]), {name: float(row[column]) for name, column in COLUMNS[tool].items()}
    except (IndexError, ValueError) as error:
        raise NotPerftestError(f"{tool} printed no results: {last_line(text)}") from error
    gid = _head_value(text, "GID index")
    return Measured(
        messages=messages,
        **numbers,
        transport=_head_value(text, "Transport type"),
        link=_head_value(text, "Link type"),
        connection=_head_value(text, "Connection type"),
        mtu_bytes=int("0" + re.sub(r"\D.*", "", _head_value(text, "Mtu"))),
        gid_index=int(gid) if gid.isdigit() else None,
    )


def _head_value(text: str, what: str) -> str:
    """Return a value of perftest's head: `` Mtu             : 1024[B]``; empty: it has none."""
    match = re.search(rf"\b{what}\s*:\s*(\S+)", text)
    return match[1] if match else ""


def last_line(text: str) -> str:
    """Return the last line that is not blank."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip(" -")), "nothing")
