"""Routes of a lab switch: computed from its sessions where no packet is sent, else those of the kernel."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lab.spec.kernel_names import kernel_name
from lab.spec.models import LabEnd

if TYPE_CHECKING:
    from lab.switches.computed_links import Wiring
    from lab.switches.device_state import DeviceState

_PROTOCOLS = {"kernel": "connected"}


@dataclass(frozen=True, slots=True)
class LabRoute:
    """A route in use."""

    prefix: str
    protocol: str
    """``bgp``, ``connected`` or ``static``."""
    ports: tuple[str, ...]
    """All ways, by the switch's own names."""


def computed(wiring: "Wiring", device: str) -> Iterator[LabRoute]:
    """Yield a route to what every switch tells of that sessions over cables lead to, over all shortest ways.

    Of several that tell of one prefix, the nearest count.

    A route that has been through a switch's own ASN is none to it (RFC 4271, 9.1.2), so two switches of one ASN have
    routes to each other only over a session of their own.
    """
    here = wiring.state(device)
    if here is None or here.bgp is None:
        return
    told: dict[str, tuple[int, dict[str, None]]] = {}
    for name, (distance, ports) in _ways(wiring, device).items():
        there = wiring.state(name)
        near = any(_far(wiring, device, port) == name for port in ports)
        if there is None or there.bgp is None or not (near or there.bgp.asn != here.bgp.asn):
            continue
        for prefix in there.bgp.networks:
            best, known = told.setdefault(prefix, (distance, {}))
            if distance == best and prefix not in here.bgp.networks:
                known.update(ports)
    yield from (LabRoute(prefix, "bgp", tuple(ports)) for prefix, (_, ports) in told.items() if ports)


def _ways(wiring: "Wiring", device: str) -> dict[str, tuple[int, dict[str, None]]]:
    """Return every switch that can be reached, near ones first: how far it is, and the ports that ways to it begin."""
    found: dict[str, dict[str, None]] = {device: {}}
    distances: dict[str, int] = {}
    edge, distance = [device], 0
    while edge:
        distance += 1
        further: dict[str, dict[str, None]] = {}
        for name in edge:
            for port, far in _adjacent(wiring, name):
                if far not in found:
                    further.setdefault(far, {}).update({port: None} if name == device else found[name])
        distances.update(dict.fromkeys(further, distance))
        found.update(further)
        edge = list(further)
    return {name: (far, found[name]) for name, far in distances.items()}


def _adjacent(wiring: "Wiring", device: str) -> Iterator[tuple[str, str]]:
    """Yield the ports over which a switch has a session with another switch, and that switch."""
    state: DeviceState | None = wiring.state(device)
    if state is None or state.bgp is None:
        return
    for peer in state.bgp.peers:
        far = None if "." in peer.target else _far(wiring, device, peer.target)
        up = wiring.session_state(device, state.bgp, peer) == "Established"
        if up and far is not None and wiring.state(far) is not None:
            yield peer.target, far


def _far(wiring: "Wiring", device: str, port: str) -> str | None:
    end = wiring.far(LabEnd(device, port))
    return None if end is None else end.device


def of_kernel(rows: Iterable[Mapping[str, Any]], ports: Iterable[str]) -> Iterator[LabRoute]:
    """Yield the routes that ``ip -j route`` prints, with the switch's names of its ports."""
    names = {kernel_name(port): port for port in ports}
    for row in rows:
        ways = tuple(names.get(way["dev"], way["dev"]) for way in row.get("nexthops", [row]) if "dev" in way)
        protocol = str(row.get("protocol", ""))
        yield LabRoute(_whole(str(row["dst"])), _PROTOCOLS.get(protocol, protocol), ways)


def _whole(prefix: str) -> str:
    if prefix == "default":
        return "0.0.0.0/0"
    return prefix if "/" in prefix else f"{prefix}/32"
