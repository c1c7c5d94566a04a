"""Forwarding, from the configuration."""

from collections.abc import Iterator
from itertools import chain

from lab.switches.device_state import BgpPeer, DeviceState
from lab.switches.forwarding import Forwarding, PortForwarding, QosState, Router, RoutingPeer, VlanInterface
from lab.switches.nos.enterprise_sonic.tree import Block, Configuration

_DEFAULT_MTU = 9100
_PATHS = 1
"""Without ``maximum-paths``: one path (BGP design document of SONiC's management framework)."""


def forwarding(configuration: Configuration, state: DeviceState) -> Forwarding:
    """Return how a switch forwards with a configuration."""
    vrfs = {block.argument("ip vrf forwarding") for block in configuration.root.children.values()}
    loopbacks = (block for _, block in configuration.blocks("loopback"))
    return Forwarding(
        ports={
            block.facts["name"]: _port(configuration, state, block) for _, block in configuration.blocks("ethernet")
        },
        vlans=tuple(_vlan(key, block) for key, block in configuration.blocks("vlan")),
        loopbacks=tuple(chain.from_iterable(_held(block, "ip address ") for block in loopbacks if not _vrf(block))),
        router=_router(configuration, state),
        routes=dict(_routes(configuration.root)),
        overlay=state.overlay,
        other_vrfs=frozenset(vrf for vrf in vrfs if vrf and vrf != "mgmt"),
        bfd=any(_uses_bfd(bgp) for _, bgp in configuration.blocks("bgp")),
    )


def _uses_bfd(bgp: Block) -> bool:
    return any("bfd" in peer.lines for peer in bgp.children.values())


def _held(block: Block, slot: str) -> Iterator[str]:
    """Yield the addresses in the slots that begin with ``slot``."""
    yield from (line.split()[2] for key, (_, line) in block.lines.items() if key.startswith(slot))


def _vrf(block: Block) -> str | None:
    return block.argument("ip vrf forwarding")


def _port(configuration: Configuration, state: DeviceState, block: Block) -> PortForwarding:
    group = block.argument("channel-group")
    bundle = configuration.root.children.get(f"interface PortChannel{group}") if group else None
    whole = bundle or block
    access = whole.argument("switchport access Vlan")
    name = block.facts["name"]
    return PortForwarding(
        name=name,
        mtu_bytes=int(whole.argument("mtu") or _DEFAULT_MTU),
        access_vlan=int(access) if access else None,
        tagged_vlans=frozenset(map(int, whole.maps.get("switchport trunk", {}))),
        addresses=tuple(_held(whole, "ip address ")) if group is None or _is_first(configuration, group, name) else (),
        ipv6_link_local="ipv6 enable" in whole.lines,
        group=group,
        vrf=_vrf(whole),
        lldp=state.ports[name].lldp,
        description=state.ports[name].description,
        qos=_qos(configuration.root, block),
    )


def _is_first(configuration: Configuration, group: str, name: str) -> bool:
    """Whether a port is the member of a port channel that stands for all of them."""
    members = (
        block.facts["name"] for _, block in configuration.blocks("ethernet") if block.argument("channel-group") == group
    )
    return next(members, None) == name


def _qos(root: Block, block: Block) -> QosState:
    classes = _map(root, block, "dscp-tc", "dscp")
    queues = _map(root, block, "tc-queue", "traffic-class")
    ecn = (queue for queue in range(8) if _marks(root, block.argument(f"queue {queue}")))
    lossless = (one for one in range(8) if f"priority-flow-control priority {one}" in block.lines)
    return QosState(classes, queues, frozenset(ecn), frozenset(lossless))


def _map(root: Block, block: Block, kind: str, word: str) -> dict[int, int]:
    """Return the entries of the map of a kind that a port uses; a port without one puts everything into class 0."""
    found = root.children.get(f"qos map {kind} {block.argument(f'qos-map {kind}')}")
    return {} if found is None else {int(one): int(other) for one, other in found.maps.get(word, {}).items()}


def _marks(root: Block, policy: str | None) -> bool:
    found = root.children.get(f"qos wred-policy {policy}")
    return found is not None and found.argument("ecn") in {"green", "all"}


def _vlan(key: str, block: Block) -> VlanInterface:
    return VlanInterface(
        vlan=int(key.rpartition(" ")[2].removeprefix("Vlan")),
        mtu_bytes=int(block.argument("mtu") or _DEFAULT_MTU),
        addresses=tuple(_held(block, "ip address ")),
        anycast=tuple(_held(block, "ip anycast-address ")),
        vrf=_vrf(block),
    )


def _routes(root: Block) -> Iterator[tuple[str, str]]:
    for slot, (_, line) in root.lines.items():
        if slot.startswith("ip route ") and not slot.startswith("ip route vrf"):
            words = line.split()
            yield words[2], words[3]


# --- BGP --------------------------------------------------------------------------------------------------------------


def _router(configuration: Configuration, state: DeviceState) -> Router | None:
    bgp = next((block for _, block in configuration.blocks("bgp")), None)
    if bgp is None:
        return None
    family = bgp.children.get("address-family ipv4 unicast", Block(""))
    sources = ("connected", "static")
    return Router(
        asn=int(bgp.facts["asn"]),
        router_id=bgp.argument("router-id"),
        peers=tuple(_routing(bgp, peer) for peer in (state.bgp.peers if state.bgp else ())),
        redistribute=frozenset(source for source in sources if f"redistribute {source}" in family.lines),
        networks=tuple(line.split()[1] for slot, (_, line) in family.lines.items() if slot.startswith("network ")),
        paths=int(family.argument("maximum-paths") or _PATHS),
        relax="bestpath as-path multipath-relax" in bgp.lines,
        advertises_vnis=state.overlay is not None,
    )


def _routing(bgp: Block, peer: BgpPeer) -> RoutingPeer:
    blocks = [block for key, block in bgp.children.items() if key in _keys(peer)]
    groups = [bgp.children.get(f"peer-group {block.argument('peer-group')}") for block in blocks]
    sources = [*blocks, *(group for group in groups if group is not None)]
    source = next((line for block in sources if (line := block.text("update-source"))), None)
    hops = next((value for block in sources if (value := block.argument("ebgp-multihop"))), None)
    return RoutingPeer(
        peer=peer,
        source=None if source is None else source.removeprefix("update-source ").removeprefix("interface "),
        hops=int(hops) if hops and hops.isdigit() else None,
        extended_next_hop=any("capability extended-nexthop" in block.lines for block in sources),
        families={family: tuple(_options(sources, family)) for family in sorted(peer.families)},
    )


def _keys(peer: BgpPeer) -> tuple[str, str]:
    return f"neighbor {peer.target}", f"neighbor interface {peer.target}"


def _options(sources: list[Block], family: str) -> Iterator[str]:
    known = ("next-hop-self", "allowas-in", "route-reflector-client")
    for block in sources:
        child = block.children.get(f"address-family {family}")
        if child is not None:
            yield from (line for slot, (_, line) in child.lines.items() if slot.startswith(known))
