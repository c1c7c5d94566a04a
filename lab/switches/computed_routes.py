"""Routes of a lab switch: computed from its BGP sessions without a fabric, else read from the kernel."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lab.spec.kernel_names import kernel_name
from lab.spec.models import LabEnd
from lab.switches.links import ConfiguredLinks, LabRoute

_PROTOCOLS = {"kernel": "connected"}

Ports = dict[str, None]
"""Names of ports, in order and each once."""


def computed(links: ConfiguredLinks, device: str) -> Iterator[LabRoute]:
    """Yield a route to every advertised prefix of the switches within reach, over all shortest paths.

    Where several switches advertise one prefix, the nearest ones count.

    A switch ignores a route that has its own ASN in its path (RFC 4271, 9.1.2): two switches with one ASN have routes
    to each other only over a direct session.
    """
    here = links.state(device)
    if here is None or here.bgp is None:
        return
    routes: dict[str, tuple[int, Ports]] = {}
    for name, (distance, ports) in _shortest_paths(links, device).items():
        there = links.state(name)
        adjacent = any(_peer_device(links, device, port) == name for port in ports)
        if there is None or there.bgp is None or not (adjacent or there.bgp.asn != here.bgp.asn):
            continue
        for prefix in there.bgp.networks:
            best, known = routes.setdefault(prefix, (distance, {}))
            if distance == best and prefix not in here.bgp.networks:
                known.update(ports)
    yield from (LabRoute(prefix, "bgp", tuple(ports)) for prefix, (_, ports) in routes.items() if ports)


def _shortest_paths(links: ConfiguredLinks, device: str) -> dict[str, tuple[int, Ports]]:
    """Return every switch within reach, nearest first: its distance in hops, and the first ports of the paths to it."""
    found: dict[str, Ports] = {device: {}}
    distances: dict[str, int] = {}
    edge, distance = [device], 0
    while edge:
        distance += 1
        further: dict[str, Ports] = {}
        for name in edge:
            for port, peer in _bgp_neighbors(links, name):
                if peer not in found:
                    further.setdefault(peer, {}).update({port: None} if name == device else found[name])
        distances.update(dict.fromkeys(further, distance))
        found.update(further)
        edge = list(further)
    return {name: (hops, found[name]) for name, hops in distances.items()}


def _bgp_neighbors(links: ConfiguredLinks, device: str) -> Iterator[tuple[str, str]]:
    """Yield the ports with an established session to another switch, and that switch."""
    state = links.state(device)
    if state is None or state.bgp is None:
        return
    for peer in state.bgp.peers:
        neighbor = None if "." in peer.target else _peer_device(links, device, peer.target)
        up = links.session_state(device, state.bgp, peer) == "Established"
        if up and neighbor is not None and links.state(neighbor) is not None:
            yield peer.target, neighbor


def _peer_device(links: ConfiguredLinks, device: str, port: str) -> str | None:
    end = links.peer_end(LabEnd(device, port))
    return None if end is None else end.device


def kernel_routes(rows: Iterable[Mapping[str, Any]], ports: Iterable[str]) -> Iterator[LabRoute]:
    """Yield the routes of ``ip -j route``, with the switch's own names of its ports."""
    names = {kernel_name(port): port for port in ports}
    for row in rows:
        hops = row.get("nexthops", [row])
        paths = tuple(names.get(hop["dev"], hop["dev"]) for hop in hops if "dev" in hop)
        protocol = str(row.get("protocol", ""))
        yield LabRoute(_with_length(str(row["dst"])), _PROTOCOLS.get(protocol, protocol), paths)


def _with_length(prefix: str) -> str:
    if prefix == "default":
        return "0.0.0.0/0"
    return prefix if "/" in prefix else f"{prefix}/32"
