"""FRR's BGP from a switch's configuration: whole text for a start, and single statements for a change.

A change of one line must not reset every session: only statements that differ are sent.
"""

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass

from lab.spec.kernel_names import kernel_name
from lab.switches.forwarding import Router, RoutingPeer

_FIXED = (
    "no bgp ebgp-requires-policy",
    "no bgp default ipv4-unicast",
    "bgp log-neighbor-changes",
    # Packets take microseconds here: a lost neighbour need not take minutes to be noticed.
    "timers bgp 3 9",
)
_KEEP = "exit-address-family"


@dataclass(frozen=True, slots=True)
class Statement:
    """Configuration lines that belong together, and the lines that remove them."""

    set_: tuple[str, ...]
    unset: tuple[str, ...]


def statements(router: Router, usable: Container[str]) -> dict[str, Statement]:
    """Return the statements below ``router bgp``, by a key that stays when the value changes.

    Parameters
    ----------
    router
        BGP of the switch.
    usable
        Targets of neighbors that the fabric can reach.
    """
    found: dict[str, Statement] = {}
    if router.router_id is not None:
        found["router-id"] = Statement((f"bgp router-id {router.router_id}",), ("no bgp router-id",))
    if router.relax:
        line = "bgp bestpath as-path multipath-relax"
        found["relax"] = Statement((line,), (f"no {line}",))
    found["paths"] = _in_ipv4(f"maximum-paths {router.paths}", "no maximum-paths")
    for source in sorted(router.redistribute):
        # zebra knows static routes as what they are in the kernel: the lab has no staticd.
        line = f"redistribute {'kernel' if source == 'static' else source}"
        found[line] = _in_ipv4(line, f"no {line}")
    if router.advertises_vnis:
        found["vnis"] = _in_family("l2vpn evpn", "advertise-all-vni", "no advertise-all-vni")
    for prefix in router.networks:
        found[f"network {prefix}"] = _in_ipv4(f"network {prefix}", f"no network {prefix}")
    for peer in router.peers:
        if peer.peer.target in usable and peer.peer.remote:
            found[f"neighbor {peer.peer.target}"] = _neighbor(peer)
    return found


def _in_ipv4(line: str, undo: str) -> Statement:
    return _in_family("ipv4 unicast", line, undo)


def _in_family(name: str, line: str, undo: str) -> Statement:
    family = f"address-family {name}"
    return Statement((family, line, _KEEP), (family, undo, _KEEP))


def target_name(target: str) -> str:
    """Return FRR's name of a neighbor: its address, or the kernel's name of the port."""
    return target if "." in target or ":" in target else kernel_name(target)


def _neighbor(routing: RoutingPeer) -> Statement:
    peer = routing.peer
    name = target_name(peer.target)
    unnumbered = name != peer.target or not _is_address(peer.target)
    word = f"neighbor {name}"
    lines = [f"{word} interface remote-as {peer.remote}" if unnumbered else f"{word} remote-as {peer.remote}"]
    lines.extend((f"{word} timers connect 1", f"{word} advertisement-interval 0"))
    if peer.shutdown:
        lines.append(f"{word} shutdown")
    if routing.hops is not None:
        lines.append(f"{word} ebgp-multihop {routing.hops}")
    if routing.source is not None:
        source = routing.source if _is_address(routing.source) else _source_interface(routing.source)
        lines.append(f"{word} update-source {source}")
    if routing.extended_next_hop and not unnumbered:
        lines.append(f"{word} capability extended-nexthop")
    for family in sorted(peer.families):
        lines.extend((f"address-family {family}", f"{word} activate"))
        lines.extend(f"{word} {line}" for line in routing.families.get(family, ()))
        lines.append(_KEEP)
    return Statement(tuple(lines), (f"no {word} interface remote-as {peer.remote}" if unnumbered else f"no {word}",))


def _is_address(text: str) -> bool:
    return "." in text or ":" in text


def _source_interface(name: str) -> str:
    """Loopbacks are addresses of ``lo``, VLAN interfaces are bridges."""
    plain = name.replace(" ", "").lower()
    if plain.startswith("loopback"):
        return "lo"
    return plain if plain.startswith("vlan") else kernel_name(name)


def text(router: Router | None, usable: Container[str]) -> str:
    """Return the configuration as a file of FRR holds it."""
    if router is None:
        return ""
    lines = [f"router bgp {router.asn}", *(f" {line}" for line in _FIXED)]
    for statement in statements(router, usable).values():
        inside = False
        for line in statement.set_:
            inside = inside and line != _KEEP
            lines.append(f"{'  ' if inside else ' '}{line}")
            inside = inside or line.startswith("address-family")
    return "\n".join((*lines, "exit", ""))


@dataclass(frozen=True, slots=True)
class BgpStatements:
    """The configuration of bgpd, as statements."""

    asn: int | None = None
    statements: Mapping[str, Statement] | None = None


def bgp_statements(router: Router | None, usable: Container[str]) -> BgpStatements:
    """Return the configuration of bgpd for a switch."""
    return BgpStatements() if router is None else BgpStatements(router.asn, statements(router, usable))


def change(before: BgpStatements, after: BgpStatements) -> Iterator[str]:
    """Yield the lines that lead from one to the other, for configuration mode."""
    old, new = before.statements or {}, after.statements or {}
    if before.asn != after.asn:
        if before.asn is not None:
            yield f"no router bgp {before.asn}"
        old = {}
    if after.asn is None or (before.asn == after.asn and old == new):
        return
    yield f"router bgp {after.asn}"
    if before.asn != after.asn:
        yield from _FIXED
    for key, statement in old.items():
        if new.get(key) != statement:
            yield from statement.unset
    for key, statement in new.items():
        if old.get(key) != statement:
            yield from statement.set_
