"""What fits together physically: cages, plugs, lanes, lane rates, optics and fibres."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rackproof.hardware.load import Catalogue
from rackproof.hardware.models import CableModel, PortRange, SwitchModel, TransceiverModel
from rackproof.plan.sockets import Socket
from rackproof.types import Fec, split_breakout

MEDIA_BY_REACH = ("copper", "dac", "acc", "aec", "aoc", "mmf", "smf")
"""Shortest reach, least power and price first: passive copper before active, active before fibre."""


@dataclass(frozen=True, slots=True)
class Joint:
    """A way to join a switch port to the ports at the other end: a cable, with optics where it is bare fibre."""

    cable: CableModel
    trunk_transceiver: TransceiverModel | None = None
    leg_transceiver: TransceiverModel | None = None

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


def plugs(ports: PortRange) -> tuple[str, ...]:
    """Return the plug forms a switch's cage takes, its own form first."""
    return ports.modules or (ports.cage,)


def _modes(ports: PortRange, speed_gbps: int) -> Iterator[tuple[str | None, int, int]]:
    """Yield (breakout mode, legs, lanes) of every way the port runs at ``speed_gbps``, most legs first."""
    split = [(mode.mode, *split_breakout(mode.mode), mode.lanes) for mode in ports.breakouts]
    for mode, count, speed, lanes in sorted(split, key=lambda row: -row[1]):
        if speed == speed_gbps and count > 1:
            yield mode, count, lanes
    if ports.speed_gbps == speed_gbps:
        yield None, 1, ports.lanes


def _optic(catalogue: Catalogue, cable: CableModel, connector: str, cage: Sequence[str]) -> TransceiverModel | None:
    """Return an optic for ``cage`` that takes the fibre's ``connector``."""
    return next(
        (
            optic
            for optic in catalogue.transceivers()
            if optic.module in cage and optic.connector == connector and optic.media == cable.media
        ),
        None,
    )


def misfit(cable: CableModel, ports: PortRange, mode: str | None, socket: Socket) -> str | None:
    """Return why a cable with its own plugs cannot join the port, split by ``mode``, to ``socket``; None: it fits."""
    return next(_misfits(cable, ports, mode, socket), None)


def _misfits(cable: CableModel, ports: PortRange, mode: str | None, socket: Socket) -> Iterator[str]:
    """Yield what does not fit: form, number of legs, speed, lanes and lane rate, in this order."""
    trunk, leg = cable.trunk, cable.leg
    legs = split_breakout(mode)[0] if mode else 1
    if trunk.module not in plugs(ports):
        yield f"its {trunk.module} plug does not go into the switch's {ports.cage} cage"
    if leg.module not in socket.modules:
        yield f"its {leg.module} plug does not go into the {socket.modules[0]} cage of {socket.port}"
        return
    if cable.legs != legs:
        yield f"it has {cable.legs} leg(s), the port split {mode or 'not at all'} has {legs}"
    if cable.speed_gbps != socket.speed_gbps:
        yield f"a leg carries {cable.speed_gbps}G, {socket.port} runs at {socket.speed_gbps}G"
    if trunk.lanes > ports.lanes or trunk.lanes != leg.lanes * cable.legs:
        yield f"{trunk.lanes} trunk lanes do not meet {cable.legs} x {leg.lanes} in a port of {ports.lanes}"
    if leg.lanes != socket.lanes[leg.module]:
        yield f"its leg has {leg.lanes} lanes, {socket.port} uses {socket.lanes[leg.module]}"
    if trunk.lane_gbps != leg.lane_gbps:
        yield f"{trunk.lane_gbps:g}G lanes at the trunk do not meet {leg.lane_gbps:g}G lanes at the leg"


def _fibre_joint(cable: CableModel, ports: PortRange, legs: int, socket: Socket, catalogue: Catalogue) -> Joint | None:
    """Return bare fibre with an optic at each end, if both optics exist and run alike."""
    trunk = _optic(catalogue, cable, cable.trunk.module, plugs(ports))
    leg = _optic(catalogue, cable, cable.leg.module, socket.modules)
    if trunk is None or leg is None or cable.legs != legs or leg.speed_gbps != socket.speed_gbps:
        return None
    alike = trunk.lane_gbps == leg.lane_gbps and trunk.speed_gbps == leg.speed_gbps * legs
    polished = cable.trunk.polish == cable.leg.polish
    return Joint(cable, trunk, leg) if alike and polished else None


def _joints(ports: PortRange, mode: str | None, legs: int, socket: Socket, catalogue: Catalogue) -> Iterator[Joint]:
    for cable in catalogue.cables():
        if cable.media in {"mmf", "smf"}:
            joint = _fibre_joint(cable, ports, legs, socket, catalogue)
            if joint is not None:
                yield joint
        elif misfit(cable, ports, mode, socket) is None:
            yield Joint(cable)


def find_fit(switch: SwitchModel, socket: Socket, catalogue: Catalogue, cable: str | None = None) -> Fit | None:
    """Return how ``socket`` joins ``switch``: the port kind and split with most legs that some cable serves.

    Parameters
    ----------
    cable
        Only this cable model, where the site asks for one.
    """
    for ports in switch.ports:
        for mode, legs, _ in _modes(ports, socket.speed_gbps):
            joints = [
                joint
                for joint in _joints(ports, mode, legs, socket, catalogue)
                if cable is None or joint.cable.model == cable
            ]
            if joints:
                joints.sort(key=lambda joint: (MEDIA_BY_REACH.index(joint.cable.media), joint.cable.model))
                return Fit(ports, mode, legs, tuple(joints))
    return None


def explain_misfit(switch: SwitchModel, socket: Socket, catalogue: Catalogue, cable: str | None) -> str:
    """Return why nothing joins ``socket`` to ``switch``: the asked cable's fault, or what the switch cannot do."""
    ways = [(ports, mode) for ports in switch.ports for mode, _, _ in _modes(ports, socket.speed_gbps)]
    if not ways:
        return f"no port of {switch.model} runs at {socket.speed_gbps}G, split or not"
    if cable is None:
        cages = " or ".join(sorted({ports.cage for ports, _ in ways}))
        return f"no cable of the catalogue joins {cages} to {socket.modules[0]} at {socket.speed_gbps}G"
    asked = next(entry for entry in catalogue.cables() if entry.model == cable)
    reasons = dict.fromkeys(misfit(asked, ports, mode, socket) or "" for ports, mode in ways)
    return f"{cable} does not fit: {'; '.join(reason for reason in reasons if reason)}"
