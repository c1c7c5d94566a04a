"""Throughput of storage: all clients write and read at the same time, past every cache."""

import inspect
from collections.abc import Mapping
from typing import Final

import msgspec

from rackproof.measure.remote import write_and_read
from rackproof.measure.remote.commands import json_output
from rackproof.measure.remote.runner import HostResult
from rackproof.plan.model.plan import Plan
from rackproof.results import Threshold

LIMIT_S: Final = 300.0
"""For writing and reading: ten times what the floor takes on two clients."""
WRITERS: Final = 8
"""Of a client: a checkpoint is written by one process for each accelerator."""
SIZE_BYTES: Final = 2 << 30
"""Of a writer's file: a client's 16 GiB take seconds at the floor, and no cache of a node holds all clients'."""
REHEARSAL_WRITERS: Final = 2
REHEARSAL_BYTES: Final = 8 << 20
"""In a lab: that data comes back is what can be shown there."""

CHECKPOINT_GB: Final = 112.4
"""Weights and optimiser of a model of 8.03e9 parameters, 14 bytes each."""
CHECKPOINT_S: Final = 30.0


class LoadResult(msgspec.Struct, frozen=True):
    """What one client wrote and read on one mount."""

    bytes: int
    wrote_s: float
    read_s: float
    same: bool
    """Whether what was read is what was written."""


def write_read_command(path: str, *, rehearsal: bool) -> list[str]:
    """Return the command of a client on a mount."""
    writers, size = (REHEARSAL_WRITERS, REHEARSAL_BYTES) if rehearsal else (WRITERS, SIZE_BYTES)
    return ["python3", "-c", inspect.getsource(write_and_read), path, str(size), str(writers)]


def load_result(played: HostResult, path: str) -> LoadResult | str:
    """Return what a client says, or why it is not known."""
    return json_output(played, path, LoadResult)


def rate_gbytes_per_s(done: Mapping[str, LoadResult], *, reading: bool) -> float:
    """Return what all clients moved together while they were all at it."""
    slowest = max((one.read_s if reading else one.wrote_s for one in done.values()), default=0.0)
    return sum(one.bytes for one in done.values()) / slowest / 1e9 if slowest else 0.0


def floor(plan: Plan, fabric: str) -> Threshold:
    """Return what all clients of a fabric's storage have to reach together."""
    nodes = [node for cluster in plan.storage.values() if cluster.fabric == fabric for node in cluster.nodes.values()]
    sides = [
        sum(port.speed_gbps for server in servers for port in server.ports.values() if port.fabric == fabric) / 8
        for servers in (plan.servers.values(), nodes)
    ]
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
