"""A hosted site: a cloud's machines, their accelerators and rails; everything physical is the provider's."""

from collections.abc import Iterator
from itertools import chain, product

from rackproof.hardware.load import Catalogue
from rackproof.hardware.models import NicModel, PcieSlot, ServerModel
from rackproof.plan.model.notices import assumptions
from rackproof.plan.model.plan import FabricPlan, HostPort, Notice, Plan, ServerPlan
from rackproof.site.derived import server_names
from rackproof.site.models import ServerGroup, Site

BACKEND, FRONTEND = "backend", "frontend"
TOPOLOGY = "hosted"
LEFT_OUT = {
    "racks": "racks, power and cords: they are the provider's",
    "fabrics": "switches, cables and their configuration: they are the provider's, and nothing is rendered for them",
    "addresses": "addresses, VLANs and MTU: discovery finds what the provider gave each machine",
}
"""What a hosted site's plan does not have, and why."""


def _port(name: str, nic: NicModel, slot: PcieSlot | None, port: int, rail: int | None) -> HostPort:
    return HostPort(
        name=name,
        fabric=FRONTEND if rail is None else BACKEND,
        nic=nic.model,
        slot=slot.slot if slot else None,
        port=port,
        speed_gbps=nic.speed_gbps,
        address=None,
        gateway=None,
        bond=None,
        mtu_bytes=None,
        switch=None,
        switch_port=None,
        vlan=None,
        rail=rail,
        gpus=slot.gpus if slot else (),
    )


def _ports(group: ServerGroup, model: ServerModel, catalogue: Catalogue) -> Iterator[HostPort]:
    """Yield the rails of a machine by slot, then the port that it comes with."""
    if BACKEND in group.nics:
        nic = catalogue.nic(group.nics[BACKEND])
        slots = sorted((slot for slot in model.slots if slot.fabric == BACKEND), key=lambda slot: slot.slot)
        for number, (slot, port) in enumerate(product(slots, range(nic.ports))):
            yield _port(f"rail{number}", nic, slot, port, number)
    nic = catalogue.nic(model.embedded.nic)
    for number in range(nic.ports):
        yield _port(f"{FRONTEND}{number}", nic, None, number, None)


def _servers(site: Site, catalogue: Catalogue) -> Iterator[ServerPlan]:
    for group in site.servers:
        model = catalogue.server(group.model)
        ports = {port.name: port for port in _ports(group, model, catalogue)}
        live = [name for name in server_names(group) if name not in group.retired][: group.count]
        for name in live:
            yield ServerPlan(name, group.group, model.model, None, ports, {})


def _fabric(name: str, servers: int) -> FabricPlan:
    return FabricPlan(
        name=name,
        role=name,
        topology=TOPOLOGY,
        switches=(),
        subnets=(),
        mtu_bytes=None,
        roce=None,
        host_dscp=None,
        oversubscription=None,
        servers_max=servers,
    )


def hosted_plan(site: Site, catalogue: Catalogue) -> Plan:
    """Derive the plan of a hosted site: what its machines should have, and what is left to discovery."""
    servers = {server.name: server for server in _servers(site, catalogue)}
    ports = chain.from_iterable(server.ports.values() for server in servers.values())
    used = dict.fromkeys(port.fabric for port in ports)
    return Plan(
        site=site.site,
        release=site.release,
        racks={},
        servers=servers,
        switches={},
        pdus={},
        fabrics={name: _fabric(name, len(servers)) for name in used},
        links=(),
        assemblies=(),
        cords=(),
        power=(),
        notices=(
            *(Notice("left-out", subject, text) for subject, text in LEFT_OUT.items()),
            *assumptions("", site),
        ),
    )
