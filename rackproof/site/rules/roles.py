"""Fabrics: what each is for, and who uses it."""

from collections.abc import Iterator
from itertools import chain
from typing import Final

from rackproof.errors import SiteError
from rackproof.hardware.load import Catalogue
from rackproof.site.derived import ROLES, entry, fabric_role, groups_on
from rackproof.site.document import KEY
from rackproof.site.models import Site

PLAN_NEEDS: Final = True


def fabrics_have_a_role(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A fabric states what it is for, or is called so."""
    del catalogue
    for name, fabric in site.fabrics.items():
        if fabric_role(name, fabric) is None:
            hint = f"set its role ({', '.join(ROLES)}), or name the fabric after its role"
            yield SiteError(("fabrics", name, KEY), f"the fabric {name} has no role", hint)


def devices_are_managed(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A site has an out-of-band fabric: its switches, BMCs and PDUs are reached through it."""
    del catalogue
    if site.fabrics and not any(fabric_role(name, fabric) == "oob" for name, fabric in site.fabrics.items()):
        message = "no fabric is out of band: switches, BMCs and PDUs could not be reached"
        yield SiteError(("fabrics", KEY), message, "add a fabric oob with a 1G switch and a prefix of its own")


def one_out_of_band_fabric_a_rack(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """Two out-of-band fabrics have switches in different racks: a device is served by the one in its rack."""
    del catalogue
    first: dict[str, str] = {}
    for name, fabric in site.fabrics.items():
        if fabric_role(name, fabric) == "oob" and site.racks:
            rack = (fabric.rack_names or (site.racks[0].name,))[0]
            if rack in first:
                message = f"rack {rack} has two out-of-band fabrics, {first[rack]} and {name}"
                yield SiteError(("fabrics", name, KEY), message, "keep one, or put its switch into another rack")
            first.setdefault(rack, name)


def adapters_are_counted_where_there_are_some(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """Adapters are counted for a fabric that the group is on; for a backend the server has so many slots."""
    for number, group in enumerate(site.servers):
        for name in group.nic_counts:
            if name not in group.nics:
                message = f"nic_counts names {name}, and the group {group.group} has no adapter for it"
                yield SiteError(("servers", number, "nic_counts", name, KEY), message, f"add {name} to nics")
            elif name in site.fabrics and fabric_role(name, site.fabrics[name]) == "backend":
                server = entry(catalogue.server, group.model)
                room = 0 if server is None else sum(slot.fabric == "backend" for slot in server.slots)
                if 0 < room < group.nic_counts[name]:
                    message = f"{group.model} has {room} slots for a backend"
                    hint = "leave the number out to fill them all"
                    yield SiteError(("servers", number, "nic_counts", name), message, hint)


def fabrics_are_used(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """Some server has an adapter for every fabric but the out-of-band one (a warning)."""
    del catalogue
    if not site.fabrics.keys() >= set(chain.from_iterable(group.nics for group in site.servers)):
        return  # the fabric that seems unused may be the one that was meant
    for name, fabric in site.fabrics.items():
        used = any(groups_on(site, name)) or any(storage.fabric == name for storage in site.storage)
        if fabric_role(name, fabric) != "oob" and not used:
            message = f"no server has an adapter for the fabric {name}"
            yield SiteError(("fabrics", name, KEY), message, f"add {name} to the nics of a group", warning=True)


def adapters_have_slots(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A server has slots for its adapters: those of the backend for one backend, others for each further fabric."""
    for number, group in enumerate(site.servers):
        server = entry(catalogue.server, group.model)
        if server is None:
            continue
        roles = {name: fabric_role(name, site.fabrics[name]) for name in group.nics if name in site.fabrics}
        backends = [name for name, role in roles.items() if role == "backend"]
        others: list[str] = []
        for name in (name for name in roles if name not in backends):
            others += [name] * group.nic_counts.get(name, 1)
        room = sum(slot.fabric == "frontend" for slot in server.slots)
        if backends and not any(slot.fabric == "backend" for slot in server.slots):
            message = f"{server.model} has no slot for a backend"
            yield SiteError(("servers", number, "nics", backends[0], KEY), message)
        for name in backends[1:]:
            message = f"the backend slots of {server.model} already hold the adapters of {backends[0]}"
            hint = f"keep one of {' and '.join(backends)}: the adapters of a server serve one backend"
            yield SiteError(("servers", number, "nics", name, KEY), message, hint)
        for name in dict.fromkeys(others[room:]):
            message = f"{server.model} has {room} slots beside those of the backend, and {name} needs one more"
            yield SiteError(("servers", number, "nics", name, KEY), message, "connect it to fewer fabrics")
