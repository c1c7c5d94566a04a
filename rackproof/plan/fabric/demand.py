"""What a fabric must connect: every device port, how it joins the switch, and where the site pins it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from rackproof.errors import Problems, ValuePath
from rackproof.hardware.load import Catalogue
from rackproof.hardware.models import NosModel, SwitchModel
from rackproof.plan.fabric.cable_fit import Fit, explain_misfit, find_fit, find_isl_fit
from rackproof.plan.fabric.server_ports import DevicePort, ServerDraft, copper_port, oob_fabrics
from rackproof.plan.model.plan import Position
from rackproof.plan.model.port_names import port_keys
from rackproof.site.derived import fabric_role, floor, groups_on
from rackproof.site.models import Fabric, ServerGroup, Site, Storage

SWITCH_PORTS_RESERVED = 8
"""Out-of-band ports for switches are handed out in steps of this size, so that another switch moves nothing."""


@dataclass(frozen=True, slots=True)
class Demand:
    """What a fabric must connect."""

    fabric: str
    switch_model: str
    blocks: tuple[tuple[DevicePort, ...], ...]
    """Device ports served from the first port up; a block holds its places for growth itself."""
    top: tuple[DevicePort, ...]
    """Device ports served from the last port down, before ``blocks``: devices that no growth is reserved for."""
    uplinks: tuple[DevicePort, ...]
    """Device ports of networks outside, one set for every switch, from the last port down."""
    fits: Mapping[tuple[int, tuple[str, ...]], Fit]
    """(speed, plug forms) of a device port to how it joins the switch."""
    isl_fit: Fit | None
    """How two of these switches join each other, cages not split; None: nothing in the catalogue does."""
    split_isl_fit: Fit | None
    """How they join each other over many cages: split in two where optics and adaptive routing want that."""
    pins: Mapping[int, Mapping[str, str]]
    """Switch number to port key to the device port ("gpu-001:rail0") it is kept for."""
    path: ValuePath
    oversubscription: float = 1.0
    """Bandwidth of a leaf's hosts over that of its links to spines, at most."""
    servers_per_rack: int = 1
    """Servers that stand in one rack."""
    manages_itself: bool = False
    """Out of band: each of its switches serves its own management port too."""
    example: str = ""
    """Server that the largest site is counted in: one of the first group; empty: the last device."""
    others: frozenset[str] = frozenset()
    """Servers and storage nodes of other groups."""
    racks: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Device to row and column of its rack on the floor; only out of band."""
    sharing: tuple["Demand", ...] = ()
    """What the fabrics that share its switches must connect."""

    @property
    def block_ports(self) -> tuple[DevicePort, ...]:
        """Every port that is served from the first one up, server after server."""
        return tuple(chain.from_iterable(self.blocks))

    def fit(self, device_port: DevicePort) -> Fit:
        """Return how ``device_port`` joins the switch."""
        return self.fits[device_port.speed_gbps, device_port.modules]


@dataclass(frozen=True, slots=True)
class ManagedSwitch:
    """A switch whose management port an out-of-band fabric serves."""

    name: str
    fabric: str
    planned: bool


@dataclass(frozen=True, slots=True)
class DemandSources:
    """What a demand is derived from beside the site file."""

    server_drafts: Sequence[ServerDraft]
    switches: Sequence[ManagedSwitch]
    """Of the fabrics laid out before: out-of-band fabrics serve them."""
    positions: Mapping[str, Position]
    """Where devices stand, as far as is known: out-of-band fabrics follow the racks."""
    catalogue: Catalogue
    oob_fabrics: Mapping[str, str]
    """Rack or block to the out-of-band fabric that serves it."""


def demand_sources(
    site: Site,
    server_drafts: Sequence[ServerDraft],
    switches: Sequence[ManagedSwitch],
    positions: Mapping[str, Position],
    catalogue: Catalogue,
) -> DemandSources:
    """Return what the demands of a site are derived from."""
    return DemandSources(server_drafts, switches, positions, catalogue, oob_fabrics(site))


def switch_racks(site: Site, fabric: Fabric) -> tuple[str, ...]:
    """Return the racks and blocks of a fabric's switches in filling order: the stated ones, or the site's first."""
    return fabric.rack_names or (site.racks[0].name,)


def pdu_name(rack: str, index: int) -> str:
    """Return the name of a rack's ``index``-th PDU, from 0."""
    return f"{rack}-pdu-{index + 1}"


