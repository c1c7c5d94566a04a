"""From the plan to the virtual machines that replace storage clusters: their ports and addresses."""

from collections.abc import Iterator, Sequence
from itertools import chain

from lab.hosts.machine import HostNic, HostSpec
from lab.spec.models import LabEnd, LabSite, port_mac
from lab.storage.setup import Served, setup_script
from rackproof.hardware.load import Catalogue
from rackproof.plan.model.plan import HostPort, Plan, ServerPlan, StoragePlan
from rackproof.site.models import Site, Storage

PROTOCOLS = ("nfs", "nfs-rdma")
"""Protocols that Linux can serve in place of a cluster; other clusters have no virtual machine."""


def lab_storage(
    asked: Site, plan: Plan, site: LabSite, catalogue: Catalogue, machines: int = 1
) -> tuple[HostSpec, ...]:
    """Return the storage nodes of a plan that are virtual machines in its lab, in the plan's order.

    Parameters
    ----------
    asked
        The site as the lab has it.
    plan
        Its plan.
    site
        The lab of the plan.
    catalogue
        Catalogue with the clusters' models.
    machines
        Nodes of a cluster that are virtual machines: the first ones. They also serve the addresses of the others,
        distributed in turn: as OneFS moves the addresses of a dynamic pool to the available nodes (OneFS web
        administration guide, IP address pools: dynamic allocation).
    """
    clusters = [(one, plan.storage[one.name]) for one in asked.storage if one.protocol in PROTOCOLS]
    found: list[HostSpec] = []
    for one, cluster in clusters:
        if _switches(cluster) & site.switches.keys():
            count = min(machines, len(cluster.nodes))
            found.extend(_node(one, cluster, number, count, catalogue) for number in range(count))
    return tuple(found)


def _switches(cluster: StoragePlan) -> set[str]:
    ports = chain.from_iterable(_ports(node, cluster) for node in cluster.nodes.values())
    return {port.switch for port in ports if port.switch}


def _node(asked: Storage, cluster: StoragePlan, number: int, machines: int, catalogue: Catalogue) -> HostSpec:
    """Return the virtual machine of one node; it serves for nodes ``number``, ``number + machines``, ..."""
    served_for = list(cluster.nodes.values())[number::machines]
    node, model = served_for[0], catalogue.storage(cluster.model)
    rdma = cluster.protocol == "nfs-rdma"
    nics = tuple(_nic(node.name, port, place, rdma=rdma) for place, port in enumerate(_ports(node, cluster)))
    script = setup_script(tuple(_served(served_for, cluster)), asked.export, rdma=rdma)
    return HostSpec(node.name, model.vendor, model.name, nics, kind="storage", setup=script)


def _nic(node: str, port: HostPort, place: int, *, rdma: bool) -> HostNic:
    end = LabEnd(node, port.name)
    return HostNic(end, port_mac(end), port=place, rdma=rdma, speed_mbps=1000 * port.speed_gbps)


def _served(nodes: Sequence[ServerPlan], cluster: StoragePlan) -> Iterator[Served]:
    """Yield the ports or bonds of a virtual machine, with the addresses of all its nodes there."""
    node = nodes[0]
    for name, ports in _grouped(_ports(node, cluster)).items():
        addresses = tuple(address for one in nodes if (address := _address(one, cluster, name)) is not None)
        if addresses:
            macs = tuple(port_mac(LabEnd(node.name, port.name)) for port in ports)
            gateway = node.bonds[name].gateway if name in node.bonds else ports[0].gateway
            yield Served(macs, addresses, gateway, ports[0].mtu_bytes)


def _ports(node: ServerPlan, cluster: StoragePlan) -> list[HostPort]:
    return [port for port in node.ports.values() if port.fabric == cluster.fabric]


def _grouped(ports: Sequence[HostPort]) -> dict[str, list[HostPort]]:
    """Return ports by their bond, or by their own name."""
    found: dict[str, list[HostPort]] = {}
    for port in ports:
        found.setdefault(port.bond or port.name, []).append(port)
    return found


def _address(node: ServerPlan, cluster: StoragePlan, name: str) -> str | None:
    """Return the address that a node has at a bond or port; the names are the same on all nodes."""
    if name in node.bonds:
        return node.bonds[name].address
    return next((port.address for port in _ports(node, cluster) if port.name == name), None)
