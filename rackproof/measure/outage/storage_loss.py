"""A storage node that is lost: who mounts from it, who from others, and what each of them has to see."""

import inspect
from collections.abc import Collection, Iterator, Mapping
from ipaddress import IPv4Interface
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
"""How long a client of another node may wait for an answer."""
RESUME_LIMIT: Final = Threshold(
    value=150.0,
    unit="s",
    comparison="at most",
    source="RFC 8881, section 8.4.2.1: the grace period is a lease, 90 s as servers are set up; nfs(5), timeo: 60 s",
    formula="grace period, and one request that is sent again: from when the node is back",
)
"""How long its own clients take to write and read again."""


class ProbeResult(msgspec.Struct, frozen=True):
    """How a client fared on a mount."""

    longest_s: float
    answers: int
    same: bool
    """Whether it always read what it had written."""


def probe_command(path: str, seconds: float) -> list[str]:
    """Return the command of a client that keeps asking on a mount."""
    return ["python3", "-c", inspect.getsource(mount_probe), path, f"{seconds:g}"]


def probe_result(played: HostResult, path: str) -> ProbeResult | str:
    """Return how a client fared, or why that is not known."""
    return json_output(played, path, ProbeResult)


def clusters_on(plan: Plan, fabric: str) -> Iterator[StoragePlan]:
    """Yield the clusters that serve on a fabric."""
    return (cluster for cluster in plan.storage.values() if cluster.fabric == fabric)


def lost_node(cluster: StoragePlan, reached: Collection[str]) -> str | None:
    """Return the node that is restarted: the last that can be reached; None: there is none."""
    return next((name for name in reversed(tuple(cluster.nodes)) if name in reached), None)


def mount_node(cluster: StoragePlan, mount: Mount) -> str | None:
    """Return the node that a host mounts from; None: the mount is another cluster's."""
    return next((node.name for node in cluster.nodes.values() if mount.servers[0] in _addresses(node)), None)


def _addresses(node: ServerPlan) -> set[str]:
    found = (one.address for kind in (node.ports, node.bonds, node.vlans) for one in kind.values())
    return {str(IPv4Interface(address).ip) for address in found if address}


def client_nodes(cluster: StoragePlan, mounts: Mapping[str, Collection[Mount]]) -> dict[tuple[str, str], str]:
    """Return server and path to the node of a cluster that it mounts from."""
    return {
        (server, mount.path): node
        for server, own in mounts.items()
        for mount in own
        if (node := mount_node(cluster, mount)) is not None
    }
