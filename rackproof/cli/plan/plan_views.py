"""A plan as tables: an overview, one fabric, one device."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import chain
from typing import TypeVar

from rackproof.errors import BadInputError
from rackproof.plan.model.plan import (
    Assembly,
    FabricPlan,
    FabricSize,
    Link,
    LoadRow,
    Plan,
    ServerPlan,
    StoragePlan,
    SwitchPlan,
)

ValueT = TypeVar("ValueT")


@dataclass(frozen=True, slots=True)
class View:
    """A table."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]


Views = tuple[tuple[View, ...], dict[str, object]]
"""Tables for a person, and the same content for a program."""


def overview(plan: Plan) -> Views:
    """Return the whole plan: an overview for a person, everything for a program."""
    if not plan.racks:
        return (_fabrics(plan), _hosted(plan), _notices(plan)), {"plan": plan}
    placed = (_fabrics(plan), *_sizes(plan), *_storage(plan), _subnets(plan), *_subnet_managers(plan), _devices(plan))
    return (*placed, _cables(plan.assemblies), _power(plan), _notices(plan)), {"plan": plan}


def fabric_tables(plan: Plan, name: str) -> Views:
    """Return one fabric: its subnets, and every link on it.

    Raises
    ------
    BadInputError
        The plan has no such fabric.
    """
    fabric = _named(plan.fabrics, name, "fabric")
    links = tuple(link for link in plan.links if link.fabric == name)
    own = {link.assembly for link in links}
    assemblies = tuple(assembly for assembly in plan.assemblies if assembly.id in own)
    return (
        (
            *_sizes(plan, name),
            _subnets(plan, name),
            _host_ports(plan, name),
            _links(f"Links of {name}", links),
            _cables(assemblies),
        ),
        {"fabric": fabric, "links": links, "cables": assemblies},
    )


def device_tables(plan: Plan, name: str) -> Views:
    """Return one server or switch: its ports, and what is plugged into it.

    Raises
    ------
    BadInputError
        The plan has no such server or switch.
    """
    devices: dict[str, ServerPlan | SwitchPlan] = {**plan.hosts(), **plan.switches}
    device = _named(devices, name, "server, storage node or switch")
    links = tuple(link for link in plan.links if name in {link.a.device, link.b.device})
    cords = tuple(cord for cord in plan.cords if cord.device == name)
    rows = tuple((c.supply, c.pdu, c.outlet, c.outlet_type, c.phase, c.breaker, c.cord, c.length_m) for c in cords)
    columns = ("supply", "PDU", "outlet", "type", "phase", "breaker", "cord", "m")
    what = View(name, ("model", "position"), ((device.model, str(device.position or "hosted")),))
    power = View("Power cords", columns, rows)
    ports = _server_ports(device) if isinstance(device, ServerPlan) else ()
    plugged = (_links("Links", links), power) if plan.racks else ()
    return (what, *ports, *plugged), {"device": device, "links": links, "cords": cords}


def _named(known: Mapping[str, ValueT], name: str, what: str) -> ValueT:
    if name in known:
        return known[name]
    near = get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(list(known)[:20])}"
    raise BadInputError(f"the plan has no {what} {name}", hint)


def _fabrics(plan: Plan) -> View:
    columns = ("fabric", "role", "topology", "switches", "MTU", "RoCE", "oversubscription", "servers at most")
    rows = (
        (
            *(f.name, f.role, f.topology, ", ".join(f.switches), f.mtu_bytes, _lossless(f.roce)),
            *(f.oversubscription, f.servers_max),
        )
        for f in plan.fabrics.values()
    )
    return View("Fabrics", columns, tuple(rows))


SIZE_COLUMNS = (
    *("fabric", "choice", "for servers", "up to", "leaves", "spines", "super-spines", "uplinks a leaf"),
    "oversubscription",
)


def _sizes(plan: Plan, fabric: str | None = None) -> Iterator[View]:
    """Yield the sizes of leaf and spine fabrics beside the next choices; nothing on a site without one."""
    rows = tuple(chain.from_iterable(map(_size_rows, _some(plan.fabrics, fabric))))
    if rows:
        yield View("Leaves and spines, growth included", SIZE_COLUMNS, rows)


def _some(fabrics: Mapping[str, FabricPlan], name: str | None) -> tuple[FabricPlan, ...]:
    return tuple(fabric for fabric in fabrics.values() if name in {None, fabric.name})


def _size_rows(fabric: FabricPlan) -> Iterator[tuple[object, ...]]:
    for size in fabric.sizes:
        yield (
            *(fabric.name, _choice(size), size.servers, size.servers_max, size.leaves, size.spines),
            *(size.super_spines, size.uplinks_per_leaf, size.oversubscription),
        )


def _choice(size: FabricSize) -> str:
    """Return which size it is, and what the site file has to say for another one than planned."""
    if size.choice == "cheaper":
        return f"cheaper: oversubscription {size.oversubscription_asked:g}"
    return f"larger: grows_to {size.servers}" if size.choice == "larger" else size.choice


def _lossless(roce: object) -> str:
    classes = getattr(roce, "lossless", None)
    return "priority " + ", ".join(str(priority) for priority in classes) if classes else ""


def _subnets(plan: Plan, fabric: str | None = None) -> View:
    subnets = chain.from_iterable(plan_fabric.subnets for plan_fabric in plan.fabrics.values())
    rows = (
        (subnet.fabric, subnet.name, subnet.vlan, subnet.prefix, subnet.gateway, subnet.hosts)
        for subnet in subnets
        if fabric in {None, subnet.fabric}
    )
    return View("Subnets", ("fabric", "subnet", "VLAN", "prefix", "gateway", "hosts"), tuple(rows))


