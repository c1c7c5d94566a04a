"""Values derived from the site file alone: roles, names, and the models that names stand for."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, TypeVar, get_args

from rackproof.errors import ValuePath
from rackproof.hardware.load import Catalogue, UnknownModelError
from rackproof.hardware.models import Entry
from rackproof.hardware.nos_models import RoceSettings
from rackproof.site.models import Fabric, FabricRole, Rack, Roce, ServerGroup, Site, Storage
from rackproof.site.roce_settings import UNKNOWN_NOS, roce_settings

EntryT = TypeVar("EntryT", bound=Entry)

ROLES: Final[tuple[FabricRole, ...]] = get_args(FabricRole)
FIRST_VLAN: Final = {"backend": 100, "frontend": 200, "oob": 300}
"""Where the VLANs of a fabric count from when the site does not say."""
CONSOLIDATED: Final = "consolidated-pair"
"""The topology whose switches carry several fabrics."""
CONSOLIDATED_FIRST_VLAN: Final = {"backend": 900, "frontend": 300, "oob": 200}
"""Where they count from on a consolidated pair (NVIDIA's Enterprise Reference Architecture)."""
SERVICE_VLANS: Final = {"services": 100, "storage": 200}
"""Consolidated pair: VLANs beside the one of the frontend's hosts, counted from it (NVIDIA: 300, 400 and 500)."""
L3_VLANS: Final = {"OOB": 3001, "INBAND": 3002, "GPU": 3003, "EXIT": 3004}
"""Consolidated pair: VRFs and the VLANs that stand for them in the overlay (NVIDIA's)."""
BOARD_PORTS: Final = ("bmc", "lom0")
"""Ports every server has out of band: its management controller, and the first port on its main board."""


def fabric_role(name: str, fabric: Fabric) -> FabricRole | None:
    """Return what a fabric is for: its stated role, or its name where that is one."""
    return fabric.role or next((role for role in ROLES if role == name), None)


def fabric_first_vlan(role: FabricRole, fabric: Fabric) -> int:
    """Return where the VLANs of a fabric count from."""
    on_pair = fabric.topology == CONSOLIDATED or fabric.joins is not None
    return fabric.first_vlan or (CONSOLIDATED_FIRST_VLAN if on_pair else FIRST_VLAN)[role]


def with_own_switches(site: Site) -> dict[str, Fabric]:
    """Return the fabrics that have switches of their own; the others took theirs over, with what is wrong about it."""
    return {name: fabric for name, fabric in site.fabrics.items() if fabric.shares is None}


def entry(look_up: Callable[[str], EntryT], name: str) -> EntryT | None:
    """Return a catalogue entry; None where there is none, which a rule of its own reports."""
    try:
        return look_up(name)
    except UnknownModelError:
        return None


def groups_on(site: Site, fabric: str) -> Iterator[tuple[int, ServerGroup]]:
    """Yield number and group of the servers that a fabric connects."""
    return ((number, group) for number, group in enumerate(site.servers) if fabric in group.nics)


def fabric_roce(site: Site, name: str, catalogue: Catalogue) -> RoceSettings | None:
    """Return RoCE of a fabric, every value set: as the site asks, otherwise as the vendor of its NOS recommends."""
    fabric = site.fabrics[name]
    nos = entry(catalogue.nos, fabric.nos)
    recommended = nos.roce_recommended if nos else None
    asked = fabric.roce
    if asked is None and fabric_role(name, fabric) == "backend" and fabric.shares is None and recommended is not None:
        asked = Roce()
    return roce_settings(asked, recommended or UNKNOWN_NOS) if asked is not None and asked.enabled else None


def roce_fabrics(site: Site, catalogue: Catalogue) -> Iterator[tuple[str, RoceSettings, ValuePath]]:
    """Yield fabric, its RoCE and where that is asked for, of every fabric with RoCE."""
    for name, fabric in site.fabrics.items():
        settings = fabric_roce(site, name, catalogue)
        if settings is not None:
            yield name, settings, ("fabrics", name) if fabric.roce is None else ("fabrics", name, "roce")


@dataclass(frozen=True, slots=True)
class FloorRack:
    """One rack on the floor."""

    name: str
    asked: Rack
    number: int
    """Position of its entry in the site file, from 0."""
    row: int
    column: int
    """Racks to its left in the row."""


def floor(site: Site) -> Iterator[FloorRack]:
    """Yield every rack of the site, blocks unfolded, with its place on the floor."""
    row, column = 0, 0
    for number, rack in enumerate(site.racks):
        for index in range(rack.count or 1):
            full = rack.per_row is not None and index > 0 and index % rack.per_row == 0
            if column and (full or (rack.new_row and index == 0)):
                row, column = row + 1, 0
            yield FloorRack(rack_name(rack, index), rack, number, row, column)
            column += 1


def rack_name(rack: Rack, index: int) -> str:
    """Return the name of the ``index``-th rack (from 0) of an entry."""
    return rack.name if rack.count is None else f"{rack.name}-{index + 1}"


def racks_called(site: Site, name: str) -> tuple[str, ...]:
    """Return the racks that a name in the site file means: one, or all of a block."""
    rack = next((rack for rack in site.racks if rack.name == name), None)
    return () if rack is None else tuple(rack_name(rack, index) for index in range(rack.count or 1))


def server_names(group: ServerGroup) -> tuple[str, ...]:
    """Return the names a group has or may grow to, the retired ones among them."""
    places = max(group.size, group.count + len(group.retired))
    return tuple(f"{group.group}-{number + 1:03d}" for number in range(places))


def node_names(storage: Storage) -> tuple[str, ...]:
    """Return the names of a storage cluster's nodes, places for growth included."""
    return tuple(f"{storage.name}-{number + 1:03d}" for number in range(storage.size))


def slots_for(site: Site, group: ServerGroup, fabric: str, catalogue: Catalogue) -> int:
    """Return the number of adapters that join one server of a group to a fabric."""
    server, asked = entry(catalogue.server, group.model), site.fabrics.get(fabric)
    if server is None or asked is None:
        return 0
    usual = sum(slot.fabric == "backend" for slot in server.slots) if fabric_role(fabric, asked) == "backend" else 1
    return group.nic_counts.get(fabric, usual)


def is_bonded(name: str, fabric: Fabric) -> bool:
    """Return whether the ports of an adapter form a bond on this fabric."""
    role = fabric_role(name, fabric)
    if role == "oob":
        return False
    return (fabric.nic_ports or ("two-subnets" if role == "backend" else "bond")) == "bond"


def shares_subnet(name: str, fabric: Fabric) -> bool:
    """Return whether all hosts of a fabric stand in one subnet."""
    return (fabric.subnets or ("per-rail" if fabric_role(name, fabric) == "backend" else "shared")) == "shared"


def vlan_port(vlan: int) -> str:
    """Return what a host calls its interface in a VLAN that it takes tagged."""
    return f"vlan{vlan}"


def service_ports(name: str, fabric: Fabric, service: str) -> dict[str, str]:
    """Return the interface that a host has in a service VLAN of a consolidated pair, and the fabric it is on."""
    role = fabric_role(name, fabric)
    if fabric.topology != CONSOLIDATED or role != "frontend" or not is_bonded(name, fabric):
        return {}
    return {vlan_port(fabric_first_vlan(role, fabric) + SERVICE_VLANS[service]): name}


def server_ports(site: Site, group: ServerGroup, catalogue: Catalogue) -> dict[str, str]:
    """Return the name of every port and bond of a group's servers, and the fabric it is on; ports on the board: ''."""
    ports = dict.fromkeys(BOARD_PORTS, "")
    for fabric, nic_name in group.nics.items():
        nic, asked = entry(catalogue.nic, nic_name), site.fabrics.get(fabric)
        slots = slots_for(site, group, fabric, catalogue)
        word = "rail" if asked and fabric_role(fabric, asked) == "backend" else fabric
        ports |= {f"{word}{number}": fabric for number in range(slots * (nic.ports if nic else 0))}
        if asked and is_bonded(fabric, asked):
            ports |= {f"{fabric}-bond{number}": fabric for number in range(slots if word == "rail" else 1)}
        if asked and asked.shares not in group.nics:
            ports |= service_ports(fabric, asked, "services")
    return ports


def node_ports(site: Site, storage: Storage, catalogue: Catalogue) -> dict[str, str]:
    """Return the name of every port and bond of a cluster's nodes that is addressed, and the fabric it is on."""
    model, fabric = entry(catalogue.storage, storage.model), site.fabrics.get(storage.fabric)
    count = model.frontend.ports if model else 0
    ports = {"bmc": "", **{f"{storage.fabric}{number}": storage.fabric for number in range(count)}}
    if fabric and is_bonded(storage.fabric, fabric):
        ports[f"{storage.fabric}-bond0"] = storage.fabric
        ports |= service_ports(storage.fabric, fabric, "storage")
    return ports
