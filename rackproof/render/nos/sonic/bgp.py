"""BGP in the tables of the management framework."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rackproof.plan.model.plan import BgpIntent, BgpNeighborIntent
from rackproof.render.nos.sonic.database import ConfigDb, Fields, Table, key, row_fields, rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rackproof.plan.model.plan import SwitchIntent

VRF = "default"
UNICAST = "ipv4_unicast"
EVPN = "l2vpn_evpn"
UP = {"admin_status": "up"}


def write_bgp(intent: SwitchIntent, names: Mapping[str, str]) -> ConfigDb:
    """Return the tables of BGP; ``names`` is port key to name."""
    bgp = intent.bgp
    if bgp is None:
        return {}
    evpn = intent.vxlan is not None or any(neighbor.evpn for neighbor in bgp.neighbors.values())
    families = {key(VRF, UNICAST): {"max_ebgp_paths": str(bgp.maximum_paths)}}
    if evpn:
        families[key(VRF, EVPN)] = {"advertise-all-vni": "true"}
    neighbors: Table = {}
    neighbor_families: Table = {}
    for peer, neighbor in bgp.neighbors.items():
        name = names.get(peer, peer)
        neighbors[key(VRF, name)] = _neighbor(neighbor, unnumbered=peer in names)
        neighbor_families |= {key(VRF, name, family): dict(UP) for family in (UNICAST, EVPN)[: 1 + neighbor.evpn]}
    return {
        "BGP_GLOBALS": {VRF: {"local_asn": str(bgp.asn), "router_id": bgp.router_id, "load_balance_mp_relax": "true"}},
        "BGP_GLOBALS_AF": families,
        "ROUTE_REDISTRIBUTE": {key(VRF, "connected", "bgp", "ipv4"): {}},
        "BGP_NEIGHBOR": neighbors,
        "BGP_NEIGHBOR_AF": neighbor_families,
    }


def _neighbor(neighbor: BgpNeighborIntent, *, unnumbered: bool) -> Fields:
    """Return one session."""
    return {
        **UP,
        **({"asn": str(neighbor.remote_asn)} if neighbor.remote_asn is not None else {"peer_type": "external"}),
        **({"name": neighbor.description} if neighbor.description else {}),
        **({"bfd": "true"} if neighbor.bfd else {}),
        **({"capability_ext_nexthop": "true"} if unnumbered else {}),
    }


def read_bgp(database: ConfigDb, keys: Mapping[str, str]) -> BgpIntent | None:
    """Return BGP of the default VRF; ``keys`` is port name to key."""
    globals_ = row_fields(database, "BGP_GLOBALS", VRF)
    if not globals_:
        return None
    return BgpIntent(
        asn=int(globals_.get("local_asn", 0)),
        router_id=globals_.get("router_id", ""),
        neighbors={
            keys.get(peer, peer): BgpNeighborIntent(
                description=fields.get("name", ""),
                remote_asn=int(fields["asn"]) if "asn" in fields else None,
                evpn=bool(row_fields(database, "BGP_NEIGHBOR_AF", VRF, peer, EVPN)),
                bfd=fields.get("bfd") == "true",
            )
            for (_, peer), fields in rows(database, "BGP_NEIGHBOR", 2)
        },
        maximum_paths=int(row_fields(database, "BGP_GLOBALS_AF", VRF, UNICAST).get("max_ebgp_paths", 0)),
    )
