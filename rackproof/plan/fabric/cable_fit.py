"""What fits together physically: cages, plugs, lanes, lane rates, optics and fibres."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rackproof.hardware.load import Catalogue
from rackproof.hardware.models import Breakout, CableModel, PortRange, SwitchModel, TransceiverModel
from rackproof.plan.fabric.server_ports import DevicePort
from rackproof.types import Fec, split_breakout

MEDIA_BY_REACH = ("copper", "dac", "acc", "aec", "aoc", "mmf", "smf")
"""Shortest reach, least power and price first: passive copper before active, active before fibre."""
FIBRE = frozenset({"mmf", "smf"})


@dataclass(frozen=True, slots=True)
class CableOption:
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
    """A kind of switch port, a way to split it, and everything that joins it to one kind of device port."""

    ports: PortRange
    mode: str | None
    """Breakout mode; None: not split."""
    legs: int
    options: tuple[CableOption, ...]
    """Shortest reach first."""
    blocks_neighbour: bool = False
    """Only odd ports are split this way, and each takes the even port after it out of use."""


@dataclass(frozen=True, slots=True)
class _PortMode:
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


def _port_modes(switch: SwitchModel, speed_gbps: int) -> Iterator[_PortMode]:
    """Yield every way a port of the switch runs at ``speed_gbps``: whole neighbours and most legs first."""
    for ports in switch.ports:
        splits = [_PortMode(ports, breakout, *split_breakout(breakout.mode)) for breakout in ports.breakouts]
        splits.sort(
            key=lambda port_mode: (bool(port_mode.breakout and port_mode.breakout.blocks_neighbour), -port_mode.legs)
        )
        yield from (port_mode for port_mode in splits if port_mode.speed_gbps == speed_gbps and port_mode.legs > 1)
        if ports.speed_gbps == speed_gbps and not ports.always_split:
            yield _PortMode(ports, None, 1, speed_gbps)


def _misfits(cable: CableModel, port_mode: _PortMode, device_port: DevicePort) -> Iterator[str]:
    """Yield why a cable with its own plugs does not fit: form, number of legs, speed, lanes and lane rate."""
    trunk, leg = cable.trunk, cable.leg
    if trunk.module not in plugs(port_mode.ports):
        yield f"its {trunk.module} plug does not go into the switch's {port_mode.ports.cage} cage"
    if leg.module not in device_port.modules:
        yield f"its {leg.module} plug does not go into the {device_port.modules[0]} cage of {device_port.port}"
        return
    if cable.legs != port_mode.legs:
        yield f"it has {cable.legs} leg(s), the port split {port_mode.mode or 'not at all'} has {port_mode.legs}"
    if cable.speed_gbps != device_port.speed_gbps:
        yield f"a leg carries {cable.speed_gbps}G, {device_port.port} runs at {device_port.speed_gbps}G"
    if trunk.lanes > port_mode.ports.lanes or trunk.lanes != leg.lanes * cable.legs:
        yield f"{trunk.lanes} trunk lanes do not meet {cable.legs} x {leg.lanes} in a port of {port_mode.ports.lanes}"
    if leg.lanes != device_port.lanes[leg.module]:
        yield f"its leg has {leg.lanes} lanes, {device_port.port} uses {device_port.lanes[leg.module]}"
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


def _fibre_options(
    cable: CableModel, port_mode: _PortMode, device_port: DevicePort, catalogue: Catalogue
) -> Iterator[CableOption]:
    """Yield bare fibre with an optic at each end whose lanes, lane rates and connectors meet."""
    for trunk in _optics(catalogue, plugs(port_mode.ports), cable.trunk.module, cable.trunk.lanes, cable):
        if (
            trunk.connectors * cable.legs != port_mode.legs
            or cable.leg.lanes * trunk.lane_gbps != device_port.speed_gbps
        ):
            continue
        for leg in _optics(catalogue, device_port.modules, cable.leg.module, cable.leg.lanes, cable):
            if (
                leg.lane_gbps == trunk.lane_gbps
                and (leg.host_lanes or cable.leg.lanes) == device_port.lanes[leg.module]
            ):
                yield CableOption(cable, trunk, leg)


def _options(
    switch: SwitchModel, port_mode: _PortMode, device_port: DevicePort, catalogue: Catalogue
) -> Iterator[CableOption]:
    for cable in catalogue.cables():
        if switch.link_layer not in cable.link_layers:
            continue
        if cable.media in FIBRE:
            yield from _fibre_options(cable, port_mode, device_port, catalogue)
        elif next(_misfits(cable, port_mode, device_port), None) is None:
            yield CableOption(cable)


def _by_reach(switch: SwitchModel, options: Sequence[CableOption]) -> tuple[CableOption, ...]:
    """Return joints, shortest reach first; the switch maker's own cables before others of the kind."""

    def rank(option: CableOption) -> tuple[int, float, bool, str]:
        media = MEDIA_BY_REACH.index(option.cable.media)
        return (
            media,
            option.reach_m if option.fibres > 1 else 0.0,
            option.cable.vendor != switch.vendor,
            option.cable.model,
        )

    return tuple(sorted(options, key=rank))


