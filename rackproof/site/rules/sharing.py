"""Fabrics on the switches of another, and out-of-band switches that are linked to them."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from rackproof.errors import SiteError
from rackproof.hardware.load import Catalogue
from rackproof.site.conditions import NEEDED_UNLESS_SHARED
from rackproof.site.derived import CONSOLIDATED, fabric_roce, fabric_role
from rackproof.site.models import Site

PLAN_NEEDS: Final = True

OF_THE_SWITCHES: Final = ("first_asn", "oversubscription", "unmanaged", "per_rack")
"""What a fabric says of its switches and nothing else."""


def only_a_consolidated_pair_is_shared(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A frontend may run on the switches of a backend that is a consolidated pair, and out of band may join it."""
    del catalogue
    pairs = [name for name, one in site.fabrics.items() if one.topology == CONSOLIDATED and one.shares is None]
    hint = f"consolidated pairs are: {', '.join(pairs)}" if pairs else f"none has topology: {CONSOLIDATED}"
    for name, fabric in site.fabrics.items():
        for key, role in (("shares", "frontend"), ("joins", "oob")):
            other = getattr(fabric, key)
            if other is None:
                continue
            if other not in pairs:
                yield SiteError(("fabrics", name, key), f"{other} is not a consolidated pair", hint)
            elif fabric_role(name, fabric) != role:
                message = f"{name} cannot have {key}: that is for a fabric whose role is {role}"
                yield SiteError(("fabrics", name, key), message, "leave it out")


def sharers_have_no_switches(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A fabric that shares switches says nothing else about them, and only one frontend shares a pair."""
    del catalogue
    sharers: Counter[str] = Counter()
    for name, fabric in site.fabrics.items():
        owner = site.fabrics.get(fabric.shares or "")
        if owner is None or fabric.shares is None:
            continue
        sharers[fabric.shares] += 1
        if sharers[fabric.shares] > 1:
            message = f"{fabric.shares} carries a frontend already"
            yield SiteError(("fabrics", name, "shares"), message, "one VRF holds everything in band: keep one of them")
        for key in NEEDED_UNLESS_SHARED:
            if getattr(fabric, key) != getattr(owner, key):
                message = f"{name} runs on the switches of {fabric.shares}, whose {key} differs"
                yield SiteError(("fabrics", name, key), message, "leave it out")


def what_belongs_to_switches_is_their_owners(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """ASNs, oversubscription and unmanaged lines are the switches', so the fabric that has them says them."""
    del catalogue
    for name, fabric in site.fabrics.items():
        for key in OF_THE_SWITCHES if fabric.shares is not None else ():
            if key in fabric.model_fields_set:
                message = f"{key} is set for switches, and {name} has none of its own"
                yield SiteError(("fabrics", name, key), message, f"set it on {fabric.shares}, or leave it out")


def a_pair_has_one_way_with_roce(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """Fabrics on the same switches share their queues: a frontend has RoCE as its backend has it, or none."""
    for name, fabric in site.fabrics.items():
        own = fabric_roce(site, name, catalogue) if fabric.shares in site.fabrics else None
        if own is not None and own != fabric_roce(site, str(fabric.shares), catalogue):
            message = f"{name} shares the queues of {fabric.shares}, whose roce differs"
            yield SiteError(
                ("fabrics", name, "roce"), message, "set the same roce in both fabrics, or leave it out of this one"
            )


def a_pair_carries_a_frontend(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A consolidated pair carries a frontend beside its backend."""
    del catalogue
    shared = {fabric.shares for fabric in site.fabrics.values()}
    for name, fabric in site.fabrics.items():
        if fabric.topology == CONSOLIDATED and fabric.shares is None and name not in shared:
            message = f"no frontend shares the switches of {name}"
            yield SiteError(("fabrics", name, "topology"), message, f"add a frontend with shares: {name}")


def networks_outside_are_routed(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """What leads out of a consolidated pair is routed, and leaves from its frontend."""
    del catalogue
    pairs = {name for name, fabric in site.fabrics.items() if fabric.topology == CONSOLIDATED}
    for name, uplink in site.external.uplinks.items():
        path = ("external", "uplinks", name)
        fabric = site.fabrics.get(uplink.fabric)
        if uplink.fabric in pairs and uplink.attach == "vlan":
            message = f"{uplink.fabric} runs on a consolidated pair, whose uplinks are routed"
            yield SiteError((*path, "attach"), message, "choose bgp or bgp-unnumbered")
        elif fabric is not None and uplink.fabric in pairs and fabric.shares is None:
            message = f"uplinks of a consolidated pair leave from its frontend, and {uplink.fabric} is its backend"
            yield SiteError((*path, "fabric"), message, "name the frontend that shares the pair")
