"""Hosted sites: machines of a cloud, with nothing physical; every other site has racks and fabrics."""

from collections.abc import Iterator
from typing import Final

from rackproof.errors import SiteError, ValuePath
from rackproof.hardware.load import Catalogue
from rackproof.site.conditions import NEEDED_UNLESS_HOSTED
from rackproof.site.derived import entry
from rackproof.site.document import KEY
from rackproof.site.models import ServerGroup, Site

PLAN_NEEDS: Final = True

PROVIDERS: Final = {
    "racks": "the racks are the provider's",
    "redundancy": "power is the provider's",
    "fabrics": "the networks are the provider's; adapters are named by what they are for",
    "storage": "storage hardware is the provider's",
    "pin": "places and addresses are the provider's",
}
"""Key of a site to why a hosted one has none."""
PROVIDERS_OF_A_GROUP: Final = ("rack", "racks", "from_unit", "per_rack", "managed_nics", "nic_counts", "grows_to")
"""Keys of a group that say where its servers stand and what is plugged into them."""
ADAPTERS_FOR: Final = "backend"
"""What the adapters of a hosted machine are for; its frontend is the port that it comes with."""


def sites_have_racks_and_fabrics(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A site that is not hosted has racks and fabrics."""
    del catalogue
    for key in NEEDED_UNLESS_HOSTED:
        if not site.hosted and not getattr(site, key):
            message, description = (
                f"the key {key} is missing at the top of the file",
                Site.model_fields[key].description,
            )
            yield SiteError((key,), message, f"{key}: {description}")


def servers_stand_somewhere(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A group states its rack or racks, unless the site is hosted."""
    del catalogue
    for number, group in enumerate(site.servers):
        if not site.hosted and not group.rack_names:
            yield SiteError(("servers", number), f"servers[{number}]: give either rack or racks")


def hosted_sites_have_nothing_physical(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A hosted site has no racks, power, fabrics, storage, uplinks or pins, and its servers have no places."""
    del catalogue
    if not site.hosted:
        return
    stated: list[tuple[ValuePath, str, str]] = [
        ((key, KEY), key, why) for key, why in PROVIDERS.items() if key in site.model_fields_set
    ]
    if site.external.uplinks:
        stated.append((("external", "uplinks", KEY), "uplinks", "the networks are the provider's"))
    for path, key, why in stated:
        yield SiteError(path, f"a hosted site has no {key}: {why}", f"leave {key} out")
    for number, group in enumerate(site.servers):
        yield from _placed(number, group)


def _placed(number: int, group: ServerGroup) -> Iterator[SiteError]:
    for key in PROVIDERS_OF_A_GROUP:
        if key in group.model_fields_set:
            path: ValuePath = ("servers", number, key, KEY)
            yield SiteError(
                path, f"servers of a hosted site have no {key}: they are the provider's", f"leave {key} out"
            )
    for name in group.nics:
        if name != ADAPTERS_FOR:
            path = ("servers", number, "nics", name, KEY)
            message = f"adapters of a hosted machine are for its {ADAPTERS_FOR}, not for {name}"
            yield SiteError(
                path, message, "the frontend of a hosted machine is its built-in port: leave this adapter out"
            )


def servers_are_hosted_where_the_site_is(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A cloud's machines are on hosted sites, and no others."""
    for number, group in enumerate(site.servers):
        server = entry(catalogue.server, group.model)
        if server is not None and server.hosted != site.hosted:
            message = (
                f"{server.name} is a rack server, and this site is hosted"
                if site.hosted
                else f"{server.name} is a cloud's machine, and this site is not hosted"
            )
            yield SiteError(("servers", number, "model"), message, "choose another model, or change hosted")
