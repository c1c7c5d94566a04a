"""Scaling a site down to what one machine carries: acts on the site, never on the plan."""

from typing import Final

from rackproof.hardware.load import Catalogue
from rackproof.site.models import ServerGroup, Site

RAILS: Final = 2
"""Rail ports a host keeps; an adapter is never cut in two, so it may be one more."""
STORAGE_NODES: Final = 1
"""Nodes of a storage cluster that are virtual machines; they also serve the addresses of the others."""
SYSTEM: Final = "debian-12"
"""Operating system of the lab's hosts."""


def rule(servers: int, rails: int = RAILS, storage_nodes: int = STORAGE_NODES) -> str:
    """Return the rule in words."""
    nodes = "one machine" if storage_nodes == 1 else f"{storage_nodes} machines at most"
    return (
        f"each group of servers has {servers} at most and grows no further; each server has as many backend adapters "
        f"as make {rails} rail ports; hosts run {SYSTEM} with its own RDMA drivers; pins of server ports are left out; "
        f"each storage cluster is {nodes}, serving at the addresses of all its nodes; the rest is as asked"
    )


def scaled(site: Site, catalogue: Catalogue, servers: int = 2, rails: int = RAILS) -> Site:
    """Return the site scaled down for a lab with virtual machines.

    Each group of servers has ``servers`` at most and grows no further; each server keeps as many backend adapters as
    make about ``rails`` rail ports; every host runs what the lab's hosts run, with the drivers of its kernel: vendors
    build their stacks for other systems. What is pinned for ports of servers is free, for many are gone. Storage
    clusters stay as asked too: `lab.storage.from_plan` decides which of their nodes are machines. Racks, fabrics,
    addresses and everything else stay as asked.
    """
    asked = site.model_dump(mode="json", exclude_unset=True)
    for document, group in zip(asked["servers"], site.servers, strict=True):
        document.update(_group(group, catalogue, servers, rails))
        document.pop("rdma_stack", None)
    for pinned in (asked.get("pin", {}).get(kind, {}) for kind in ("ports", "addresses")):
        for owner in [key for key in pinned if ":" in key]:
            del pinned[owner]
    return Site.model_validate(asked)


def _group(group: ServerGroup, catalogue: Catalogue, servers: int, rails: int) -> dict[str, object]:
    adapters = {}
    if "backend" in group.nics:
        wanted = max(1, rails // catalogue.nic(group.nics["backend"]).ports)
        adapters["backend"] = min(wanted, group.nic_counts.get("backend", wanted))
    count = min(group.count, servers)
    return {
        "count": count,
        "grows_to": min(group.size, servers),
        "nic_counts": {**group.nic_counts, **adapters},
        "os": SYSTEM,
        "retired": [name for name in group.retired if _number(name) <= count + len(group.retired)],
    }


def _number(server: str) -> int:
    digits = server.rpartition("-")[2]
    return int(digits) if digits.isdecimal() else 0
