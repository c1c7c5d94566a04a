"""Who is behind a session."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.switches.device_state import BgpPeer, BgpSpeaker
    from lab.switches.nos.cumulus.system import Cumulus


def remote_asn(system: "Cumulus", speaker: "BgpSpeaker", peer: "BgpPeer") -> int | None:
    """Return the ASN the other side has said it has."""
    if peer.remote.isdigit():
        return int(peer.remote)
    if peer.remote == "internal":
        return speaker.asn
    return system.switch.wiring.asn_behind(system.spec.name, peer)
