"""BGP sessions: those that agree in everything but their description share a peer group."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from rackproof.plan.model.plan import BgpNeighborIntent
from rackproof.render.nos.cumulus.grouping import OWN, Members
from rackproof.render.nos.cumulus.tree import below, is_on, put, whole, word

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rackproof.render.config_tree import ConfigTree
    from rackproof.render.nos.cumulus.ports import PortNames

UNICAST: Final = ("address-family", "ipv4-unicast")
LIMIT: Final = ("prefix-limits", "inbound", "maximum")
EVPN: Final = ("address-family", "l2vpn-evpn")
FIRST_GROUP: Final = {True: "fabric", False: "outside"}
"""Name of the first group of sessions over ports, and of those to addresses; the others add their number."""


_shared = attrgetter(
    "remote_asn", "internal", "evpn", "bfd", "export_policy", "import_policy", "maximum_prefixes", "ttl_security_hops"
)
"""Everything that sessions may have in common."""


class PeerGroup(NamedTuple):
    """What sessions of a group have in common."""

    unnumbered: bool
    remote_as: str
    evpn: bool
    bfd: bool
    export_policy: str
    import_policy: str
    maximum_prefixes: int
    """0: no limit."""

    @property
    def order(self) -> tuple[bool, str, bool, bool, str, str, int]:
        """Sort key."""
        first = (not self.unnumbered, self.remote_as, not self.evpn, not self.bfd)
        return (*first, self.export_policy, self.import_policy, self.maximum_prefixes)


def _group(neighbor: BgpNeighborIntent, *, unnumbered: bool) -> PeerGroup:
    """Return the group that a session belongs to."""
    remote = "external" if neighbor.remote_asn is None else str(neighbor.remote_asn)
    return PeerGroup(
        unnumbered,
        "internal" if neighbor.internal else remote,
        neighbor.evpn,
        neighbor.bfd,
        neighbor.export_policy or "",
        neighbor.import_policy or "",
        neighbor.maximum_prefixes or 0,
    )


def _named(groups: set[PeerGroup]) -> Iterator[tuple[PeerGroup, str]]:
    """Yield every group with its name."""
    count = {True: 0, False: 0}
    for group in sorted(groups, key=lambda group: group.order):
        count[group.unnumbered] += 1
        number = count[group.unnumbered]
        yield group, FIRST_GROUP[group.unnumbered] + (f"-{number}" if number > 1 else "")


def peer_groups(
    neighbors: Mapping[str, BgpNeighborIntent],
) -> tuple[dict[str, PeerGroup], dict[PeerGroup, str]]:
    """Return peer to group, and group to name."""
    groups = {peer: _group(neighbor, unnumbered="." not in peer) for peer, neighbor in neighbors.items()}
    return groups, dict(_named(set(groups.values())))


def write_peers(block: ConfigTree, neighbors: Mapping[str, BgpNeighborIntent], names: PortNames) -> Members:
    """Add the groups of a VRF's sessions, and its sessions to addresses, to the block of its BGP.

    Returns
    -------
    Its sessions over ports.
    """
    alike: dict[tuple[object, ...], list[str]] = {}
    for peer, neighbor in neighbors.items():
        alike.setdefault(("." in peer, *_shared(neighbor)), []).append(peer)
    groups = [_group(neighbors[peers[0]], unnumbered="." not in peers[0]) for peers in alike.values()]
    name_of = dict(_named(set(groups)))
    for group, name in name_of.items():
        _write_group(block, name, group)
    over_ports = Members()
    for group, peers in zip(groups, alike.values(), strict=True):
        session = _session(name_of[group], group, neighbors[peers[0]].ttl_security_hops)
        if group.unnumbered:
            over_ports.add(session, {names.name_of.get(peer, peer): neighbors[peer].description for peer in peers})
            continue
        for peer in peers:
            text = neighbors[peer].description
            block.setdefault("neighbor", {})[peer] = {**session, OWN: {text: {}}} if text else session
    return over_ports


def _session(name: str, group: PeerGroup, ttl_security_hops: int | None) -> ConfigTree:
    """Return a session of a group without its description; sessions that are alike share its branches."""
    session: ConfigTree = {"type": {"unnumbered" if group.unnumbered else "numbered": {}}, "peer-group": {name: {}}}
    if ttl_security_hops is not None:
        put(session, "ttl-security", "hops", str(ttl_security_hops))
    return session


def _write_group(block: ConfigTree, name: str, group: PeerGroup) -> None:
    """Add one group."""
    at = ("peer-group", name)
    put(block, *at, "remote-as", group.remote_as)
    if group.evpn:
        put(block, *at, *EVPN, "enable", "on")
    if group.bfd:
        put(block, *at, "bfd", "enable", "on")
    if group.export_policy or group.import_policy or group.maximum_prefixes:
        put(block, *at, *UNICAST, "enable", "on")
    if group.export_policy:
        put(block, *at, *UNICAST, "policy", "outbound", "route-map", group.export_policy)
    if group.import_policy:
        put(block, *at, *UNICAST, "policy", "inbound", "route-map", group.import_policy)
    if group.maximum_prefixes:
        put(block, *at, *UNICAST, *LIMIT, str(group.maximum_prefixes))


def read_peers(block: ConfigTree, key_of: Mapping[str, str]) -> dict[str, BgpNeighborIntent]:
    """Return the sessions of a VRF from the block of its BGP."""
    return {
        key_of.get(name, name): _neighbor(neighbor, below(block, "peer-group", word(neighbor, "peer-group") or ""))
        for name, neighbor in below(block, "neighbor").items()
    }


def _neighbor(own: ConfigTree, group: ConfigTree) -> BgpNeighborIntent:
    """Return a session from what it says itself and what its group says."""
    remote = word(own, "remote-as") or word(group, "remote-as") or ""
    return BgpNeighborIntent(
        description=word(own, "description") or "",
        remote_asn=int(remote) if remote.isdecimal() else None,
        evpn=any(is_on(block, *EVPN, "enable") for block in (own, group)),
        bfd=any(is_on(block, "bfd", "enable") for block in (own, group)),
        internal=remote == "internal",
        ttl_security_hops=whole(own, "ttl-security", "hops"),
        export_policy=word(own, *UNICAST, "policy", "outbound", "route-map")
        or word(group, *UNICAST, "policy", "outbound", "route-map"),
        import_policy=word(own, *UNICAST, "policy", "inbound", "route-map")
        or word(group, *UNICAST, "policy", "inbound", "route-map"),
        maximum_prefixes=whole(own, *UNICAST, *LIMIT) or whole(group, *UNICAST, *LIMIT),
    )
