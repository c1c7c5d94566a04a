"""What fits together physically: cages, plugs, lanes, lane rates, optics and fibres."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rackproof.hardware.load import Catalogue
from rackproof.hardware.models import Breakout, CableModel, PortRange, SwitchModel, TransceiverModel
from rackproof.plan.fabric.server_ports import Socket
from rackproof.types import Fec, split_breakout

MEDIA_BY_REACH = ("copper", "dac", "acc", "aec", "aoc", "mmf", "smf")
"""Shortest reach, least power and price first: passive copper before active, active before fibre."""
FIBRE = frozenset({"mmf", "smf"})


@dataclass(frozen=True, slots=True)
class Joint:
    """A way to join a switch port to the ports at the other end: a cable, with optics where it is bare fibre."""

    cable: CableModel
    trunk_transceiver: TransceiverModel | None = None
    leg_transceiver: TransceiverModel | None = None

    @property
    def fibres(self) -> int:
        """Cables of this model that one switch port takes: a twin-port optic takes two."""
        return self.trunk_transceiver.connectors if self.trunk_transceiver else 1

    @property
    def reach_m(self) -> float:
        """Longest run it covers."""
        optics = [optic.reach_m for optic in (self.trunk_transceiver, self.leg_transceiver) if optic]
        return min([self.cable.lengths_m[-1], *optics])

    @property
    def fec(self) -> Fec:
        """Forward error correction the port needs with it."""
        return self.leg_transceiver.fec if self.leg_transceiver else self.cable.fec


@dataclass(frozen=True, slots=True)
class Fit:
    """A kind of switch port, a way to split it, and everything that joins it to one kind of socket."""

    ports: PortRange
    mode: str | None
    """Breakout mode; None: not split."""
    legs: int
    joints: tuple[Joint, ...]
    """Shortest reach first."""
    blocks_neighbour: bool = False
    """Only odd ports are split this way, and each takes the even port after it out of use."""


@dataclass(frozen=True, slots=True)
class _Way:
    """A way a port runs at a speed."""

    ports: PortRange
    breakout: Breakout | None
    legs: int
    speed_gbps: int

    @property
    def mode(self) -> str | None:
        return self.breakout.mode if self.breakout else None


def plugs(ports: PortRange) -> tuple[str, ...]:
    """Return the plug forms a switch's cage takes, its own form first."""
    return ports.modules or (ports.cage,)


def _ways(switch: SwitchModel, speed_gbps: int) -> Iterator[_Way]:
    """Yield every way a port of the switch runs at ``speed_gbps``: whole neighbours and most legs first."""
    for ports in switch.ports:
        splits = [_Way(ports, breakout, *split_breakout(breakout.mode)) for breakout in ports.breakouts]
        splits.sort(key=lambda way: (bool(way.breakout and way.breakout.blocks_neighbour), -way.legs))
        yield from (way for way in splits if way.speed_gbps == speed_gbps and way.legs > 1)
        if ports.speed_gbps == speed_gbps and not ports.always_split:
            yield _Way(ports, None, 1, speed_gbps)


def _misfits(cable: CableModel, way: _Way, socket: Socket) -> Iterator[str]:
    """Yield why a cable with its own plugs does not fit: form, number of legs, speed, lanes and lane rate."""
    trunk, leg = cable.trunk, cable.leg
    if trunk.module not in plugs(way.ports):
        yield f"its {trunk.module} plug does not go into the switch's {way.ports.cage} cage"
    if leg.module not in socket.modules:
        yield f"its {leg.module} plug does not go into the {socket.modules[0]} cage of {socket.port}"
        return
    if cable.legs != way.legs:
        yield f"it has {cable.legs} leg(s), the port split {way.mode or 'not at all'} has {way.legs}"
    if cable.speed_gbps != socket.speed_gbps:
        yield f"a leg carries {cable.speed_gbps}G, {socket.port} runs at {socket.speed_gbps}G"
    if trunk.lanes > way.ports.lanes or trunk.lanes != leg.lanes * cable.legs:
        yield f"{trunk.lanes} trunk lanes do not meet {cable.legs} x {leg.lanes} in a port of {way.ports.lanes}"
    if leg.lanes != socket.lanes[leg.module]:
        yield f"its leg has {leg.lanes} lanes, {socket.port} uses {socket.lanes[leg.module]}"
    if trunk.lane_gbps != leg.lane_gbps:
        yield f"{trunk.lane_gbps:g}G lanes at the trunk do not meet {leg.lane_gbps:g}G lanes at the leg"


