"""FRR's JSON of BGP and EVPN.

Sessions and VNIs of VLANs as recorded from FRR 8.4.4; VNIs of VRFs, routers and segments, and the names that later
releases have for the same, as its source has them (zebra_vxlan.c, zebra_evpn.c, zebra_evpn_mh.c).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rackproof.facts.models import BgpSession, EthernetSegment, Vni
from rackproof.facts.nos.cumulus.nv_show import part

FAMILIES: Final = {"l2VpnEvpn": "evpn", "ipv4Unicast": "ipv4"}
ESTABLISHED: Final = "Established"
NO_VTEP: Final = frozenset({"", "0.0.0.0"})  # noqa: S104 what FRR shows of a tunnel without an address
UNKNOWN: Final = "unknown"


def sessions(text: str) -> dict[str, dict[str, BgpSession]]:
    """Read ``show bgp vrf all summary json``: VRF to family to neighbours; a session of two families is in both.

    Raises
    ------
    ValueError
        It is no such JSON.
    """
    found: dict[str, dict[str, BgpSession]] = {}
    for vrf, families in _object(text).items():
        of_vrf = found.setdefault(vrf, {})
        for key, family in FAMILIES.items():
            for name, peer in part(families, key, "peers").items():
                of_vrf[name] = _joined(of_vrf.get(name), _session(name, peer, family))
    return found


def _session(name: str, peer: Mapping[str, Any], family: str) -> BgpSession:
    established = peer.get("state") == ESTABLISHED
    return BgpSession(
        name, int(peer.get("remoteAs") or 0) or None, established, int(peer.get("pfxRcd") or 0), (family,)
    )


def _joined(before: BgpSession | None, one: BgpSession) -> BgpSession:
    """Return a session of two families: it is established when it is in both."""
    if before is None:
        return one
    return before._replace(
        established=before.established and one.established,
        prefixes=before.prefixes + one.prefixes,
        families=(*before.families, *one.families),
    )


def vnis(text: str) -> dict[int, Vni]:
    """Read ``show evpn vni detail json``: the VLANs of VNIs, and the other ends of those of VRFs, are not in it.

    Raises
    ------
    ValueError
        It is no such JSON.
    """
    found = (_vni(one) for one in _list(text) if "vni" in one)
    return {one.number: one for one in found}


def _vni(one: Mapping[str, Any]) -> Vni:
    number = int(one["vni"])
    if one.get("type") == "L3":
        vrf = str(one.get("tenantVrf") or one.get("vrf") or "")
        return Vni(number, None, vrf, str(one.get("state")).lower() == "up", ())
    up = one.get("vxlanInterface", UNKNOWN) != UNKNOWN and str(one.get("vtepIp", "")) not in NO_VTEP
    return Vni(number, None, None, up, tuple(_addresses(one)))


def _addresses(one: Mapping[str, Any]) -> Iterator[str]:
    """Yield the other ends: FRR 8 lists them under the name of their number, later ones with how they are flooded."""
    listed = one.get("remoteVteps", one.get("numRemoteVteps"))
    for end in listed if isinstance(listed, list) else ():
        yield str(end.get("ip", "")) if isinstance(end, Mapping) else str(end)


def routers(text: str) -> dict[int, tuple[str, ...]]:
    """Read ``show evpn rmac vni all json``: VNI of a VRF to the other switches that route for it.

    Raises
    ------
    ValueError
        It is no such JSON.
    """
    found: dict[int, tuple[str, ...]] = {}
    for number, macs in _object(text).items():
        ends = (one.get("vtepIp") for one in macs.values() if isinstance(one, Mapping))
        found[int(number)] = tuple(dict.fromkeys(str(end) for end in ends if end))
    return found


def segments(text: str) -> dict[str, EthernetSegment]:
    """Read ``show evpn es detail json``.

    Raises
    ------
    ValueError
        It is no such JSON.
    """
    found = (_segment(one) for one in _list(text) if "esi" in one)
    return {one.esi: one for one in found}


def _segment(one: Mapping[str, Any]) -> EthernetSegment:
    flags: Sequence[str] = one.get("flags") or ()
    local = "local" in flags
    remote = tuple(str(end.get("vtep", "")) for end in one.get("vteps") or ())
    port = str(one.get("accessPort", "")) if local else ""
    return EthernetSegment(str(one["esi"]).lower(), port, local and "operUp" in flags, remote)


def _object(text: str) -> Mapping[str, Any]:
    found = json.loads(text) if text.strip() else {}
    if not isinstance(found, dict):
        raise ValueError("it is no object")  # noqa: TRY004 every reader raises it for text that it cannot parse
    return {name: below for name, below in found.items() if isinstance(below, dict)}


def _list(text: str) -> list[Mapping[str, Any]]:
    found = json.loads(text) if text.strip() else []
    if not isinstance(found, list):
        raise ValueError("it is no list")  # noqa: TRY004 every reader raises it for text that it cannot parse
    return [one for one in found if isinstance(one, dict)]
