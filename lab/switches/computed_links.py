"""The cables as plugged, and the link state that follows from the configuration of both ends."""

from collections.abc import Callable, Iterable
from hashlib import sha256
from ipaddress import ip_address, ip_interface
from itertools import chain

from lab.errors import LabError
from lab.spec.models import HostEnd, LabEnd, LabLink, port_mac
from lab.switches.computed_routes import computed
from lab.switches.device_state import BgpPeer, BgpSpeaker, DeviceState, PortState
from lab.switches.evpn_state import networks, segments
from lab.switches.links import LabNetwork, LabRoute, LabSegment, Neighbor, PortCounters

FindState = Callable[[str], DeviceState | None]
"""Returns the configured state of a switch by name; None for a switch that is off and for any other device."""


class ComputedLinks:
    """All cables of a lab. Two cables can be swapped at their other ends."""

    def __init__(self, links: Iterable[LabLink], hosts: Iterable[HostEnd], find_state: FindState) -> None:
        self._hosts = {host.end: host for host in hosts}
        self._find_state = find_state
        self._by_end: dict[LabEnd, LabLink] = {}
        self._by_device: dict[str, list[LabEnd]] = {}
        for link in links:
            self._plug(link)
            for end in (link.a, link.b):
                self._by_device.setdefault(end.device, []).append(end)

    def _plug(self, link: LabLink) -> None:
        self._by_end[link.a] = link
        self._by_end[link.b] = link

    def swap(self, first: LabEnd, second: LabEnd) -> None:
        """Swap two cables at their other ends; a second swap restores them.

        Raises
        ------
        LabError
            One of the ends has no cable, or both are ends of one cable.
        """
        one, two = self._link(first), self._link(second)
        if one == two:
            raise LabError(f"{first} and {second} are the two ends of one cable")
        far_one, far_two = _peer_end(one, first), _peer_end(two, second)
        self._plug(LabLink(first, far_two, one.cable, one.parts if one.a == first else one.parts[::-1]))
        self._plug(LabLink(second, far_one, two.cable, two.parts if two.a == second else two.parts[::-1]))

    def _link(self, end: LabEnd) -> LabLink:
        link = self._by_end.get(end)
        if link is None:
            raise LabError(f"nothing is plugged into {end}", "`rackproof render` writes the cable schedule of the site")
        return link

    # --- links ------------------------------------------------------------------------------------------------

    def ports(self, device: str) -> tuple[str, ...]:
        """Return the front panel ports of a switch that have a cable."""
        return tuple(end.port for end in self._by_device.get(device, ()) if end not in self._hosts)

    def cable(self, device: str, port: str) -> LabLink | None:
        """Return the cable in a port, or None."""
        return self._by_end.get(LabEnd(device, port))

    def is_up(self, device: str, port: str) -> bool:
        """Return whether the link of a port is up: both ends exist, are enabled and agree about speed and FEC."""
        end = LabEnd(device, port)
        link = self._by_end.get(end)
        near = self._port(end)
        if link is None or near is None or not _on(near):
            return False
        far_end = _peer_end(link, end)
        host = self._hosts.get(far_end)
        if host is not None:
            return self._is_alive(host) and (near.speed_mbps, near.fec) == (host.speed_mbps, host.fec)
        far = self._port(far_end)
        return far is not None and _on(far) and (far.speed_mbps, far.fec) == (near.speed_mbps, near.fec)

    def _is_alive(self, host: HostEnd) -> bool:
        return not host.of_switch or self._find_state(host.end.device) is not None

    def neighbor(self, device: str, port: str) -> Neighbor | None:
        """Return the LLDP neighbor of a port, or None."""
        end = LabEnd(device, port)
        near = self._port(end)
        if near is None or not near.lldp or not self.is_up(device, port):
            return None
        far_end = _peer_end(self._by_end[end], end)
        host = self._hosts.get(far_end)
        if host is not None:
            return _host_neighbor(far_end) if host.lldp else None
        state = self._find_state(far_end.device)
        far = self._port(far_end)
        if state is None or far is None or not far.lldp:
            return None
        return _switch_neighbor(state, far)

    def state(self, device: str) -> DeviceState | None:
        """Return the configured state of a switch; None for a switch that is off and for any other device."""
        return self._find_state(device)

    def macs(self, device: str, port: str) -> tuple[str, ...]:
        """Return the MAC addresses that were learned on a port: that of the host there."""
        far = self.peer_end(LabEnd(device, port))
        here = far is not None and far in self._hosts and self.is_up(device, port)
        return (port_mac(far),) if far is not None and here else ()

    def routes(self, device: str) -> tuple[LabRoute, ...]:
        """Return the routes that a switch has learned."""
        return tuple(computed(self, device))

    def networks(self, device: str) -> tuple[LabNetwork, ...]:
        """Return the VNIs of a switch, with the remote tunnel endpoints of each."""
        return tuple(networks(self, device))

    def segments(self, device: str) -> tuple[LabSegment, ...]:
        """Return the Ethernet segments of a switch, with the other attached switches."""
        return tuple(segments(self, device))

    def peer_end(self, end: LabEnd) -> LabEnd | None:
        """Return the other end of the cable in a port, or None."""
        link = self._by_end.get(end)
        return None if link is None else _peer_end(link, end)

    def between_switches(self) -> tuple[LabLink, ...]:
        """Return the cables whose two ends are front panel ports of switches, as they are plugged now."""
        links = dict.fromkeys(self._by_end.values())
        return tuple(link for link in links if link.a not in self._hosts and link.b not in self._hosts)

    def is_host(self, end: LabEnd) -> bool:
        """Return whether an end is not a front panel port of a switch."""
        return end in self._hosts

    # --- only with real packets ------------------------------------------------------------------------------

    def counters(self, device: str, port: str) -> PortCounters:  # noqa: ARG002 no packets, whatever the port
        """Return zero counters: computed links carry no packets."""
        return PortCounters()

    def changed(self, device: str) -> None:
        """Do nothing: everything is computed on request."""

    async def refresh(self, device: str) -> None:
        """Do nothing: everything is computed on request."""

    def _port(self, end: LabEnd) -> PortState | None:
        state = self._find_state(end.device)
        return None if state is None else state.ports.get(end.port)

    # --- BGP --------------------------------------------------------------------------------------------------

    def session_state(self, device: str, speaker: BgpSpeaker, peer: BgpPeer) -> str:
        """Return the state of a BGP session: ``Established``, or the state in which it stays."""
        if peer.shutdown:
            return "Idle(Admin)"
        found = self._over_interface(device, peer) if "." not in peer.target else self._to_address(device, peer)
        if found is None:
            return "Idle" if "." not in peer.target else "Active"
        remote_asn, remote_peer = found
        if not _matches(peer.remote, speaker.asn, remote_asn):
            return "Idle"
        if remote_peer is not None and not _matches(remote_peer.remote, remote_asn, speaker.asn):
            return "Active"
        if remote_peer is not None and not peer.families & remote_peer.families:
            return "Active"
        return "Established"

    def asn_behind(self, device: str, peer: BgpPeer) -> int | None:
        """Return the ASN of the peer of a session, or None when there is no peer."""
        found = self._over_interface(device, peer) if "." not in peer.target else self._to_address(device, peer)
        return None if found is None else found[0]

    def prefixes(self, device: str, peer: BgpPeer, family: str) -> int:  # noqa: ARG002 a computed route is one
        """Return the number of prefixes received over an established session: always 1 without packets."""
        return 1

    def _over_interface(self, device: str, peer: BgpPeer) -> tuple[int, BgpPeer | None] | None:
        """Return ASN and peer statement of an unnumbered session: the device at the other end of the cable."""
        link = self.cable(device, peer.target)
        near = self._port(LabEnd(device, peer.target))
        if link is None or near is None or not near.ipv6_link_local or not self.is_up(device, peer.target):
            return None
        far_end = _peer_end(link, LabEnd(device, peer.target))
        host = self._hosts.get(far_end)
        if host is not None:
            return None if host.asn is None else (host.asn, None)
        state = self._find_state(far_end.device)
        if state is None or state.bgp is None or not state.ports[far_end.port].ipv6_link_local:
            return None
        return next(((state.bgp.asn, theirs) for theirs in state.bgp.peers if theirs.target == far_end.port), None)

    def _to_address(self, device: str, peer: BgpPeer) -> tuple[int, BgpPeer | None] | None:
        """Return ASN and peer statement of a session to an address: its owner, reachable over live links."""
        outside = self._router_outside(device, peer)
        if outside is not None:
            return outside
        for name in self._reachable(device):
            state = self._find_state(name)
            if state is None or state.bgp is None or peer.target not in _addresses(state):
                continue
            ours = self._find_state(device)
            own = _addresses(ours) if ours else frozenset()
            return next(((state.bgp.asn, theirs) for theirs in state.bgp.peers if theirs.target in own), None)
        return None

    def _router_outside(self, device: str, peer: BgpPeer) -> tuple[int, BgpPeer | None] | None:
        """Return the ASN of a router outside the site; it has every address in the subnet of its port."""
        for end in self._by_device.get(device, ()):
            host = self._hosts.get(_peer_end(self._by_end[end], end))
            near = self._port(end)
            if host is None or host.asn is None or near is None or not self.is_up(device, end.port):
                continue
            if any(ip_address(peer.target) in ip_interface(address).network for address in near.addresses):
                return host.asn, None
        return None

    def _reachable(self, device: str) -> tuple[str, ...]:
        """Return the switches reachable over live links, nearest first."""
        found = [device]
        for name in found:
            for end in self._by_device.get(name, ()):
                far = _peer_end(self._by_end[end], end)
                if far not in self._hosts and far.device not in found and self.is_up(name, end.port):
                    found.append(far.device)
        return tuple(found[1:])