def _connector_lanes(optic: TransceiverModel) -> tuple[int, ...]:
    """Return the lanes that a fibre in one connector of an optic may use."""
    return optic.connector_lanes or (optic.lanes // optic.connectors,)


def _optics(
    catalogue: Catalogue, cages: Sequence[str], connector: str, lanes: int, cable: CableModel
) -> Iterator[TransceiverModel]:
    """Yield the optics for a cage that take a fibre's connector and light ``lanes`` of it."""
    for optic in catalogue.transceivers():
        fits = optic.module in cages and optic.connector == connector and optic.media == cable.media
        if fits and lanes in _connector_lanes(optic) and set(cable.link_layers) & set(optic.link_layers):
            yield optic


def _fibre_joints(cable: CableModel, way: _Way, socket: Socket, catalogue: Catalogue) -> Iterator[Joint]:
    """Yield bare fibre with an optic at each end whose lanes, lane rates and connectors meet."""
    for trunk in _optics(catalogue, plugs(way.ports), cable.trunk.module, cable.trunk.lanes, cable):
        if trunk.connectors * cable.legs != way.legs or cable.leg.lanes * trunk.lane_gbps != socket.speed_gbps:
            continue
        for leg in _optics(catalogue, socket.modules, cable.leg.module, cable.leg.lanes, cable):
            if leg.lane_gbps == trunk.lane_gbps and (leg.host_lanes or cable.leg.lanes) == socket.lanes[leg.module]:
                yield Joint(cable, trunk, leg)


def _joints(switch: SwitchModel, way: _Way, socket: Socket, catalogue: Catalogue) -> Iterator[Joint]:
    for cable in catalogue.cables():
        if switch.link_layer not in cable.link_layers:
            continue
        if cable.media in FIBRE:
            yield from _fibre_joints(cable, way, socket, catalogue)
        elif next(_misfits(cable, way, socket), None) is None:
            yield Joint(cable)


def _by_reach(switch: SwitchModel, joints: Sequence[Joint]) -> tuple[Joint, ...]:
    """Return joints, shortest reach first; the switch maker's own cables before others of the kind."""

    def rank(joint: Joint) -> tuple[int, float, bool, str]:
        media = MEDIA_BY_REACH.index(joint.cable.media)
        return media, joint.reach_m if joint.fibres > 1 else 0.0, joint.cable.vendor != switch.vendor, joint.cable.model

    return tuple(sorted(joints, key=rank))


def find_fit(switch: SwitchModel, socket: Socket, catalogue: Catalogue, cable: str | None = None) -> Fit | None:
    """Return how ``socket`` joins ``switch``: the port kind and split with most legs that some cable serves.

    Parameters
    ----------
    cable
        Only this cable model, where the site asks for one.
    """
    if socket.link_layer != switch.link_layer:
        return None
    for way in _ways(switch, socket.speed_gbps):
        found = _joints(switch, way, socket, catalogue)
        joints = [joint for joint in found if cable is None or joint.cable.model == cable]
        if joints:
            blocks = bool(way.breakout and way.breakout.blocks_neighbour)
            return Fit(way.ports, way.mode, way.legs, _by_reach(switch, joints), blocks)
    return None


def explain_misfit(switch: SwitchModel, socket: Socket, catalogue: Catalogue, cable: str | None) -> str:
    """Return why nothing joins ``socket`` to ``switch``: the asked cable's fault, or what the switch cannot do."""
    if socket.link_layer != switch.link_layer:
        return f"{socket.device} {socket.port} runs {socket.link_layer}, {switch.model} runs {switch.link_layer}"
    ways = list(_ways(switch, socket.speed_gbps))
    if not ways:
        return f"no port of {switch.model} runs at {socket.speed_gbps}G, split or not"
    if cable is None:
        cages = " or ".join(sorted({way.ports.cage for way in ways}))
        return f"no cable of the catalogue joins {cages} to {socket.modules[0]} at {socket.speed_gbps}G"
    asked = catalogue.cable(cable)
    if asked.media in FIBRE:
        return f"{cable} does not fit: no two optics of the catalogue meet over it"
    reasons = dict.fromkeys(next(_misfits(asked, way, socket), "") for way in ways)
    return f"{cable} does not fit: {'; '.join(reason for reason in reasons if reason)}"


def _trunk_joints(switch: SwitchModel, ports: PortRange, links: int, catalogue: Catalogue) -> Iterator[Joint]:
    """Yield what joins two cages of a kind that are split alike into ``links``."""
    for cable in catalogue.cables():
        if switch.link_layer not in cable.link_layers or cable.legs != 1:
            continue
        if cable.media in FIBRE:
            yield from _straight_fibre(cable, ports, links, catalogue)
            continue
        plugs_fit = {cable.trunk.module, cable.leg.module} <= set(plugs(ports))
        alike = cable.speed_gbps == ports.speed_gbps and cable.trunk.lanes == ports.lanes
        if plugs_fit and alike and links in cable.links_per_leg:
            yield Joint(cable)


def _straight_fibre(cable: CableModel, ports: PortRange, links: int, catalogue: Catalogue) -> Iterator[Joint]:
    """Yield straight fibres between two like optics, one fibre a link."""
    for optic in _optics(catalogue, plugs(ports), cable.trunk.module, cable.trunk.lanes, cable):
        straight = cable.leg.module == cable.trunk.module and cable.trunk.lanes == optic.lanes // optic.connectors
        if straight and optic.connectors == links and optic.lanes == ports.lanes:
            yield Joint(cable, optic, optic)


def find_trunk_fit(switch: SwitchModel, catalogue: Catalogue, links: int) -> Fit | None:
    """Return how two such switches join cage to cage at full speed, each cage divided into ``links`` (1: not split)."""
    ports = switch.ports[0]
    mode = next((b.mode for b in ports.breakouts if split_breakout(b.mode) == (links, ports.speed_gbps // links)), None)
    if (links > 1) != (mode is not None) and not (links == 1 and not ports.always_split):
        return None
    joints = list(_trunk_joints(switch, ports, links, catalogue))
    return Fit(ports, mode if links > 1 else None, links, _by_reach(switch, joints)) if joints else None