def _hosted(plan: Plan) -> View:
    """Return the machines of a hosted site, group by group."""
    kinds = Counter((server.group, server.model, ", ".join(server.ports)) for server in plan.servers.values())
    rows = tuple((group, model, count, ports) for (group, model, ports), count in kinds.items())
    return View("Hosted machines", ("group", "model", "servers", "ports"), rows)


def _storage(plan: Plan) -> Iterator[View]:
    """Yield the storage clusters; nothing on a site without one."""
    rows = tuple((c.name, c.model, len(c.nodes), c.protocol, c.fabric, c.backend) for c in plan.storage.values())
    if rows:
        yield View("Storage", ("cluster", "model", "nodes", "protocol", "serves on", "between its nodes"), rows)
        yield _pools(plan)


def _pools(plan: Plan) -> View:
    """Return the address pools that each storage cluster assigns from itself."""
    rows = chain.from_iterable(map(_pool_rows, plan.storage.values()))
    return View("SmartConnect", ("cluster", "subnet", "tagged", "service address", "pool", "zone"), tuple(rows))


def _pool_rows(cluster: StoragePlan) -> Iterator[tuple[object, ...]]:
    for pool in cluster.pools:
        yield cluster.name, pool.prefix, pool.vlan, pool.service_address, " ".join(pool.ranges), cluster.zone or "-"


def _subnet_managers(plan: Plan) -> Iterator[View]:
    """Yield the InfiniBand subnet managers; nothing on a site without InfiniBand."""
    rows = tuple(chain.from_iterable(map(_manager_rows, plan.fabrics.values())))
    if rows:
        yield View("InfiniBand subnet managers", ("fabric", "state", "software", "runs on", "priority"), rows)


def _manager_rows(fabric: FabricPlan) -> Iterator[tuple[object, ...]]:
    for manager in fabric.subnet_managers:
        yield fabric.name, manager.state, manager.software, f"{manager.server}:{manager.port}", manager.priority


def _devices(plan: Plan) -> View:
    devices: list[SwitchPlan | ServerPlan] = [*plan.switches.values(), *plan.hosts().values()]
    placed = [(device.position, device) for device in devices if device.position is not None]
    placed.sort(key=lambda row: (plan.racks[row[0].rack].index, -row[0].unit))
    rows = tuple((str(position), device.name, device.model) for position, device in placed)
    return View("Racks, from the top", ("position", "device", "model"), rows)


def _cables(assemblies: tuple[Assembly, ...]) -> View:
    counted = Counter((assembly.cable, assembly.length_m) for assembly in assemblies)
    rows = tuple((count, cable, length_m) for (cable, length_m), count in sorted(counted.items()))
    return View("Cables", ("count", "cable", "m"), rows)


def _power(plan: Plan) -> View:
    """Return one row for each PDU and case: the part with the highest load relative to its limit."""
    worst: dict[tuple[str, str], LoadRow] = {}
    for row in plan.power:
        key = (row.pdu, row.case)
        if key not in worst or row.load_w / row.limit_w > worst[key].load_w / worst[key].limit_w:
            worst[key] = row
    rows = (
        (
            row.pdu,
            row.case,
            row.part,
            round(row.load_w),
            round(row.limit_w),
            "must hold" if row.enforced else "reported",
        )
        for row in worst.values()
    )
    return View("Power, the part loaded most", ("PDU", "case", "part", "W", "limit W", ""), tuple(rows))


def _notices(plan: Plan) -> View:
    shown = (notice for notice in plan.notices if notice.kind != "warning")
    rows = tuple((notice.kind, notice.subject, notice.text) for notice in shown)
    title = "Assumed, and what a NOS cannot express as asked" if plan.racks else "Left out, and assumed"
    return View(title, ("", "subject", "text"), rows)


def _links(title: str, links: tuple[Link, ...]) -> View:
    rows = ((str(link.a), str(link.b), link.kind, link.speed_gbps, link.assembly, link.leg) for link in links)
    return View(title, ("from", "to", "kind", "Gb/s", "cable", "leg"), tuple(rows))


def _host_ports(plan: Plan, fabric: str) -> View:
    rows = chain.from_iterable(_port_rows(server, fabric) for server in plan.hosts().values())
    return View(f"Server ports on {fabric}", ("server", *PORT_COLUMNS), tuple(rows))


def _server_ports(server: ServerPlan) -> tuple[View, ...]:
    ports = tuple(row[1:] for row in _port_rows(server))
    bonds = tuple((name, ", ".join(bond.members), bond.address, bond.gateway) for name, bond in server.bonds.items())
    tagged = tuple((name, vlan.link, vlan.address, vlan.gateway) for name, vlan in server.vlans.items())
    vlans = (View("VLANs taken tagged", ("interface", "over", "address", "gateway"), tagged),) if tagged else ()
    return View("Ports", PORT_COLUMNS, ports), View("Bonds", ("bond", "members", "address", "gateway"), bonds), *vlans


PORT_COLUMNS = ("port", "slot", "GPUs", "address", "VLAN", "switch", "switch port")


def _port_rows(server: ServerPlan, fabric: str | None = None) -> Iterator[tuple[object, ...]]:
    for port in server.ports.values():
        if fabric in {None, port.fabric}:
            gpus = ", ".join(str(gpu) for gpu in port.gpus)
            address = port.address or port.bond
            yield server.name, port.name, port.slot, gpus, address, port.vlan, port.switch, port.switch_port