def find_fit(
    switch: SwitchModel, device_port: DevicePort, catalogue: Catalogue, cable: str | None = None
) -> Fit | None:
    """Return how ``device_port`` joins ``switch``: the port kind and split with most legs that some cable serves.

    Parameters
    ----------
    cable
        Only this cable model, where the site asks for one.
    """
    if device_port.link_layer != switch.link_layer:
        return None
    for port_mode in _port_modes(switch, device_port.speed_gbps):
        found = _options(switch, port_mode, device_port, catalogue)
        options = [option for option in found if cable is None or option.cable.model == cable]
        if options:
            blocks = bool(port_mode.breakout and port_mode.breakout.blocks_neighbour)
            return Fit(port_mode.ports, port_mode.mode, port_mode.legs, _by_reach(switch, options), blocks)
    return None


def explain_misfit(switch: SwitchModel, device_port: DevicePort, catalogue: Catalogue, cable: str | None) -> str:
    """Return why nothing joins ``device_port`` to ``switch``: the asked cable's fault, or what the switch cannot do."""
    if device_port.link_layer != switch.link_layer:
        port = f"{device_port.device} {device_port.port}"
        return f"{port} runs {device_port.link_layer}, {switch.model} runs {switch.link_layer}"
    port_modes = list(_port_modes(switch, device_port.speed_gbps))
    if not port_modes:
        return f"no port of {switch.model} runs at {device_port.speed_gbps}G, split or not"
    if cable is None:
        cages = " or ".join(sorted({port_mode.ports.cage for port_mode in port_modes}))
        return f"no cable of the catalogue joins {cages} to {device_port.modules[0]} at {device_port.speed_gbps}G"
    asked = catalogue.cable(cable)
    if asked.media in FIBRE:
        return f"{cable} does not fit: no two optics of the catalogue meet over it"
    reasons = dict.fromkeys(next(_misfits(asked, port_mode, device_port), "") for port_mode in port_modes)
    return f"{cable} does not fit: {'; '.join(reason for reason in reasons if reason)}"


def _isl_options(switch: SwitchModel, ports: PortRange, links: int, catalogue: Catalogue) -> Iterator[CableOption]:
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
            yield CableOption(cable)


def _straight_fibre(cable: CableModel, ports: PortRange, links: int, catalogue: Catalogue) -> Iterator[CableOption]:
    """Yield straight fibres between two like optics, one fibre a link."""
    for optic in _optics(catalogue, plugs(ports), cable.trunk.module, cable.trunk.lanes, cable):
        straight = cable.leg.module == cable.trunk.module and cable.trunk.lanes == optic.lanes // optic.connectors
        if straight and optic.connectors == links and optic.lanes == ports.lanes:
            yield CableOption(cable, optic, optic)


def find_isl_fit(switch: SwitchModel, catalogue: Catalogue, links: int) -> Fit | None:
    """Return how two such switches join cage to cage at full speed, each cage divided into ``links`` (1: not split)."""
    ports = switch.ports[0]
    mode = next((b.mode for b in ports.breakouts if split_breakout(b.mode) == (links, ports.speed_gbps // links)), None)
    if (links > 1) != (mode is not None) and not (links == 1 and not ports.always_split):
        return None
    options = list(_isl_options(switch, ports, links, catalogue))
    return Fit(ports, mode if links > 1 else None, links, _by_reach(switch, options)) if options else None
