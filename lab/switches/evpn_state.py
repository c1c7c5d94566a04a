"""VXLAN and EVPN of lab switches: what they are configured to stretch, and what follows where no packet is sent.

A switch hears of the networks and segments of those that EVPN sessions lead to: told by a neighbour, or passed on by
one with another ASN (RFC 4271, 9.1.2), as ``lab.switches.computed_routes`` has it for IPv4.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final

from lab.spec.models import LabEnd

if TYPE_CHECKING:
    from lab.switches.computed_links import Wiring
    from lab.switches.device_state import DeviceState

EVPN: Final = "l2vpn evpn"


@dataclass(frozen=True, slots=True)
class Network:
    """A VNI as it is configured: of a VLAN, or of a VRF."""

    number: int
    vlan: int | None = None
    vrf: str | None = None
    """The VRF it stands for; of a VLAN: the one that routes for it, None: the default one."""
    routed: bool = False
    """Whether the switch has an interface of its own in the VLAN."""


@dataclass(frozen=True, slots=True)
class Segment:
    """An Ethernet segment as it is configured."""

    esi: str
    port: str
    """The port channel."""
    members: tuple[str, ...]
    """Its ports."""
    preference: int


@dataclass(frozen=True, slots=True)
class Overlay:
    """What a switch stretches."""

    address: str
    """Of its tunnels, without prefix length."""
    networks: tuple[Network, ...] = ()
    segments: tuple[Segment, ...] = ()

    @property
    def vlans(self) -> dict[int, int]:
        """VLANs that are stretched, to their VNI."""
        return {network.vlan: network.number for network in self.networks if network.vlan is not None}


@dataclass(frozen=True, slots=True)
class LabNetwork:
    """A VNI, and which other switches have told of it."""

    network: Network
    remote: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LabSegment:
    """An Ethernet segment, and the preferences of the other switches with a leg, by address."""

    segment: Segment
    up: bool
    remote: dict[str, int]
    forwards: bool
    """Whether it forwards what is for everybody: highest preference, then lowest address (RFC 9785, section 4)."""


def networks(wiring: "Wiring", device: str) -> Iterator[LabNetwork]:
    """Yield the networks of a switch, with the other ends of each."""
    others = tuple(_others(wiring, device))
    for network in _overlay(wiring, device).networks:
        of_vrf = network.vlan is None
        remote = (
            there.address
            for _, there in others
            if any(one.number == network.number and (one.vlan is None) == of_vrf for one in there.networks)
        )
        yield LabNetwork(network, tuple(remote))


def segments(wiring: "Wiring", device: str) -> Iterator[LabSegment]:
    """Yield the segments of a switch; a leg that is down is withdrawn (RFC 7432, 8.2)."""
    here, others = _overlay(wiring, device), tuple(_others(wiring, device))
    for segment in here.segments:
        remote = {
            there.address: one.preference
            for name, there in others
            for one in there.segments
            if one.esi == segment.esi and _is_up(wiring, name, one)
        }
        own = (-segment.preference, ip_address(here.address))
        forwards = all(own < (-preference, ip_address(end)) for end, preference in remote.items())
        yield LabSegment(segment, _is_up(wiring, device, segment), remote, forwards)


def _overlay(wiring: "Wiring", device: str) -> Overlay:
    state = wiring.state(device)
    return Overlay("") if state is None or state.overlay is None else state.overlay


def _is_up(wiring: "Wiring", device: str, segment: Segment) -> bool:
    return any(wiring.is_up(device, member) for member in segment.members)


def _others(wiring: "Wiring", device: str) -> Iterator[tuple[str, Overlay]]:
    """Yield the other switches that were heard of, with what they stretch."""
    here = wiring.state(device)
    if here is None or here.bgp is None:
        return
    near = tuple(_neighbours(wiring, device))
    found = [device]
    for name in found:
        found.extend(dict.fromkeys(far for far in _neighbours(wiring, name) if far not in found))
    for name in sorted(found[1:]):
        there = wiring.state(name)
        if there is None or there.bgp is None or there.overlay is None:
            continue
        if name in near or there.bgp.asn != here.bgp.asn:
            yield name, there.overlay


def _neighbours(wiring: "Wiring", device: str) -> Iterator[str]:
    """Yield the switches with which a switch has a session over a cable that carries EVPN at both ends."""
    state = wiring.state(device)
    if state is None or state.bgp is None:
        return
    for peer in state.bgp.peers:
        far = None if "." in peer.target else wiring.far(LabEnd(device, peer.target))
        if far is None or EVPN not in peer.families:
            continue
        if wiring.session_state(device, state.bgp, peer) == "Established" and _carries(wiring.state(far.device), far):
            yield far.device


def _carries(state: "DeviceState | None", end: LabEnd) -> bool:
    if state is None or state.bgp is None:
        return False
    return any(peer.target == end.port and EVPN in peer.families for peer in state.bgp.peers)
