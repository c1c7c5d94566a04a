"""BGP of a configuration tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rackproof.plan.model.plan import BgpIntent, BgpNeighborIntent
from rackproof.render.config_tree import ConfigTree, blocks, value
from rackproof.render.nos.enterprise_sonic.parse_interfaces import number, optional_number
from rackproof.render.nos.enterprise_sonic.words import unquoted

if TYPE_CHECKING:
    from collections.abc import Mapping


def bgp_intent(tree: ConfigTree, keys: Mapping[str, str]) -> BgpIntent | None:
    """Return BGP of the default VRF."""
    for asn, block in blocks(tree, "router bgp"):
        if not asn.isdecimal():
            continue
        unicast = block.get("address-family ipv4 unicast", {})
        return BgpIntent(
            asn=int(asn),
            router_id=value(block, "router-id") or "",
            neighbors={_peer(name, keys): _neighbor(neighbor) for name, neighbor in blocks(block, "neighbor")},
            maximum_paths=number(value(unicast, "maximum-paths")),
        )
    return None


def _peer(name: str, keys: Mapping[str, str]) -> str:
    """Return the port key of a session over a port, else the peer's address as it stands."""
    port = name.removeprefix("interface ")
    return keys.get(port, port)


def _neighbor(block: ConfigTree) -> BgpNeighborIntent:
    """Return one session."""
    return BgpNeighborIntent(
        description=unquoted(value(block, "description") or ""),
        remote_asn=optional_number(value(block, "remote-as")),
        evpn="activate" in block.get("address-family l2vpn evpn", {}),
        bfd="bfd" in block,
        internal=value(block, "remote-as") == "internal",
    )
