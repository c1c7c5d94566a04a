"""File systems that hosts mount from the site's storage clusters."""

from collections.abc import Iterator
from ipaddress import IPv4Interface
from typing import Final, Literal

from rackproof.plan.model.host import Mount
from rackproof.plan.model.plan import HostPort, Plan, ServerPlan, StoragePlan
from rackproof.site.models import Site, Storage

NFS_PORT: Final = 2049
"""NFS over TCP (RFC 8881, section 2.9.1)."""
NFS_RDMA_PORT: Final = 20049
"""NFS over RDMA (IANA, nfsrdma; RFC 8267, section 6.3: NFS version 4 must use it)."""
CONNECTIONS: Final = 8
"""TCP connections a mount spreads over (nfs(5): nconnect, 1 to 16).

Assumed: a few cores' worth of one connection each, below the 16 that Linux allows. Not with RDMA, where the kernels of
Ubuntu 22.04, 24.04 and Debian 12 take the option and open one connection.
"""
EVERY_MOUNT: Final = ("vers=4.1", "hard", "_netdev", "nofail")
"""NFS 4.1 (sessions; RFC 8881); wait for a server that is away rather than lose writes (nfs(5): hard); mount after the
network, and boot without storage rather than not at all (systemd.mount(5))."""


def storage_mounts(site: Site, plan: Plan, server: ServerPlan) -> Iterator[Mount]:
    """Yield what a server mounts: every cluster that serves NFS on a fabric it is on, under /mnt/<cluster>."""
    fabrics = {port.fabric for port in server.ports.values()}
    for asked in site.storage:
        cluster = plan.storage[asked.name]
        if cluster.fabric in fabrics and (protocol := _protocol(cluster)) is not None:
            yield _mount(asked, cluster, protocol, server)


def _protocol(cluster: StoragePlan) -> Literal["nfs", "nfs-rdma"] | None:
    """Return how a cluster is mounted; None: it is not mounted (objects), or not by Linux hosts (SMB)."""
    return "nfs-rdma" if cluster.protocol == "nfs-rdma" else "nfs" if cluster.protocol == "nfs" else None


def _mount(asked: Storage, cluster: StoragePlan, protocol: Literal["nfs", "nfs-rdma"], server: ServerPlan) -> Mount:
    rdma = protocol == "nfs-rdma"
    port = NFS_RDMA_PORT if rdma else NFS_PORT
    transport = ("proto=rdma", f"port={port}") if rdma else ("proto=tcp", f"nconnect={CONNECTIONS}")
    return Mount(
        path=f"/mnt/{cluster.name}",
        servers=_turned(asked, cluster, server),
        export=asked.export,
        protocol=protocol,
        port=port,
        options=(*EVERY_MOUNT[:1], *transport, *EVERY_MOUNT[1:]),
    )


def _turned(asked: Storage, cluster: StoragePlan, server: ServerPlan) -> tuple[str, ...]:
    """Return the addresses of a cluster's nodes, beginning with another one on each server.

    The places kept for growth count too, so that a new node takes over only from the one that stood in for it.
    """
    nodes = [node for node in cluster.nodes.values() if _served_at(node, cluster.fabric)]
    first = (int(server.name.rpartition("-")[2]) - 1) % asked.size
    later = [node for node in nodes if int(node.name.rpartition("-")[2]) > first]
    ordered = [*later, *(node for node in nodes if node not in later)]
    return tuple(_served_at(node, cluster.fabric)[0] for node in ordered)


def _served_at(node: ServerPlan, fabric: str) -> list[str]:
    """Return the addresses a node serves at: its bond's, or its ports'."""
    ports = [port for port in node.ports.values() if port.fabric == fabric]
    found = [_address(node, port) for port in ports]
    return list(dict.fromkeys(str(IPv4Interface(address).ip) for address in found if address))


def _address(node: ServerPlan, port: HostPort) -> str | None:
    """Return where a port serves: in the VLAN for storage where it takes one tagged."""
    tagged = next((vlan.address for vlan in node.vlans.values() if vlan.link == port.bond), None)
    return tagged or (node.bonds[port.bond].address if port.bond else port.address)
