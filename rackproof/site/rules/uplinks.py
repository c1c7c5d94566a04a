"""Uplinks: the fields of one suit how it is attached, and its next hop is a neighbor of the switch."""

from collections.abc import Iterator
from typing import Final

from rackproof.errors import SiteError
from rackproof.hardware.load import Catalogue
from rackproof.site.derived import CONSOLIDATED
from rackproof.site.models import Site

AGGREGATED: Final = "rack-aggregation"
"""The topology whose uplinks leave from other switches than those that devices are plugged into."""
FIELDS: Final = {
    "bgp": ("asn", "prefix"),
    "bgp-unnumbered": ("asn",),
    "vlan": ("vlan", "address", "gateway"),
}
"""Attachment to the fields that it uses."""


def uplinks_have_fields_of_their_attachment(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """An uplink states no field that its attachment does not use."""
    del catalogue
    for name, uplink in site.external.uplinks.items():
        for field in ("asn", "prefix", "vlan", "address", "gateway"):
            if getattr(uplink, field) is not None and field not in FIELDS[uplink.attach]:
                takers = " or ".join(attach for attach, fields in FIELDS.items() if field in fields)
                message = f"attach: {uplink.attach} does not use {field}"
                hint = f"leave it out, or set attach: {takers}"
                yield SiteError(("external", "uplinks", name, field), message, hint)


def gateways_are_in_the_vlan(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """The next hop of a VLAN's default route is in the subnet in which the switch has an address."""
    del catalogue
    for name, uplink in site.external.uplinks.items():
        path = ("external", "uplinks", name, "gateway")
        if uplink.gateway is None or uplink.attach != "vlan":
            continue
        if uplink.address is None:
            message = f"the switch has no address in the VLAN of the gateway {uplink.gateway}"
            yield SiteError(path, message, "set address, with its prefix length")
        elif uplink.gateway not in uplink.address.network:
            message = f"{uplink.gateway} is outside {uplink.address.network}, the subnet of address"
            yield SiteError(path, message, "the next hop of a route is a neighbor: take its address in that subnet")


def a_fabric_has_one_default_route(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """One uplink of a fabric states the gateway; the switches of a consolidated pair learn theirs over BGP."""
    del catalogue
    first: dict[str, str] = {}
    for name, uplink in site.external.uplinks.items():
        fabric = site.fabrics.get(uplink.fabric)
        if uplink.gateway is None or uplink.attach != "vlan" or fabric is None:
            continue
        path = ("external", "uplinks", name, "gateway")
        if fabric.topology == CONSOLIDATED:
            message = "a consolidated pair takes its routes to networks outside over BGP, in VRF EXIT"
            yield SiteError(path, message, "set attach: bgp-unnumbered or bgp")
        elif fabric.topology == AGGREGATED:
            message = "rack switches learn the default route from their aggregation over BGP, which has no static one"
            yield SiteError(path, message, "set attach: bgp or bgp-unnumbered")
        elif uplink.fabric in first:
            message = f"{uplink.fabric} has two default routes: the uplink {first[uplink.fabric]} states a gateway too"
            yield SiteError(path, message, "keep one gateway, or attach both over BGP")
        first.setdefault(uplink.fabric, name)
