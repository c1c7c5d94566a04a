"""Addresses: no two networks overlap, and every prefix can be given to hosts."""

from collections.abc import Iterator
from ipaddress import IPv4Network
from typing import Final

from rackproof.errors import SiteError, ValuePath
from rackproof.hardware.load import Catalogue
from rackproof.site.models import Site

PLAN_NEEDS: Final = True


def prefixes_do_not_overlap(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """The prefixes of fabrics and uplinks have no address in common."""
    del catalogue
    seen: list[tuple[str, IPv4Network]] = []
    for path, owner, prefix in _networks(site):
        for other, taken in seen:
            if prefix.overlaps(taken):
                hint = "every fabric and uplink needs addresses of its own"
                yield SiteError(path, f"{prefix} overlaps {taken} of {other}", hint)
        seen.append((owner, prefix))


def prefixes_are_for_hosts(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A prefix holds addresses that a host may have: not multicast, loopback, link-local or reserved ones."""
    del catalogue
    for path, _, prefix in _networks(site):
        kinds = {
            "multicast (RFC 5771)": prefix.is_multicast,
            "loopback (RFC 1122)": prefix.is_loopback,
            "link-local (RFC 3927)": prefix.is_link_local,
            "reserved (RFC 1112)": prefix.is_reserved,
            "of 'this network' (RFC 1122)": prefix.overlaps(IPv4Network("0.0.0.0/8")),
        }
        if kind := next((kind for kind, holds in kinds.items() if holds), ""):
            yield SiteError(path, f"no host may have an address of {prefix}: it is {kind}", "for instance 10.10.0.0/16")


def _networks(site: Site) -> Iterator[tuple[ValuePath, str, IPv4Network]]:
    """Yield place, owner and prefix of every network that the site file states."""
    for name, fabric in site.fabrics.items():
        yield ("fabrics", name, "prefix"), f"fabric {name}", fabric.prefix
    for name, uplink in site.external.uplinks.items():
        if uplink.prefix is not None:
            yield ("external", "uplinks", name, "prefix"), f"uplink {name}", uplink.prefix
        if uplink.address is not None:
            yield ("external", "uplinks", name, "address"), f"uplink {name}", uplink.address.network