def _switch_management_ports(site: Site, oob: str, sources: DemandSources) -> list[DevicePort]:
    """Return the management ports of switches that an out-of-band fabric serves, with places for more."""
    device_ports = [
        copper_port(switch.name, "mgmt", oob, ("fabrics", switch.fabric, "switch"), planned=switch.planned)
        for switch in sources.switches
        if sources.oob_fabrics.get(switch_racks(site, site.fabrics[switch.fabric])[0]) == oob
    ]
    spare = (-len(device_ports) - 1) % SWITCH_PORTS_RESERVED
    path: ValuePath = ("fabrics", oob, "switch")
    return device_ports + [copper_port("spare", f"mgmt{n}", oob, path, planned=False) for n in range(spare)]


def _pdu_management_ports(site: Site, oob: str, sources: DemandSources) -> Iterator[DevicePort]:
    for rack in floor(site):
        if sources.oob_fabrics.get(rack.asked.name) == oob:
            for index in range(rack.asked.pdus.count):
                path: ValuePath = ("racks", rack.number, "pdus", "count")
                yield copper_port(pdu_name(rack.name, index), "mgmt", oob, path)


def _server_blocks(server_drafts: Sequence[ServerDraft], name: str, *, by_kind: bool) -> list[tuple[DevicePort, ...]]:
    """Return one block a group: its servers' ports on a fabric, server after server, or port kind after port kind."""
    by_group: dict[str, list[DevicePort]] = {}
    for server_draft in server_drafts:
        by_group.setdefault(server_draft.group, []).extend(server_draft.ports_on(name))
    if not by_kind:
        return [tuple(device_ports) for device_ports in by_group.values()]
    return list(chain.from_iterable(_kind_blocks(device_ports) for device_ports in by_group.values()))


def _kind_blocks(device_ports: Sequence[DevicePort]) -> Iterator[tuple[DevicePort, ...]]:
    """Yield one block a kind of port (bmc, lom0, ...), in the order in which kinds first appear."""
    for kind in dict.fromkeys(device_port.port for device_port in device_ports):
        yield tuple(device_port for device_port in device_ports if device_port.port == kind)


def _uplink_ports(site: Site, name: str) -> Iterator[DevicePort]:
    """Yield the ports that every switch of a fabric gives to networks outside; any plug of the port goes."""
    for uplink_name, uplink in site.external.uplinks.items():
        if uplink.fabric == name:
            for number in range(uplink.ports):
                path: ValuePath = ("external", "uplinks", uplink_name, "speed_gbps")
                yield DevicePort(
                    uplink_name, f"{number + 1}", name, "uplink", uplink.speed_gbps, ("external",), {}, path
                )


def _uplink_fit(model: SwitchModel, device_port: DevicePort) -> Fit | None:
    """Return the unsplit port an uplink takes; what is plugged into it is the other network's business."""
    slower = f"1x{device_port.speed_gbps}G"
    ports = [ports for ports in model.ports if any(breakout.mode == slower for breakout in ports.breakouts)]
    ports += [ports for ports in model.ports if ports.speed_gbps == device_port.speed_gbps]
    return Fit(ports[-1], None, 1, ()) if ports else None


