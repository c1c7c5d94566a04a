"""Throughput of storage: all clients write and read at the same time, with direct I/O."""

import inspect
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Final

import msgspec

from rackproof.measure.remote import write_and_read
from rackproof.measure.remote.commands import json_output
from rackproof.measure.remote.runner import HostResult
from rackproof.plan.model.plan import Plan, ServerPlan
from rackproof.results import Threshold

LIMIT_S: Final = 300.0
"""Longest for writing and reading: ten times the duration at the floor with two clients."""
WRITERS: Final = 8
"""On each client: one process for each accelerator writes a checkpoint."""
SIZE_BYTES: Final = 2 << 30
"""Size of a writer's file: 16 GiB of a client take seconds at the floor, and no node's cache holds those of all."""
REHEARSAL_WRITERS: Final = 2
REHEARSAL_BYTES: Final = 8 << 20
"""In a lab, which can prove only that data is read back intact."""

CHECKPOINT_GB: Final = 112.4
"""Weights and optimiser of a model of 8.03e9 parameters, 14 bytes each."""
CHECKPOINT_S: Final = 30.0


class LoadResult(msgspec.Struct, frozen=True):
    """Bytes and durations of one client on one mount."""

    bytes: int
    wrote_s: float
    read_s: float
    same: bool
    """Whether the data read equals the data written."""


def write_read_command(path: str, *, rehearsal: bool) -> list[str]:
    """Return the command of a client on a mount."""
    writers, size = (REHEARSAL_WRITERS, REHEARSAL_BYTES) if rehearsal else (WRITERS, SIZE_BYTES)
    return ["python3", "-c", inspect.getsource(write_and_read), path, str(size), str(writers)]


def load_result(host: HostResult, path: str) -> LoadResult | str:
    """Return a client's result on a mount, or why there is none."""
    return json_output(host, path, LoadResult)


def rate_gbytes_per_s(done: Mapping[str, LoadResult], *, reading: bool) -> float:
    """Return the common rate of all clients, by the slowest one."""
    slowest = max((one.read_s if reading else one.wrote_s for one in done.values()), default=0.0)
    return sum(one.bytes for one in done.values()) / slowest / 1e9 if slowest else 0.0


def floor(plan: Plan, fabric: str) -> Threshold:
    """Return the throughput that all clients of a fabric's storage have to reach together."""
    nodes = chain.from_iterable(one.nodes.values() for one in plan.storage.values() if one.fabric == fabric)
    sides = [_bandwidth_gbytes_per_s(servers, fabric) for servers in (plan.servers.values(), nodes)]
    wanted, ceiling = CHECKPOINT_GB / CHECKPOINT_S, min(sides)
    return Threshold(
        value=round(min(wanted, ceiling), 2),
        unit="GB/s",
        comparison="at least",
        source="MLPerf Storage, checkpointing: Llama 3 8B writes 105 GiB",
        formula="8.03e9 parameters x 14 bytes within 30 s: less than 2 % of half an hour; no more than the links carry",
        ceiling=round(ceiling, 2),
        ceiling_source="ports of the clients, or of the storage nodes, whichever carry less",
    )


def _bandwidth_gbytes_per_s(servers: Iterable[ServerPlan], fabric: str) -> float:
    ports = chain.from_iterable(server.ports.values() for server in servers)
    return sum(port.speed_gbps for port in ports if port.fabric == fabric) / 8
