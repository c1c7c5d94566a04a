"""Forwarding, from the configuration."""

from collections.abc import Iterator
from itertools import chain
from typing import Final

from lab.switches.device_state import BgpPeer, DeviceState
from lab.switches.forwarding import Forwarding, PortForwarding, QosState, Router, RoutingPeer, VlanInterface
from lab.switches.nos.cumulus.checks import is_on
from lab.switches.nos.cumulus.configured_state import addresses, interface_vrf, peers
from lab.switches.nos.cumulus.names import expand_all, expand_names
from lab.switches.nos.cumulus.tree import Tree, at, value

_MTU: Final = 9216
_PATHS: Final = 64
"""Without ``multipaths`` (NVUE reference, router bgp address-family ipv4-unicast multipaths)."""
_GLOBAL: Final = "default-global"
_ROCE_CLASSES: Final = {**dict.fromkeys(range(24, 32), 3), **dict.fromkeys(range(48, 56), 6)}
"""DSCP to switch priority that ``qos roce`` sets up (RDMA over Converged Ethernet, Default RoCE Configuration)."""
_ROCE_ECN: Final = frozenset({0, 3})
_BUILT_IN: Final = frozenset({"default", "mgmt"})


def forwarding(tree: Tree, state: DeviceState) -> Forwarding:
    """Return how a switch forwards with a configuration."""
    vrfs = {interface_vrf(block) for block in at(tree, "interface").values()}
    bgp = at(tree, "vrf", "default", "router", "bgp")
    blocks = (*at(bgp, "neighbor").values(), *at(bgp, "peer-group").values())
    return Forwarding(
        ports={name: _port(tree, state, name) for name in state.ports},
        vlans=tuple(_vlans(tree)),
        loopbacks=tuple(_loopbacks(tree)),
        router=None if state.bgp is None else _router(tree, bgp, state, state.bgp.asn),
        routes=dict(_routes(tree)),
        overlay=state.overlay,
        other_vrfs=frozenset(vrf for vrf in vrfs if vrf is not None and vrf not in _BUILT_IN),
        bfd=any(is_on(block, "bfd") or value(block, "bfd", "profile") for block in blocks),
    )


def _port(tree: Tree, state: DeviceState, name: str) -> PortForwarding:
    port = state.ports[name]
    own = at(tree, "interface", name)
    whole = at(tree, "interface", port.group) if port.group else own
    members = [other for other, one in state.ports.items() if one.group == port.group]
    access, tagged = _bridged(tree, whole)
    return PortForwarding(
        name=name,
        mtu_bytes=int(value(whole, "link", "mtu") or _MTU),
        access_vlan=access,
        tagged_vlans=frozenset(tagged),
        addresses=tuple(addresses(whole)) if port.group is None or members[0] == name else (),
        ipv6_link_local=port.ipv6_link_local,
        group=port.group,
        vrf=interface_vrf(whole),
        lldp=port.lldp,
        description=port.description,
        qos=_qos(tree, own),
    )


def _bridged(tree: Tree, block: Tree) -> tuple[int | None, list[int]]:
    """Return the VLAN without a tag and those with one, of an interface that is in a bridge."""
    for bridge, settings in at(block, "bridge", "domain").items():
        access = value(settings, "access")
        tagged = [int(vlan) for vlan in expand_all(at(settings, "vlan"))]
        untagged = access or value(settings, "untagged") or value(tree, "bridge", "domain", bridge, "untagged") or "1"
        return (int(untagged) if untagged.isdigit() else None), tagged
    return None, []


def _vlans(tree: Tree) -> Iterator[VlanInterface]:
    for name, block in at(tree, "interface").items():
        number = value(block, "vlan") or name.removeprefix("vlan")
        if not name.startswith("vlan") or not number.isdigit():
            continue
        virtual = (at(block, family, "vrr", "address") for family in ("ip", "ipv4"))
        anycast = (address for address in chain.from_iterable(virtual) if "." in address)
        mtu = int(value(block, "link", "mtu") or _MTU)
        yield VlanInterface(int(number), mtu, tuple(addresses(block)), tuple(anycast), interface_vrf(block))


def _loopbacks(tree: Tree) -> Iterator[str]:
    yield from addresses(at(tree, "interface", "lo"))
    yield from (address for address in at(tree, "vrf", "default", "loopback", "ip", "address") if "." in address)