def cable_fits(
    fabric: Fabric, model: SwitchModel, device_ports: Sequence[DevicePort], catalogue: Catalogue, problems: Problems
) -> dict[tuple[int, tuple[str, ...]], Fit]:
    """Return how each kind of device port joins the switch; a kind that does not is one error."""
    fits: dict[tuple[int, tuple[str, ...]], Fit] = {}
    seen: set[tuple[int, tuple[str, ...]]] = set()
    for device_port in device_ports:
        kind = (device_port.speed_gbps, device_port.modules)
        if kind in seen:
            continue
        seen.add(kind)
        uplink = device_port.kind == "uplink"
        cable = None if device_port.kind in {"uplink", "management"} else fabric.cable
        fit = _uplink_fit(model, device_port) if uplink else find_fit(model, device_port, catalogue, cable)
        if fit is not None:
            fits[kind] = fit
            continue
        why = (
            f"no port of {model.model} runs at {device_port.speed_gbps}G without being split"
            if uplink
            else explain_misfit(model, device_port, catalogue, cable)
        )
        problems.add(("fabrics", device_port.fabric, "cable") if cable else device_port.path, why, _misfit_hint(cable))
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
    device_ports: Sequence[DevicePort],
    fits: Mapping[tuple[int, tuple[str, ...]], Fit],
    problems: Problems,
) -> dict[int, dict[str, str]]:
    """Return switch number to port key to device port of every pinned port of this fabric."""
    by_name = {f"{device_port.device}:{device_port.port}": device_port for device_port in device_ports}
    pins: dict[int, dict[str, str]] = {}
    for owner, where in site.pin.ports.items():
        device_port = by_name.get(owner)
        fit = fits.get((device_port.speed_gbps, device_port.modules)) if device_port else None
        if device_port is None or fit is None:
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


def fabric_demand(site: Site, name: str, sources: DemandSources, problems: Problems) -> Demand:
    """Return what one fabric must connect; a kind of device port that fits no port of its switch is an error."""
    fabric, server_drafts, catalogue = site.fabrics[name], sources.server_drafts, sources.catalogue
    model, nos = catalogue.switch(fabric.switch), catalogue.nos(fabric.nos)
    oob = fabric_role(name, fabric) == "oob"
    blocks = _server_blocks(server_drafts, name, by_kind=oob)
    if oob:
        blocks.insert(0, tuple(_switch_management_ports(site, name, sources)))
    top = tuple(_pdu_management_ports(site, name, sources)) if oob else ()
    uplinks = tuple(_uplink_ports(site, name))
    device_ports = [*chain.from_iterable(blocks), *top, *uplinks]
    fits = cable_fits(fabric, model, device_ports, catalogue, problems)

    example = next((server_draft for server_draft in server_drafts if server_draft.ports_on(name)), None)

    def fitting(some: Iterable[DevicePort]) -> tuple[DevicePort, ...]:
        return tuple(device_port for device_port in some if (device_port.speed_gbps, device_port.modules) in fits)

    return Demand(
        fabric=name,
        switch_model=model.model,
        blocks=tuple(fitting(block) for block in blocks),
        top=fitting(top),
        uplinks=fitting(uplinks),
        fits=fits,
        isl_fit=find_isl_fit(model, catalogue, 1),
        split_isl_fit=find_isl_fit(model, catalogue, 2) or find_isl_fit(model, catalogue, 1),
        pins=_pins(site, name, model, nos, device_ports, fits, problems),
        path=("fabrics", name),
        oversubscription=fabric.oversubscription,
        servers_per_rack=_servers_per_rack(site, name, model, server_drafts, catalogue),
        manages_itself=oob and (1, ("rj45",)) in fits,
        example=example.name if example else "",
        others=frozenset(
            server_draft.name for server_draft in server_drafts if example and server_draft.group != example.group
        ),
        racks=_places(site, sources.positions) if oob else {},
    )


def _servers_per_rack(
    site: Site, name: str, switch: SwitchModel, server_drafts: Sequence[ServerDraft], catalogue: Catalogue
) -> int:
    """Return how many servers or nodes a rack takes below a switch of a fabric: the fewest over its groups."""
    counts = [1]
    groups: list[tuple[str, ServerGroup | Storage]] = [(group.group, group) for _, group in groups_on(site, name)]
    groups += [(cluster.name, cluster) for cluster in site.storage if cluster.fabric == name]
    for called, group in groups:
        server_draft = next((server_draft for server_draft in server_drafts if server_draft.group == called), None)
        rack = next((rack for rack in site.racks if rack.name == group.rack_names[0]), None)
        if server_draft is not None and rack is not None:
            units = catalogue.rack(rack.model).rack_units - switch.body.rack_units
            counts.append(group.per_rack or units // server_draft.model.body.rack_units)
    return max(1, min(counts[1:], default=1))