def _peer_end(link: LabLink, end: LabEnd) -> LabEnd:
    return link.b if link.a == end else link.a


def _on(port: PortState) -> bool:
    return port.admin_up and port.usable


def _matches(stated: str, own_asn: int, remote_asn: int) -> bool:
    """Return whether the ``remote-as`` of a neighbor statement matches the peer's ASN."""
    if stated == "internal":
        return own_asn == remote_asn
    if stated == "external":
        return own_asn != remote_asn
    return stated == str(remote_asn)


def _addresses(state: DeviceState) -> frozenset[str]:
    on_ports = chain.from_iterable(port.addresses for port in state.ports.values())
    others = state.bgp.addresses if state.bgp else ()
    return frozenset((*(address.partition("/")[0] for address in on_ports), *others))


def _switch_neighbor(state: DeviceState, port: PortState) -> Neighbor:
    """Return what lldpmgrd of SONiC announces: the port by its name, with its description or its kernel name."""
    return Neighbor(
        device=state.name,
        port=port.name,
        port_description=port.description or port.native_name,
        chassis_mac=state.chassis_mac,
        description=state.description,
        management_address=state.management_address,
        is_host=False,
    )


def _host_neighbor(end: LabEnd) -> Neighbor:
    """Return what the LLDP daemon of a host announces."""
    octets = sha256(end.device.encode()).hexdigest()[:6]
    mac = f"02:00:5e:{octets[:2]}:{octets[2:4]}:{octets[4:]}"
    return Neighbor(end.device, end.port, end.port, mac, "Ubuntu Linux", None, is_host=True)
