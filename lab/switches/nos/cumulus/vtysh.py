"""``vtysh``: FRR's own show output as JSON, in the form of FRR 8.4.4.

Sessions and VNIs of VLANs as it was recorded; VNIs of VRFs, routers and segments as its source has them. Cumulus Linux
routes with FRR; only root may ask it.
"""

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from lab.switches.device_state import BgpPeer, BgpSpeaker
from lab.switches.links import LabNetwork, LabSegment
from lab.switches.nos.cumulus.configured_state import peers
from lab.switches.nos.cumulus.names import natural
from lab.switches.nos.cumulus.system import Cumulus
from lab.switches.nos.cumulus.tree import at
from lab.switches.shell.call import Call, Program

_FAMILIES: Final = {"ipv4 unicast": "ipv4Unicast", "l2vpn evpn": "l2VpnEvpn"}
_UNREACHABLE: Final = "Exiting: failed to connect to any daemons.\n"
_NO_ADDRESS: Final = "0.0.0.0"  # noqa: S104 what FRR shows of a tunnel without one
_DEVICE: Final = "vxlan48"
"""The one VXLAN device of a VLAN-aware bridge."""


def _summary(system: Cumulus, speaker: BgpSpeaker) -> dict[str, Any]:
    """``show bgp vrf all summary json``: VRF to family to neighbours."""
    return {
        vrf: {
            shown: _family(system, speaker, [one for one in found if family in one.families])
            for family, shown in _FAMILIES.items()
            if any(family in one.families for one in found)
        }
        for vrf in at(system.applied, "vrf")
        if (found := sorted(peers(system.applied, vrf), key=lambda peer: natural(peer.target)))
    }


def _family(system: Cumulus, speaker: BgpSpeaker, found: list[BgpPeer]) -> dict[str, Any]:
    told = {peer.target: _peer(system, speaker, peer) for peer in found}
    failed = sum(one["state"] != "Established" for one in told.values())
    return {
        "routerId": speaker.router_id,
        "as": speaker.asn,
        "peerCount": len(told),
        "peers": told,
        "failedPeers": failed,
        "displayedPeers": len(told),
        "totalPeers": len(told),
    }


def _peer(system: Cumulus, speaker: BgpSpeaker, peer: BgpPeer) -> dict[str, Any]:
    links, switch = system.switch.links, system.spec.name
    state = links.session_state(switch, speaker, peer)
    up = state == "Established"
    prefixes = max(links.prefixes(switch, peer, family) for family in peer.families) if up else 0
    return {
        "remoteAs": system.remote_asn(speaker, peer) or 0 if up else 0,
        "localAs": speaker.asn,
        "version": 4,
        "msgRcvd": 12 * up,
        "msgSent": 12 * up,
        "peerUptime": "00:10:00" if up else "never",
        "pfxRcd": prefixes,
        "pfxSnt": int(up),
        "state": state,
        "idType": "ipv4" if "." in peer.target else "interface",
    }


def _networks(system: Cumulus, _: BgpSpeaker) -> list[dict[str, Any]]:
    """``show evpn vni detail json``: one object a VNI, of VLANs and of VRFs."""
    found = system.switch.links.networks(system.spec.name)
    return [_of_vrf(system, one, found) if one.network.vlan is None else _of_vlan(system, one) for one in found]


def _of_vlan(system: Cumulus, one: LabNetwork) -> dict[str, Any]:
    network = one.network
    return {
        "vni": network.number,
        "type": "L2",
        "vrf": network.vrf or "default",
        "vxlanInterface": _DEVICE,
        **({"sviInterface": f"vlan{network.vlan}"} if network.routed else {}),
        "vtepIp": _address(system),
        "mcastGroup": _NO_ADDRESS,
        "advertiseGatewayMacip": "No",
        "advertiseSviMacip": "No",
        "numMacs": 0,
        "numArpNd": 0,
        **({"numRemoteVteps": list(one.remote)} if one.remote else {}),
    }


def _of_vrf(system: Cumulus, one: LabNetwork, found: tuple[LabNetwork, ...]) -> dict[str, Any]:
    of_vlans = (other.network for other in found if other.network.vlan is not None)
    mac = system.spec.management_mac
    return {
        "vni": one.network.number,
        "type": "L3",
        "localVtepIp": _address(system),
        "vxlanIntf": "vxlan99",
        "sviIntf": f"vlan{one.network.number}_l3",
        "state": "Up",
        "vrf": one.network.vrf,
        "sysMac": mac,
        "routerMac": mac,
        "vniFilter": "none",
        "l2Vnis": [other.number for other in of_vlans if other.vrf == one.network.vrf],
    }


def _address(system: Cumulus) -> str:
    stretched = system.state.overlay
    return _NO_ADDRESS if stretched is None else stretched.address


def _routers(system: Cumulus, _: BgpSpeaker) -> dict[str, Any]:
    """``show evpn rmac vni all json``: VNI of a VRF to MAC addresses of the other routers, made up."""
    found = (one for one in system.switch.links.networks(system.spec.name) if one.network.vlan is None)
    return {
        str(one.network.number): {
            "numRmacs": len(one.remote),
            **{_router_mac(end): {"routerMac": _router_mac(end), "vtepIp": end} for end in one.remote},
        }
        for one in found
        if one.remote
    }


def _router_mac(address: str) -> str:
    return "02:00:" + ":".join(f"{int(part):02x}" for part in address.split("."))


def _segments(system: Cumulus, _: BgpSpeaker) -> list[dict[str, Any]]:
    """``show evpn es detail json``."""
    return [_segment(one) for one in system.switch.links.segments(system.spec.name)]


def _segment(one: LabSegment) -> dict[str, Any]:
    segment = one.segment
    flags = [
        "local",
        *(["remote"] if one.remote else []),
        "df" if one.forwards else "nonDF",
        "readyForBgp",
        "bridgePort",
    ]
    told = [{"vtep": end, "dfAlgorithm": "preference", "dfPreference": value} for end, value in one.remote.items()]
    return {
        "esi": segment.esi,
        "accessPort": segment.port,
        "flags": [*flags, *(["operUp"] if one.up else []), *(["nexthopGroupActive"] if one.remote else [])],
        "vniCount": 1,
        "macCount": 0,
        "dfPreference": segment.preference,
        "nexthopGroup": 0,
        **({"vteps": told} if told else {}),
    }


_SHOWS: Final[Mapping[str, Callable[[Cumulus, BgpSpeaker], Any]]] = {
    "show bgp vrf all summary json": _summary,
    "show evpn vni detail json": _networks,
    "show evpn rmac vni all json": _routers,
    "show evpn es detail json": _segments,
}


async def _vtysh(system: Cumulus, call: Call) -> int:
    """``vtysh -c COMMAND``, for the supported commands; FRR does not answer while it restarts."""
    if not call.root or system.frr_down:
        return call.fail(_UNREACHABLE)
    if len(call.arguments) != 3 or call.arguments[1] != "-c" or call.arguments[2] not in _SHOWS:
        call.print(f"% Unknown command: {' '.join(call.arguments[2:])}\n")
        return 1
    await system.switch.links.refresh(system.spec.name)
    speaker, show = system.state.bgp, _SHOWS[call.arguments[2]]
    empty: dict[str, Any] | list[Any] = [] if show in {_networks, _segments} else {}
    call.print(json.dumps(empty if speaker is None else show(system, speaker), indent=2) + "\n")
    return 0


def programs(system: Cumulus) -> Mapping[str, Program]:
    """Return ``vtysh`` of a switch."""
    return {"vtysh": partial(_vtysh, system)}
