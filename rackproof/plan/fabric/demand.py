"""What a fabric must connect: every socket, how it joins the switch, and where the site pins it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rackproof.errors import Problems, ValuePath
from rackproof.hardware.load import Catalogue
from rackproof.hardware.models import NosModel, SwitchModel
from rackproof.plan.fabric.cable_fit import Fit, explain_misfit, find_fit, find_trunk_fit
from rackproof.plan.fabric.server_ports import ServerSeat, Socket, copper_socket, oob_fabrics
from rackproof.plan.fabric.topologies import Demand
from rackproof.plan.model.plan import Position
from rackproof.plan.model.port_names import port_keys
from rackproof.site.derived import fabric_role, floor, groups_on
from rackproof.site.models import Fabric, ServerGroup, Site, Storage

SWITCH_PORTS_RESERVED = 8
"""Out-of-band ports for switches are handed out in steps of this size, so that another switch moves nothing."""


@dataclass(frozen=True, slots=True)
class ManagedSwitch:
    """A switch whose management port an out-of-band fabric serves."""

    name: str
    fabric: str
    planned: bool


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a demand is derived from beside the site file."""

    seats: Sequence[ServerSeat]
    switches: Sequence[ManagedSwitch]
    """Of the fabrics laid out before: out-of-band fabrics serve them."""
    positions: Mapping[str, Position]
    """Where devices stand, as far as is known: out-of-band fabrics follow the racks."""
    catalogue: Catalogue
    oob_fabrics: Mapping[str, str]
    """Rack or block to the out-of-band fabric that serves it."""


def surroundings(
    site: Site,
    seats: Sequence[ServerSeat],
    switches: Sequence[ManagedSwitch],
    positions: Mapping[str, Position],
    catalogue: Catalogue,
) -> Surroundings:
    """Return what the demands of a site are derived from."""
    return Surroundings(seats, switches, positions, catalogue, oob_fabrics(site))


def switch_racks(site: Site, fabric: Fabric) -> tuple[str, ...]:
    """Return the racks and blocks of a fabric's switches in filling order: the stated ones, or the site's first."""
    return fabric.rack_names or (site.racks[0].name,)


def pdu_name(rack: str, index: int) -> str:
    """Return the name of a rack's ``index``-th PDU, from 0."""
    return f"{rack}-pdu-{index + 1}"


def _switch_sockets(site: Site, oob: str, around: Surroundings) -> list[Socket]:
    """Return the management ports of switches that an out-of-band fabric serves, with places for more."""
    sockets = [
        copper_socket(switch.name, "mgmt", oob, ("fabrics", switch.fabric, "switch"), planned=switch.planned)
        for switch in around.switches
        if around.oob_fabrics.get(switch_racks(site, site.fabrics[switch.fabric])[0]) == oob
    ]
    spare = (-len(sockets) - 1) % SWITCH_PORTS_RESERVED
    path: ValuePath = ("fabrics", oob, "switch")
    return sockets + [copper_socket("spare", f"mgmt{n}", oob, path, planned=False) for n in range(spare)]


def _pdu_sockets(site: Site, oob: str, around: Surroundings) -> Iterator[Socket]:
    for rack in floor(site):
        if around.oob_fabrics.get(rack.asked.name) == oob:
            for index in range(rack.asked.pdus.count):
                path: ValuePath = ("racks", rack.number, "pdus", "count")
                yield copper_socket(pdu_name(rack.name, index), "mgmt", oob, path)


def _server_blocks(seats: Sequence[ServerSeat], name: str, *, by_kind: bool) -> list[tuple[Socket, ...]]:
    """Return one block a group: its servers' ports on a fabric, server after server, or port kind after port kind."""
    by_group: dict[str, list[Socket]] = {}
    for seat in seats:
        by_group.setdefault(seat.group, []).extend(seat.sockets_of(name))
    if not by_kind:
        return [tuple(sockets) for sockets in by_group.values()]
    kinds = {group: dict.fromkeys(s.port for s in sockets) for group, sockets in by_group.items()}
    return [tuple(s for s in by_group[group] if s.port == kind) for group in by_group for kind in kinds[group]]


def _uplink_sockets(site: Site, name: str) -> Iterator[Socket]:
    """Yield the ports that every switch of a fabric gives to networks outside; any plug of the port goes."""
    for uplink_name, uplink in site.external.uplinks.items():
        if uplink.fabric == name:
            for number in range(uplink.ports):
                path: ValuePath = ("external", "uplinks", uplink_name, "speed_gbps")
                yield Socket(uplink_name, f"{number + 1}", name, "uplink", uplink.speed_gbps, ("external",), {}, path)


def _uplink_fit(model: SwitchModel, socket: Socket) -> Fit | None:
    """Return the unsplit port an uplink takes; what is plugged into it is the other network's business."""
    slower = f"1x{socket.speed_gbps}G"
    ports = [ports for ports in model.ports if any(breakout.mode == slower for breakout in ports.breakouts)]
    ports += [ports for ports in model.ports if ports.speed_gbps == socket.speed_gbps]
    return Fit(ports[-1], None, 1, ()) if ports else None


