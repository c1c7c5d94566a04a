"""EVPN VXLAN of a pair: one VNI a VLAN, one Ethernet segment a port channel, one gateway on both switches."""

from rackproof.plan.fabric.draft import FabricDraft
from rackproof.plan.model.plan import EthernetSegmentIntent

FIRST_VNI = 10000
"""VNI = 10000 + VLAN, so that a person reads one from the other."""
ANYCAST_MAC = "02:52:50:00:00:01"
"""Locally administered (IEEE 802 bit 2); the same on both switches of a pair."""
DF_PREFERENCES = (50000, 40000)
"""Designated forwarder preference of the first and second switch of a pair: the highest wins (RFC 9785)."""
CONSOLIDATED_FIRST_VNI = 4000
"""Consolidated pair: VNI = 4000 + VLAN, as NVIDIA's Enterprise Reference Architecture has it."""
CONSOLIDATED_SEGMENT_MAC = "44:38:39:ff:00:aa"
"""Consolidated pair: the same for all segments, which differ in their numbers (range of Cumulus Linux, EVPN-MH)."""
EQUAL_DF_PREFERENCE = 32767
"""Where no switch is preferred (RFC 9785, section 4): the addresses decide."""
VXLAN_BYTES = 50
"""What VXLAN adds to a frame over IPv4 (RFC 7348): hosts behind it send that much less than the underlay carries."""


def segment(draft: FabricDraft, number: int, channel: int) -> EthernetSegmentIntent | None:
    """Return the Ethernet segment of a port channel: one MAC a channel, the same on both switches of a pair.

    None where the fabric is no pair.
    """
    if not draft.layout.paired:
        return None
    if draft.layout.consolidated:
        return EthernetSegmentIntent(CONSOLIDATED_SEGMENT_MAC, EQUAL_DF_PREFERENCE)
    mac = f"02:52:50:{draft.number + 1:02x}:{channel >> 8:02x}:{channel & 255:02x}"
    return EthernetSegmentIntent(mac, DF_PREFERENCES[number])


def vlan_vni(draft: FabricDraft, vlan: int) -> int | None:
    """Return the VNI of a VLAN; None where the fabric is no pair."""
    first = CONSOLIDATED_FIRST_VNI if draft.layout.consolidated else FIRST_VNI
    return first + vlan if draft.layout.paired else None


def segment_number(key: str) -> int:
    """Return the number of a consolidated pair's segment: ten times the port plus the child that it leads from."""
    port, _, child = key.partition("/")
    return int(port) * 10 + (int(child) - 1 if child else 0)
