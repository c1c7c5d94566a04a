"""The ports of servers and of everything else that a fabric's switches must serve."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, product, repeat

from msgspec import Struct
from msgspec.structs import replace

from rackproof.errors import ValuePath
from rackproof.hardware.base import LinkLayer
from rackproof.hardware.load import Catalogue
from rackproof.hardware.models import NicModel, PcieSlot, ServerModel, StorageModel, StoragePorts
from rackproof.plan.model.plan import LinkKind
from rackproof.site.derived import fabric_role
from rackproof.site.models import FabricRole, ServerGroup, Site


class DevicePort(Struct, frozen=True, gc=False):
    """A device's port that wants a switch port of a fabric."""

    device: str
    port: str
    fabric: str
    kind: LinkKind
    speed_gbps: int
    modules: tuple[str, ...]
    """Plug forms its cage takes."""
    lanes: Mapping[str, int]
    """Plug form to the lanes the port uses with it."""
    path: ValuePath
    """What in the site file asks for it."""
    side: int = 0
    """Which switch of a pair it goes to: the NIC's port number, or the NIC's where it has one port; from 0."""
    planned: bool = True
    """False: not there yet; the place is kept for growth or for a retired device."""
    nic: str = ""
    slot: PcieSlot | None = None
    number: int = 0
    """Port number on its NIC, from 0."""
    rail: int | None = None
    link_layer: LinkLayer = "ethernet"


@dataclass(frozen=True, slots=True)
class ServerDraft:
    """A server or a node of a storage cluster, or the place kept for one."""

    name: str
    group: str
    model: ServerModel | StorageModel
    index: int
    """Number within the group, from 0."""
    planned: bool
    path: ValuePath
    device_ports: tuple[DevicePort, ...] = field(default=())

    def ports_on(self, fabric: str) -> tuple[DevicePort, ...]:
        """Return its ports on one fabric, in order."""
        return tuple(device_port for device_port in self.device_ports if device_port.fabric == fabric)


def oob_fabrics(site: Site) -> dict[str, str]:
    """Return each rack and block of the site file with the out-of-band fabric of what stands there.

    It is the one whose switch stands there too, else the site's first; empty where the site has none.
    """
    names = [name for name, fabric in site.fabrics.items() if fabric_role(name, fabric) == "oob"]
    near: dict[str, str] = {}
    for name in reversed(names):
        near |= dict.fromkeys(site.fabrics[name].rack_names, name)
    return {rack.name: near.get(rack.name, names[0]) for rack in site.racks} if names else {}


def nic_modules(nic: NicModel | StoragePorts) -> tuple[str, ...]:
    """Return the plug forms a NIC's cage takes, its own form first."""
    return nic.modules or (nic.cage,)


def module_lanes(nic: NicModel | StoragePorts) -> dict[str, int]:
    """Return plug form to the lanes a port uses with it."""
    return {module: nic.lanes_by_module.get(module, nic.lanes) for module in nic_modules(nic)}


def copper_port(device: str, port: str, fabric: str, path: ValuePath, *, planned: bool = True) -> DevicePort:
    """Return an RJ45 port of 1 Gb/s (1000BASE-T, IEEE 802.3 clause 40): BMC, LOM, PDU or switch management."""
    return DevicePort(device, port, fabric, "management", 1, ("rj45",), {"rj45": 1}, path, planned=planned)


@dataclass(frozen=True, slots=True)
class _NicPorts:
    """What is needed to name the ports that one fabric has on one server."""

    fabric: str
    role: FabricRole | None
    nic: NicModel
    slots: tuple[PcieSlot, ...]
    ports: tuple[tuple[str, PcieSlot, int], ...]
    """Name, slot and number on its adapter of each port: alike on every server."""
    path: ValuePath
    managed: bool
    """Whether their own management controllers are cabled."""

    @property
    def controller_slots(self) -> Iterator[PcieSlot]:
        """Slot of each cabled port of a management controller."""
        ports = self.nic.bmc_ports if self.managed else 0
        return chain.from_iterable(repeat(slot, ports) for slot in self.slots)