def fits_of(
    fabric: Fabric, model: SwitchModel, sockets: Sequence[Socket], catalogue: Catalogue, problems: Problems
) -> dict[tuple[int, tuple[str, ...]], Fit]:
    """Return how each kind of socket joins the switch; a kind that does not is one error."""
    fits: dict[tuple[int, tuple[str, ...]], Fit] = {}
    seen: set[tuple[int, tuple[str, ...]]] = set()
    for socket in sockets:
        kind = (socket.speed_gbps, socket.modules)
        if kind in seen:
            continue
        seen.add(kind)
        uplink = socket.kind == "uplink"
        cable = None if socket.kind in {"uplink", "management"} else fabric.cable
        fit = _uplink_fit(model, socket) if uplink else find_fit(model, socket, catalogue, cable)
        if fit is not None:
            fits[kind] = fit
            continue
        why = (
            f"no port of {model.model} runs at {socket.speed_gbps}G without being split"
            if uplink
            else explain_misfit(model, socket, catalogue, cable)
        )
        problems.add(("fabrics", socket.fabric, "cable") if cable else socket.path, why, _misfit_hint(cable))
    return fits


def _misfit_hint(cable: str | None) -> str:
    return (
        "leave out cable to take the shortest-reach one that fits" if cable else "choose another NIC, switch or speed"
    )


def _pins(
    site: Site,
    name: str,
    model: SwitchModel,
    nos: NosModel,
    demand_sockets: Sequence[Socket],
    fits: Mapping[tuple[int, tuple[str, ...]], Fit],
    problems: Problems,
) -> dict[int, dict[str, str]]:
    """Return switch number to port key to socket of every pinned port of this fabric."""
    by_name = {f"{socket.device}:{socket.port}": socket for socket in demand_sockets}
    pins: dict[int, dict[str, str]] = {}
    for owner, where in site.pin.ports.items():
        socket = by_name.get(owner)
        fit = fits.get((socket.speed_gbps, socket.modules)) if socket else None
        if socket is None or fit is None:
            continue
        device, _, port = where.partition("/")
        split = {str(p): fit.mode for p in range(fit.ports.first, fit.ports.last + 1) if fit.mode}
        key = port_keys(nos, model, split).get(port)
        number = next((n for n in range(8) if device == f"{site.fabrics[name].shares or name}-leaf-{n + 1:02d}"), None)
        if key is None or number is None or fit.ports != model.port_range(int(key.partition("/")[0])):
            hint = f"its ports for {owner} are called like {next(iter(port_keys(nos, model, split)))}"
            problems.add(("pin", "ports", owner), f"{where} is no port of fabric {name} that fits {owner}", hint)
            continue
        pins.setdefault(number, {})[key] = owner
    return pins


def _places(site: Site, positions: Mapping[str, Position]) -> dict[str, tuple[int, int]]:
    """Return device to row and column of its rack on the floor."""
    places = {rack.name: (rack.row, rack.column) for rack in floor(site)}
    return {device: places[position.rack] for device, position in positions.items()}


def demand_of(site: Site, name: str, around: Surroundings, problems: Problems) -> Demand:
    """Return what one fabric must connect; kinds of sockets that nothing joins to its switch are left out as errors."""
    fabric, seats, catalogue = site.fabrics[name], around.seats, around.catalogue
    model, nos = catalogue.switch(fabric.switch), catalogue.nos(fabric.nos)
    oob = fabric_role(name, fabric) == "oob"
    blocks = _server_blocks(seats, name, by_kind=oob)
    if oob:
        blocks.insert(0, tuple(_switch_sockets(site, name, around)))
    top = tuple(_pdu_sockets(site, name, around)) if oob else ()
    uplinks = tuple(_uplink_sockets(site, name))
    sockets = [*(socket for block in blocks for socket in block), *top, *uplinks]
    fits = fits_of(fabric, model, sockets, catalogue, problems)

    example = next((seat for seat in seats if seat.sockets_of(name)), None)

    def fitting(some: Iterable[Socket]) -> tuple[Socket, ...]:
        return tuple(socket for socket in some if (socket.speed_gbps, socket.modules) in fits)

    return Demand(
        fabric=name,
        switch_model=model.model,
        blocks=tuple(fitting(block) for block in blocks),
        top=fitting(top),
        uplinks=fitting(uplinks),
        fits=fits,
        trunk_fit=find_trunk_fit(model, catalogue, 1),
        split_trunk_fit=find_trunk_fit(model, catalogue, 2) or find_trunk_fit(model, catalogue, 1),
        pins=_pins(site, name, model, nos, sockets, fits, problems),
        path=("fabrics", name),
        oversubscription=fabric.oversubscription,
        servers_per_rack=_servers_per_rack(site, name, model, seats, catalogue),
        manages_itself=oob and (1, ("rj45",)) in fits,
        example=example.name if example else "",
        others=frozenset(seat.name for seat in seats if example and seat.group != example.group),
        racks=_places(site, around.positions) if oob else {},
    )


def _servers_per_rack(
    site: Site, name: str, switch: SwitchModel, seats: Sequence[ServerSeat], catalogue: Catalogue
) -> int:
    """Return how many servers or nodes a rack takes below a switch of a fabric: the fewest over its groups."""
    counts = [1]
    groups: list[tuple[str, ServerGroup | Storage]] = [(group.group, group) for _, group in groups_on(site, name)]
    groups += [(cluster.name, cluster) for cluster in site.storage if cluster.fabric == name]
    for called, group in groups:
        seat = next((seat for seat in seats if seat.group == called), None)
        rack = next((rack for rack in site.racks if rack.name == group.rack_names[0]), None)
        if seat is not None and rack is not None:
            units = catalogue.rack(rack.model).rack_units - switch.body.rack_units
            counts.append(group.per_rack or units // seat.model.body.rack_units)
    return max(1, min(counts[1:], default=1))
