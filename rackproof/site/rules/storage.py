"""Storage: clusters of a size that exists, on a fabric that carries their protocol."""

from collections.abc import Iterator
from typing import Final

from rackproof.errors import SiteError, ValuePath
from rackproof.hardware.load import Catalogue
from rackproof.site.derived import entry, fabric_roce, fabric_role
from rackproof.site.models import Site

PLAN_NEEDS: Final = True


def storage_names_are_unique(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A cluster has a name of its own, and the network between its nodes too."""
    del catalogue
    groups = {group.group for group in site.servers}
    seen: set[str] = set()
    for number, storage in enumerate(site.storage):
        path: ValuePath = ("storage", number, "name")
        if storage.name in seen or storage.name in groups:
            what = "a storage cluster" if storage.name in seen else "a group of servers"
            yield SiteError(path, f"{storage.name} is the name of {what} already", "choose another name")
        elif storage.backend in site.fabrics:
            message = f"the network between its nodes is called {storage.backend}, which is a fabric of this site"
            yield SiteError(path, message, "rename one of them")
        seen.add(storage.name)


def zones_name_one_cluster(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A name that clients look up leads to one cluster."""
    del catalogue
    owners: dict[str, str] = {}
    for number, storage in enumerate(site.storage):
        if storage.zone is not None and owners.setdefault(storage.zone, storage.name) != storage.name:
            message = f"{storage.zone} is the zone of {owners[storage.zone]} already"
            yield SiteError(("storage", number, "zone"), message, "give each cluster a name of its own")


def clusters_have_a_size_that_exists(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A cluster has as many nodes as its model takes."""
    for number, storage in enumerate(site.storage):
        model = entry(catalogue.storage, storage.model)
        if model is None:
            continue
        field = "nodes" if storage.size == storage.nodes else "grows_to"
        path: ValuePath = ("storage", number, field)
        if storage.grows_to is not None and storage.grows_to < storage.nodes:
            message = f"grows_to is {storage.grows_to}, and the cluster has {storage.nodes} nodes already"
            yield SiteError(("storage", number, "grows_to"), message, "leave it out, or choose a number above nodes")
        if not model.nodes_min <= storage.nodes or storage.size > model.nodes_max:
            message = f"a cluster of {model.name} has {model.nodes_min} to {model.nodes_max} nodes"
            where: ValuePath = ("storage", number, "nodes") if storage.nodes < model.nodes_min else path
            yield SiteError(where, message, "set nodes and grows_to within these limits")


def storage_is_served_on_a_frontend(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A cluster serves on a frontend that runs Ethernet."""
    for number, storage in enumerate(site.storage):
        fabric = site.fabrics.get(storage.fabric)
        switch = entry(catalogue.switch, fabric.switch) if fabric else None
        path: ValuePath = ("storage", number, "fabric")
        role = fabric_role(storage.fabric, fabric) if fabric else None
        if role in {"backend", "oob"}:
            message = f"the role of {storage.fabric} is {role}, and storage serves on a frontend"
            yield SiteError(path, message, "name a fabric whose role is frontend")
        elif switch is not None and switch.link_layer != "ethernet":
            yield SiteError(
                path, f"{storage.fabric} is InfiniBand, and these nodes have Ethernet ports", "name an Ethernet fabric"
            )


def protocols_can_be_served(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A cluster serves a protocol that it has; NFS over RDMA is served on a fabric that declares RoCE."""
    for number, storage in enumerate(site.storage):
        model, fabric = entry(catalogue.storage, storage.model), site.fabrics.get(storage.fabric)
        path: ValuePath = ("storage", number, "protocol")
        if model is not None and storage.protocol not in model.protocols:
            yield SiteError(path, f"{model.name} has no {storage.protocol}", f"it has: {', '.join(model.protocols)}")
        elif (
            storage.protocol == "nfs-rdma"
            and fabric is not None
            and fabric_roce(site, storage.fabric, catalogue) is None
        ):
            message = f"protocol nfs-rdma needs RoCE, and the fabric {storage.fabric} has none"
            yield SiteError(path, message, f"add roce to the fabric {storage.fabric}, or choose protocol nfs")


def storage_stands_somewhere(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A cluster states its rack or racks."""
    del catalogue
    for number, storage in enumerate(site.storage):
        if not storage.rack_names:
            yield SiteError(("storage", number), f"storage[{number}]: give either rack or racks")
