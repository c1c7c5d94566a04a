"""The MTU of a fabric's switch ports and of its hosts, in bytes."""

from typing import Final

from rackproof.plan.fabric.draft import FabricDraft
from rackproof.plan.network.overlay import VXLAN_BYTES

MTU_BYTES: Final = {"backend": 9216, "frontend": 9216, "oob": 1500, "storage-backend": 9216}
"""Largest frame of Dell and NVIDIA switches where there is data; the Ethernet default out of band."""
IPOIB_MTU_BYTES: Final = 4092
"""IP over InfiniBand in datagram mode: an MTU of 4 KiB less four bytes of header (RFC 4391, section 6)."""


def switch_mtu_bytes(draft: FabricDraft) -> int:
    """Return the MTU of a fabric's switch ports, in bytes."""
    return draft.asked.mtu_bytes or (IPOIB_MTU_BYTES if draft.infiniband else MTU_BYTES[draft.role])


def host_mtu_bytes(draft: FabricDraft) -> int:
    """Return the MTU of a fabric's hosts and VLANs, in bytes: room for VXLAN where the fabric is a pair."""
    return switch_mtu_bytes(draft) - (VXLAN_BYTES if draft.layout.paired else 0)
