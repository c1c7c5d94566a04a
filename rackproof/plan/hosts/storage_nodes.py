"""Storage clusters: their nodes' ports, and the network between the nodes, which is theirs alone.

Rackproof plans, cables and powers a cluster's back end and orders its switches; OneFS numbers and
configures it, and it is not reached over the management network.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from ipaddress import IPv4Network
from itertools import chain
from typing import Final

from rackproof.errors import Problems, ValuePath
from rackproof.hardware.load import Catalogue
from rackproof.hardware.models import StorageModel, StoragePorts, SwitchModel
from rackproof.plan.fabric.cable_fit import Fit, find_isl_fit
from rackproof.plan.fabric.demand import Demand, cable_fits
from rackproof.plan.fabric.draft import FabricDraft
from rackproof.plan.fabric.server_ports import (
    DevicePort,
    ServerDraft,
    copper_port,
    module_lanes,
    nic_modules,
    oob_fabrics,
)
from rackproof.plan.fabric.topology import topology
from rackproof.plan.model.plan import ServerPlan, StoragePlan
from rackproof.plan.network.addressing import FabricAddresses
from rackproof.plan.network.mtu import host_mtu_bytes
from rackproof.plan.network.smartconnect import storage_pools
from rackproof.site.derived import node_names
from rackproof.site.models import Fabric, Site, Storage

PAIR, LEAF_SPINE = "storage-pair", "storage-leaf-spine"
NOS: Final = "powerscale-backend"
NO_PREFIX: Final = IPv4Network("0.0.0.0/32")
"""OneFS numbers the back end itself."""
INTERNAL: Final = "abcdefgh"
"""PowerScale calls the ports between nodes int-a and int-b."""


def draft_storage_nodes(site: Site, catalogue: Catalogue) -> tuple[ServerDraft, ...]:
    """Return every node of a storage cluster and every place kept for one, in the order of the site file."""
    return tuple(chain.from_iterable(_node_drafts(site, number, catalogue) for number in range(len(site.storage))))


def _node_drafts(site: Site, number: int, catalogue: Catalogue) -> Iterator[ServerDraft]:
    asked, path = site.storage[number], ("storage", number)
    model = catalogue.storage(asked.model)
    for index, name in enumerate(node_names(asked)):
        planned = index < asked.nodes
        device_ports = tuple(_node_ports(site, asked, name, model, (*path, "nodes"), planned=planned))
        yield ServerDraft(name, asked.name, model, index, planned, path, device_ports)


def _node_ports(
    site: Site, asked: Storage, node: str, model: StorageModel, path: ValuePath, *, planned: bool
) -> Iterator[DevicePort]:
    """Yield the ports of a node: towards clients, towards the other nodes, and out of band."""
    for number in range(model.frontend.ports):
        yield _node_port(node, f"{asked.fabric}{number}", asked.fabric, model.frontend, path, number, planned=planned)
    for number in range(model.backend.ports):
        yield _node_port(node, f"int-{INTERNAL[number]}", asked.backend, model.backend, path, number, planned=planned)
    oob = oob_fabrics(site).get(asked.rack_names[0])
    for number in range(model.management_ports if oob else 0):
        port = "bmc" if number == 0 else f"bmc{number}"
        yield copper_port(node, port, oob or "", path, planned=planned)


def _node_port(
    node: str, name: str, fabric: str, ports: StoragePorts, path: ValuePath, number: int, *, planned: bool
) -> DevicePort:
    return DevicePort(
        device=node,
        port=name,
        fabric=fabric,
        kind="host",
        speed_gbps=ports.speed_gbps,
        modules=nic_modules(ports),
        lanes=module_lanes(ports),
        path=path,
        side=number,
        planned=planned,
        number=number,
    )


def draft_backends(
    site: Site, server_drafts: Sequence[ServerDraft], catalogue: Catalogue, problems: Problems
) -> dict[str, FabricDraft]:
    """Lay out the network between the nodes of every storage cluster."""
    drafts = {}
    for number, asked in enumerate(site.storage):
        model, path = catalogue.storage(asked.model), ("storage", number)
        fabric, switch = _backend_fabric(asked, model, catalogue)
        device_ports = tuple(
            chain.from_iterable(server_draft.ports_on(asked.backend) for server_draft in server_drafts)
        )
        fits = cable_fits(fabric, switch, device_ports, catalogue, problems)
        layout = topology(fabric.topology).lay_out(
            _demand(asked, switch, device_ports, fits, path, catalogue), problems
        )
        drafts[asked.backend] = FabricDraft(
            name=asked.backend,
            number=len(site.fabrics) + number,
            asked=fabric,
            role="storage-backend",
            model=switch,
            nos=catalogue.nos(NOS),
            layout=replace(layout, servers_max=min(layout.servers_max, model.nodes_max)),
            path=path,
        )
    return drafts


def _backend_fabric(asked: Storage, model: StorageModel, catalogue: Catalogue) -> tuple[Fabric, SwitchModel]:
    """Return the back end of a cluster and its switch: a pair of the smaller one that joins all nodes it grows to."""
    small, large = catalogue.switch(model.backend_switch), catalogue.switch(model.large_backend_switch)
    switch = small if asked.size <= _ports_at(small, model) else large
    fabric = Fabric(
        topology=PAIR if asked.size <= _ports_at(switch, model) else LEAF_SPINE,
        switch=switch.model,
        nos=NOS,
        prefix=NO_PREFIX,
        racks=asked.rack_names,
        nic_ports="two-subnets",
    )
    return fabric, switch


def _ports_at(switch: SwitchModel, model: StorageModel) -> int:
    """Return how many ports a switch has at the speed of a cluster's back end."""
    return sum(p.last - p.first + 1 for p in switch.ports if p.speed_gbps == model.backend.speed_gbps)


def _demand(
    asked: Storage,
    switch: SwitchModel,
    device_ports: tuple[DevicePort, ...],
    fits: Mapping[tuple[int, tuple[str, ...]], Fit],
    path: ValuePath,
    catalogue: Catalogue,
) -> Demand:
    """Return what a back end must connect: nodes alone."""
    return Demand(
        fabric=asked.backend,
        switch_model=switch.model,
        blocks=(device_ports,),
        top=(),
        uplinks=(),
        fits=fits,
        isl_fit=find_isl_fit(switch, catalogue, 1),
        split_isl_fit=None,
        pins={},
        path=path,
    )


def storage_plans(
    site: Site,
    hosts: dict[str, ServerPlan],
    fabrics: Mapping[str, FabricDraft],
    addresses: Mapping[str, FabricAddresses],
) -> dict[str, StoragePlan]:
    """Return every storage cluster with its nodes and its pools of addresses."""
    return {
        asked.name: StoragePlan(
            name=asked.name,
            model=asked.model,
            protocol=asked.protocol,
            fabric=asked.fabric,
            backend=asked.backend,
            nodes={name: hosts[name] for name in node_names(asked) if name in hosts},
            zone=asked.zone,
            pools=tuple(storage_pools(asked, addresses[asked.fabric], host_mtu_bytes(fabrics[asked.fabric]))),
        )
        for asked in site.storage
    }
