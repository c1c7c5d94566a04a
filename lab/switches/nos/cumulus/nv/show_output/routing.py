"""BGP and EVPN."""

from typing import Any

from lab.switches.device_state import BgpPeer, BgpSpeaker
from lab.switches.nos.cumulus.checks import is_on
from lab.switches.nos.cumulus.configured_state import peers
from lab.switches.nos.cumulus.names import natural
from lab.switches.nos.cumulus.nv.show_output.tables import table
from lab.switches.nos.cumulus.system import Cumulus
from lab.switches.nos.cumulus.tree import at, value

_FAMILIES = {"ipv4 unicast": "ipv4-unicast", "l2vpn evpn": "l2vpn-evpn"}


def router(system: Cumulus) -> dict[str, Any]:
    """BGP of the switch."""
    bgp = at(system.applied, "router", "bgp")
    return {
        "enable": "on" if is_on(bgp) else "off",
        "autonomous-system": value(bgp, "autonomous-system") or "none",
        "router-id": value(bgp, "router-id") or "none",
    }


def neighbors(system: Cumulus, vrf: str) -> dict[str, Any] | None:
    """The sessions of a VRF; nothing while FRR restarts."""
    speaker = system.state.bgp
    if vrf not in {"default", *at(system.applied, "vrf")}:
        return None
    if speaker is None:
        return {}
    found = sorted(peers(system.applied, vrf), key=lambda peer: natural(peer.target))
    return {peer.target: _session(system, speaker, peer) for peer in found}


def neighbor(system: Cumulus, vrf: str, name: str) -> dict[str, Any] | None:
    """One session."""
    return (neighbors(system, vrf) or {}).get(name)


def _session(system: Cumulus, speaker: BgpSpeaker, peer: BgpPeer) -> dict[str, Any]:
    state = system.switch.links.session_state(system.spec.name, speaker, peer)
    up = state == "Established"
    links, switch = system.switch.links, system.spec.name
    families = {
        _FAMILIES[family]: {"pfx-rcvd": links.prefixes(switch, peer, family) if up else 0, "pfx-sent": int(up)}
        for family in sorted(peer.families)
    }
    remote = system.remote_asn(speaker, peer) if up else None
    return {
        "afi-safi": families,
        "msg-rcvd": 12 if up else 0,
        "msg-sent": 12 if up else 0,
        **({} if remote is None else {"remote-as": remote}),
        "state": "established" if up else state.partition("(")[0].lower(),
        **({"uptime": 600000} if up else {}),
    }


def _table(data: dict[str, Any]) -> str:
    titles = ("Neighbor", "AS", "State", "Uptime", "MsgRcvd", "MsgSent", "Afi-Safi", "PfxSent", "PfxRcvd")
    rows: list[tuple[object, ...]] = []
    for name, found in data.items():
        head = (name, found.get("remote-as", ""), found["state"], found.get("uptime", ""))
        for number, (family, counts) in enumerate(found["afi-safi"].items()):
            own = (*head, found["msg-rcvd"], found["msg-sent"]) if number == 0 else ("",) * 6
            rows.append((*own, family, counts["pfx-sent"], counts["pfx-rcvd"]))
    return table(titles, rows) if rows else "No Data\n"


def multihoming(system: Cumulus) -> dict[str, Any]:
    """EVPN multihoming (EVPN-Multihoming, Troubleshooting)."""
    segments = {
        name: at(block, "evpn", "multihoming", "segment")
        for name, block in at(system.applied, "interface").items()
        if at(block, "evpn", "multihoming", "segment")
    }
    return {
        "enable": "on" if is_on(system.applied, "evpn", "multihoming") else "off",
        "mac-holdtime": 1080,
        "neighbor-holdtime": 1080,
        "startup-delay": 180,
        "segment": {name: {"local-id": value(block, "local-id") or ""} for name, block in segments.items()},
    }


def vnis(system: Cumulus) -> dict[str, Any]:
    """VNIs of VLANs (Troubleshooting EVPN): names as ``nv show evpn vni 10`` has them."""
    own = system.state.overlay
    found = system.switch.links.networks(system.spec.name)
    return {
        str(one.network.number): {
            "bridge-domain": next(iter(at(system.applied, "bridge", "domain")), ""),
            "host-count": 0,
            "local-vtep": "" if own is None else own.address,
            "mac-count": 0,
            "remote-vtep-count": len(one.remote),
            "tenant-vrf": one.network.vrf or "default",
            "vlan": one.network.vlan,
        }
        for one in found
        if one.network.vlan is not None
    }


def _vni_table(data: dict[str, Any]) -> str:
    titles = ("VNI", "NumMacs", "NumArps", "NumRemVteps", "TenantVrf", "Bridge", "Vlan")
    names = ("mac-count", "host-count", "remote-vtep-count", "tenant-vrf", "bridge-domain", "vlan")
    rows: list[tuple[object, ...]] = [(vni, *(found[name] for name in names)) for vni, found in data.items()]
    return table(titles, rows) if rows else "No Data\n"


SHOWS = (
    ("router bgp", router, None),
    ("vrf <vrf> router bgp neighbor", neighbors, _table),
    ("vrf <vrf> router bgp neighbor <name>", neighbor, None),
    ("evpn multihoming", multihoming, None),
    ("evpn vni", vnis, _vni_table),
)