def _routes(tree: Tree) -> Iterator[tuple[str, str]]:
    for prefix, block in at(tree, "vrf", "default", "router", "static").items():
        yield from ((prefix, via) for via in at(block, "via") if "." in prefix and ("." in via or via == "blackhole"))


# --- QoS --------------------------------------------------------------------------------------------------------------


def _qos(tree: Tree, block: Tree) -> QosState:
    roce = at(tree, "qos", "roce")
    on = is_on(roce)
    classes = dict(_ROCE_CLASSES) if on else {}
    mapping = _profile(tree, block, "mapping")
    if on or value(mapping, "trust") in {"l3", "both"}:
        classes.update(_classes(mapping))
    own = value(block, "qos", "pfc", "profile")
    by_mode = on and value(roce, "mode") != "lossy" and own is None
    lossless = _lossless(_profile(tree, block, "pfc"), roce=by_mode)
    return QosState(classes, _queues(tree, block), _ecn(tree, block, roce=on), lossless)


def _lossless(profile: Tree, *, roce: bool) -> frozenset[int]:
    """Return the priorities that a port pauses for or sends pause frames for; RoCE mode has one of its own."""
    if {value(profile, "rx"), value(profile, "tx")} == {"disable"}:
        return frozenset()
    chosen = frozenset(int(one) for one in expand_all(at(profile, "switch-priority")))
    return chosen or frozenset({3} if roce else ())


def _profile(tree: Tree, block: Tree, kind: str) -> Tree:
    """Return the profile of a kind that a port uses; without one of its own, the one of all ports."""
    return at(tree, "qos", kind, value(block, "qos", kind, "profile") or _GLOBAL)


def _classes(mapping: Tree) -> Iterator[tuple[int, int]]:
    for word, settings in at(mapping, "dscp").items():
        priority = value(settings, "switch-priority")
        if priority is not None:
            yield from ((int(one), int(priority)) for one in expand_names(word))


def _queues(tree: Tree, block: Tree) -> dict[int, int]:
    found = at(_profile(tree, block, "egress-queue-mapping"), "switch-priority")
    stated = ((word, value(settings, "traffic-class")) for word, settings in found.items())
    queues: dict[int, int] = {}
    for word, queue in stated:
        if queue is not None:
            queues.update(dict.fromkeys(map(int, expand_names(word)), int(queue)))
    return queues


def _ecn(tree: Tree, block: Tree, *, roce: bool) -> frozenset[int]:
    marking = set(_ROCE_ECN) if roce else set()
    for word, settings in at(_profile(tree, block, "congestion-control"), "traffic-class").items():
        queues = {int(one) for one in expand_names(word)}
        marking = marking - queues if value(settings, "ecn") == "disable" else marking
        marking = marking | queues if value(settings, "ecn") == "enable" else marking
    return frozenset(marking)


# --- BGP --------------------------------------------------------------------------------------------------------------


def _router(tree: Tree, bgp: Tree, state: DeviceState, asn: int) -> Router:
    family = at(bgp, "address-family", "ipv4-unicast")
    own = value(bgp, "router-id") or value(tree, "router", "bgp", "router-id")
    sources = ("connected", "static")
    return Router(
        asn=asn,
        router_id=own if own and "." in own else None,
        peers=tuple(_routing(bgp, peer) for peer in peers(tree, "default")),
        redistribute=frozenset(one for one in sources if is_on(family, "redistribute", one)),
        networks=tuple(at(family, "network")),
        paths=int(value(family, "multipaths", "ebgp") or _PATHS),
        relax=_is_yes(value(bgp, "path-selection", "multipath", "aspath-ignore")),
        advertises_vnis=state.overlay is not None,
    )


def _is_yes(word: str | None) -> bool:
    """Return whether a value is NVUE's yes, in the syntax of any release."""
    return word in {"on", "enabled"}


def _routing(bgp: Tree, peer: BgpPeer) -> RoutingPeer:
    block = at(bgp, "neighbor", peer.target)
    group = at(bgp, "peer-group", value(block, "peer-group") or "")
    source = value(block, "update-source") or value(group, "update-source")
    hops = value(block, "multihop-ttl") or value(group, "multihop-ttl")
    return RoutingPeer(
        peer=peer,
        source=source if source not in {"auto", "none"} else None,
        hops=int(hops) if hops and hops.isdigit() else None,
        extended_next_hop=False,
    )
