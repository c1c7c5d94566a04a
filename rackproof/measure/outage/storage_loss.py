"""Loss of a storage node: its clients, the clients of other nodes, and the limits of what both observe."""

import inspect
from collections.abc import Collection, Iterator, Mapping
from ipaddress import IPv4Interface
from itertools import chain
from typing import Final

import msgspec

from rackproof.measure.remote import mount_probe
from rackproof.measure.remote.commands import json_output
from rackproof.measure.remote.runner import HostResult
from rackproof.plan.model.host import Mount
from rackproof.plan.model.plan import Plan, ServerPlan, StoragePlan
from rackproof.results import Threshold

WAIT_LIMIT: Final = Threshold(
    value=60.0,
    unit="s",
    comparison="at most",
    source="nfs(5), timeo: over TCP and RDMA a request is sent again after 60 s",
    formula="no request to another node has to be sent twice",
)
"""Longest wait of a client of another node."""
RESUME_LIMIT: Final = Threshold(
    value=150.0,
    unit="s",
    comparison="at most",
    source="RFC 8881, section 8.4.2.1: the grace period is a lease, 90 s as servers are set up; nfs(5), timeo: 60 s",
    formula="grace period, and one request that is sent again: from when the node is back",
)
"""Longest until the node's own clients write and read again."""


class ProbeResult(msgspec.Struct, frozen=True):
    """What a client's probe measured on a mount."""

    longest_s: float
    answers: int
    same: bool
    """Whether every block read equals the block written."""


def probe_command(path: str, seconds: float) -> list[str]:
    """Return the command that probes a mount."""
    return ["python3", "-c", inspect.getsource(mount_probe), path, f"{seconds:g}"]


def probe_result(host: HostResult, path: str) -> ProbeResult | str:
    """Return the result of a client's probe, or why there is none."""
    return json_output(host, path, ProbeResult)


def clusters_on(plan: Plan, fabric: str) -> Iterator[StoragePlan]:
    """Yield the storage clusters on a fabric."""
    return (cluster for cluster in plan.storage.values() if cluster.fabric == fabric)


def lost_node(cluster: StoragePlan, reached: Collection[str]) -> str | None:
    """Return the node to restart: the last one in access.yaml; None: there is none."""
    return next((name for name in reversed(tuple(cluster.nodes)) if name in reached), None)


def mount_node(cluster: StoragePlan, mount: Mount) -> str | None:
    """Return the node that a host mounts from; None: the mount is another cluster's."""
    return next((node.name for node in cluster.nodes.values() if mount.servers[0] in _addresses(node)), None)


def _addresses(node: ServerPlan) -> set[str]:
    kinds = (node.ports, node.bonds, node.vlans)
    found = chain.from_iterable([one.address for one in kind.values()] for kind in kinds)
    return {str(IPv4Interface(address).ip) for address in found if address}


def client_nodes(cluster: StoragePlan, mounts: Mapping[str, Collection[Mount]]) -> dict[tuple[str, str], str]:
    """Return server and path to the node of a cluster that it mounts from."""
    found: dict[tuple[str, str], str] = {}
    for server, own in mounts.items():
        nodes = {mount.path: mount_node(cluster, mount) for mount in own}
        found.update({(server, path): node for path, node in nodes.items() if node is not None})
    return found
