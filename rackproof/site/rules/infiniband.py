"""InfiniBand: what a fabric without VLANs, gateways and configured switches cannot be asked for."""

from collections.abc import Iterator
from typing import Final

from rackproof.errors import SiteError
from rackproof.hardware.load import Catalogue
from rackproof.site.derived import entry, groups_on, server_names
from rackproof.site.models import Fabric, Site

IPOIB_MTU_MAX: Final = 4092
"""IP over InfiniBand in datagram mode (RFC 4391, section 6; an InfiniBand MTU of 4 KiB less four bytes)."""
ETHERNET_ONLY: Final = {
    "first_vlan": "an InfiniBand fabric has partitions instead of VLANs",
    "first_asn": "an InfiniBand fabric is routed by its subnet manager: its switches have no ASNs",
    "unmanaged": "unmanaged InfiniBand switches have no configuration",
}
"""Field to why it says nothing on InfiniBand."""


def infiniband_has_no_ethernet_settings(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """An InfiniBand fabric states no VLANs, no ASNs, no bond and no jumbo frames."""
    for name, fabric in _infiniband(site, catalogue):
        for field, why in ETHERNET_ONLY.items():
            if getattr(fabric, field):
                yield SiteError(("fabrics", name, field), why, f"leave {field} out")
        if fabric.nic_ports == "bond":
            message = "an LACP bond needs Ethernet, and this fabric is InfiniBand"
            yield SiteError(("fabrics", name, "nic_ports"), message, "leave nic_ports out")
        if fabric.mtu_bytes is not None and fabric.mtu_bytes > IPOIB_MTU_MAX:
            message = f"IP over InfiniBand carries {IPOIB_MTU_MAX} bytes at most, not {fabric.mtu_bytes}"
            yield SiteError(("fabrics", name, "mtu_bytes"), message, "leave mtu_bytes out")


def uplinks_lead_out_of_ethernet(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """No uplink leads out of an InfiniBand fabric."""
    unfit = dict(_infiniband(site, catalogue))
    for name, uplink in site.external.uplinks.items():
        if uplink.fabric in unfit:
            message = f"{uplink.fabric} is an InfiniBand fabric, and uplinks need Ethernet"
            yield SiteError(("external", "uplinks", name, "fabric"), message, "name an Ethernet fabric")


def subnet_managers_are_servers_of_the_fabric(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """UFM runs on servers that are on an InfiniBand fabric, each named once."""
    infiniband = dict(_infiniband(site, catalogue))
    for name, fabric in site.fabrics.items():
        if fabric.ufm and name not in infiniband and entry(catalogue.switch, fabric.switch):
            message = f"UFM manages InfiniBand, and {name} is Ethernet"
            yield SiteError(("fabrics", name, "ufm"), message, "leave ufm out")
        elif fabric.ufm:
            yield from _managers(site, name, fabric.ufm)


def _managers(site: Site, name: str, named: tuple[str, ...]) -> Iterator[SiteError]:
    known: set[str] = set()
    for _, group in groups_on(site, name):
        known.update(server_names(group)[: group.count])
    for place, server in enumerate(named):
        if server not in known:
            message = f"{server} is not a server on the fabric {name}"
            yield SiteError(
                ("fabrics", name, "ufm", place), message, "name a server that has an adapter for this fabric"
            )
        elif server in named[:place]:
            yield SiteError(
                ("fabrics", name, "ufm", place), f"{server} is named twice", "name another server as the standby"
            )


def _infiniband(site: Site, catalogue: Catalogue) -> Iterator[tuple[str, Fabric]]:
    """Yield name and fabric of every fabric whose switches are InfiniBand."""
    for name, fabric in site.fabrics.items():
        switch = entry(catalogue.switch, fabric.switch)
        if switch is not None and switch.link_layer == "infiniband":
            yield name, fabric
