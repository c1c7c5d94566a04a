"""VLANs: every fabric and uplink has its own, within what 802.1Q allows."""

from collections.abc import Iterator
from typing import Final

from rackproof.errors import SiteError, ValuePath
from rackproof.hardware.load import Catalogue
from rackproof.site.derived import (
    CONSOLIDATED,
    L3_VLANS,
    SERVICE_VLANS,
    entry,
    fabric_first_vlan,
    fabric_role,
    groups_on,
    is_bonded,
    shares_subnet,
    slots_for,
)
from rackproof.site.models import Fabric, Site

VLAN_MAX: Final = 4094
"""IEEE 802.1Q: 4095 is reserved."""


def vlans_do_not_overlap(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """No VLAN belongs to two fabrics, or to a fabric and an uplink."""
    owners: dict[int, str] = {}
    for path, owner, vlans in _vlans(site, catalogue):
        if taken := next((vlan for vlan in vlans if vlan in owners), None):
            message = f"VLAN {taken} is used by {owners[taken]} and {owner}"
            spans = f"{owner} takes {vlans[0]}" + (f" to {vlans[-1]}" if len(vlans) > 1 else "")
            yield SiteError(path, message, f"{spans}; set another {path[-1]}")
        owners |= {vlan: owner for vlan in vlans if vlan not in owners}


def vlans_end_below_the_last(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """The VLANs of a fabric, counted from its first, end at 4094 or below."""
    for path, owner, vlans in _vlans(site, catalogue):
        if vlans[-1] > VLAN_MAX:
            message = f"{owner} takes {len(vlans)} VLANs, {vlans[0]} to {vlans[-1]}; the highest VLAN is {VLAN_MAX}"
            yield SiteError(path, message, f"set first_vlan to {VLAN_MAX + 1 - len(vlans)} or below")


def _vlans(site: Site, catalogue: Catalogue) -> Iterator[tuple[ValuePath, str, range]]:
    """Yield place, owner and VLANs of every fabric and uplink."""
    for name, fabric in site.fabrics.items():
        role = fabric_role(name, fabric)
        first = fabric_first_vlan(role, fabric) if role else fabric.first_vlan
        switch = entry(catalogue.switch, fabric.switch)
        if first is not None and (switch is None or switch.link_layer == "ethernet"):
            path: ValuePath = ("fabrics", name, "first_vlan")
            yield path, f"fabric {name}", range(first, first + _subnets(site, name, fabric, catalogue))
            yield from _of_a_pair(name, fabric, first)
    for name, uplink in site.external.uplinks.items():
        if uplink.vlan is not None:
            yield ("external", "uplinks", name, "vlan"), f"uplink {name}", range(uplink.vlan, uplink.vlan + 1)


def _of_a_pair(name: str, fabric: Fabric, first: int) -> Iterator[tuple[ValuePath, str, range]]:
    """Yield the VLANs that a consolidated pair has beside those of its hosts."""
    path: ValuePath = ("fabrics", name, "first_vlan")
    if fabric.topology == CONSOLIDATED and fabric.shares is not None:
        for what, offset in SERVICE_VLANS.items():
            yield path, f"{what} of fabric {name}", range(first + offset, first + offset + 1)
    elif fabric.topology == CONSOLIDATED:
        vlans = sorted(L3_VLANS.values())
        yield path, f"the VRFs of fabric {name}", range(vlans[0], vlans[-1] + 1)


def _subnets(site: Site, name: str, fabric: Fabric, catalogue: Catalogue) -> int:
    """Return how many subnets, and so VLANs, the hosts of a fabric take: one, or one a rail."""
    if shares_subnet(name, fabric):
        return 1
    most = 1
    for _, group in groups_on(site, name):
        nic = entry(catalogue.nic, group.nics[name])
        bonded = is_bonded(name, fabric)
        if bonded and fabric_role(name, fabric) != "backend":
            continue
        most = max(most, slots_for(site, group, name, catalogue) * (1 if nic is None or bonded else nic.ports))
    return most