def _nics(site: Site, group: ServerGroup, model: ServerModel, catalogue: Catalogue) -> Iterator[_NicPorts]:
    """Yield the adapters of a server: backend slots, lowest first, for a backend, frontend slots for the others."""
    by_slot = sorted(model.slots, key=lambda slot: slot.slot)
    backend = tuple(slot for slot in by_slot if slot.fabric == "backend")
    frontend = iter([slot for slot in by_slot if slot.fabric == "frontend"])
    for fabric, nic in group.nics.items():
        role = fabric_role(fabric, site.fabrics[fabric])
        count = group.nic_counts.get(fabric)
        slots = backend[:count] if role == "backend" else tuple(islice(frontend, 1 if count is None else count))
        path = ("servers", site.servers.index(group), "nics", fabric)
        managed = group.managed_nics is None or fabric in group.managed_nics
        adapter = catalogue.nic(nic)
        ports = tuple(_ports(fabric, role, adapter, slots))
        yield _NicPorts(fabric, role, adapter, slots, ports, path, managed)


def _ports(
    fabric: str, role: FabricRole | None, nic: NicModel, slots: Sequence[PcieSlot]
) -> Iterator[tuple[str, PcieSlot, int]]:
    """Yield name, slot and number on its adapter of each port; rails are numbered by physical slot, then port."""
    for number, (slot, port) in enumerate(product(slots, range(nic.ports))):
        yield f"rail{number}" if role == "backend" else f"{fabric}{number}", slot, port


def _nic_ports(server: str, nics: _NicPorts, *, planned: bool) -> Iterator[DevicePort]:
    """Yield the ports of one fabric's adapters on a server."""
    nic, rails = nics.nic, nics.role == "backend"
    modules, lanes = nic_modules(nic), module_lanes(nic)
    for number, (name, slot, port) in enumerate(nics.ports):
        yield DevicePort(
            device=server,
            port=name,
            fabric=nics.fabric,
            kind="rail" if rails else "host",
            speed_gbps=nic.speed_gbps,
            modules=modules,
            lanes=lanes,
            path=nics.path,
            side=number if nic.ports == 1 and not rails else port,
            planned=planned,
            nic=nic.model,
            slot=slot,
            number=port,
            rail=number if rails else None,
            link_layer=nic.link_layer,
        )


def _board_ports(
    name: str, oob: str, nics: Sequence[_NicPorts], path: ValuePath, *, planned: bool
) -> Iterator[DevicePort]:
    """Yield the out-of-band ports of a server.

    Its BMC, the first port on the main board for installing it, and the management controllers of its adapters.
    """
    yield copper_port(name, "bmc", oob, path, planned=planned)
    yield copper_port(name, "lom0", oob, path, planned=planned)
    for number, slot in enumerate(chain.from_iterable(nic.controller_slots for nic in nics)):
        yield replace(copper_port(name, f"nicbmc{number}", oob, path, planned=planned), slot=slot)


def _group_drafts(site: Site, number: int, catalogue: Catalogue) -> Iterator[ServerDraft]:
    group = site.servers[number]
    model = catalogue.server(group.model)
    nics = list(_nics(site, group, model, catalogue))
    path: ValuePath = ("servers", number)
    names = 0
    oob = oob_fabrics(site).get(group.rack_names[0])
    for index in range(max(group.size, group.count + len(group.retired))):
        name = f"{group.group}-{index + 1:03d}"
        planned = name not in group.retired and names < group.count
        names += planned
        device_ports = list(chain.from_iterable(_nic_ports(name, nic, planned=planned) for nic in nics))
        if oob is not None and not model.hosted:
            device_ports += _board_ports(name, oob, nics, (*path, "count"), planned=planned)
        yield ServerDraft(name, group.group, model, index, planned, path, tuple(device_ports))


def draft_servers(site: Site, catalogue: Catalogue) -> tuple[ServerDraft, ...]:
    """Return every server and every place kept for one, group by group in the order of the site file."""
    return tuple(chain.from_iterable(_group_drafts(site, number, catalogue) for number in range(len(site.servers))))
