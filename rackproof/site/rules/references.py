"""References: what is named exists, in the site or in the catalogue."""

from collections.abc import Callable, Iterator
from typing import Final

from rackproof.errors import SiteError, ValuePath
from rackproof.hardware.load import Catalogue, UnknownModelError
from rackproof.hardware.models import Entry
from rackproof.paths import TOPOLOGIES
from rackproof.releases.load import UnknownReleaseError, load_release, release_names
from rackproof.site.derived import with_own_switches
from rackproof.site.document import KEY
from rackproof.site.models import Fabric, ServerGroup, Site, Storage
from rackproof.site.nearest import did_you_mean

PLAN_NEEDS: Final = True


def racks_exist(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """Servers, storage and switches stand in racks of this site."""
    del catalogue
    known = [rack.name for rack in site.racks]
    for path, name in _named_racks(site) if known else ():  # another rule says that there are none
        yield from _unknown(path, "rack", name, known)


def _named_racks(site: Site) -> Iterator[tuple[ValuePath, str]]:
    """Yield every rack that something stands in, and where the site file says so."""
    standing: list[tuple[ValuePath, ServerGroup | Storage | Fabric]] = [
        *((("servers", number), group) for number, group in enumerate(site.servers)),
        *((("storage", number), storage) for number, storage in enumerate(site.storage)),
        *((("fabrics", name), fabric) for name, fabric in with_own_switches(site).items()),
    ]
    for path, asked in standing:
        if asked.rack is not None:
            yield (*path, "rack"), asked.rack
        for place, name in enumerate(asked.racks):
            yield (*path, "racks", place), name


def fabrics_exist(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """Adapters, storage and uplinks are for fabrics of this site."""
    del catalogue
    known = list(site.fabrics)
    for number, group in enumerate(() if site.hosted else site.servers):
        for name in group.nics:
            yield from _unknown(("servers", number, "nics", name, KEY), "fabric", name, known)
        for place, name in enumerate(group.managed_nics or ()):
            yield from _unknown(("servers", number, "managed_nics", place), "adapter for", name, list(group.nics))
    for number, storage in enumerate(site.storage):
        yield from _unknown(("storage", number, "fabric"), "fabric", storage.fabric, known)
    for uplink_name, uplink in site.external.uplinks.items():
        yield from _unknown(("external", "uplinks", uplink_name, "fabric"), "fabric", uplink.fabric, known)


def topologies_exist(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A fabric is built in a way that Rackproof knows."""
    del catalogue
    known = sorted(file.stem.replace("_", "-") for file in TOPOLOGIES.glob("[a-z]*.py"))
    for name, fabric in with_own_switches(site).items():
        yield from _unknown(("fabrics", name, "topology"), "topology", fabric.topology, known)


def models_exist(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """Everything that is bought is a model of the catalogue."""
    for number, rack in enumerate(site.racks):
        yield from _not_in_catalogue(catalogue, ("racks", number, "model"), catalogue.rack, rack.model)
        yield from _not_in_catalogue(catalogue, ("racks", number, "pdus", "model"), catalogue.pdu, rack.pdus.model)
    for number, group in enumerate(site.servers):
        yield from _not_in_catalogue(catalogue, ("servers", number, "model"), catalogue.server, group.model)
        for fabric, nic in group.nics.items():
            yield from _not_in_catalogue(catalogue, ("servers", number, "nics", fabric), catalogue.nic, nic)
    for number, storage in enumerate(site.storage):
        yield from _not_in_catalogue(catalogue, ("storage", number, "model"), catalogue.storage, storage.model)
    for name, asked in with_own_switches(site).items():
        yield from _not_in_catalogue(catalogue, ("fabrics", name, "switch"), catalogue.switch, asked.switch)
        yield from _not_in_catalogue(catalogue, ("fabrics", name, "nos"), catalogue.nos, asked.nos)
        if asked.cable is not None:
            yield from _not_in_catalogue(catalogue, ("fabrics", name, "cable"), catalogue.cable, asked.cable)


def release_exists(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """The version set is one that Rackproof has."""
    del catalogue
    try:
        load_release(site.release)
    except UnknownReleaseError as error:
        yield SiteError(("release",), error.message, did_you_mean(error.name, release_names()))


def _unknown(path: ValuePath, what: str, name: str, known: list[str]) -> Iterator[SiteError]:
    if name not in known:
        yield SiteError(path, f"there is no {what} {name}", did_you_mean(name, known))


def _not_in_catalogue(
    catalogue: Catalogue, path: ValuePath, look_up: Callable[[str], Entry], name: str
) -> Iterator[SiteError]:
    try:
        look_up(name)
    except UnknownModelError as error:
        yield SiteError(path, error.message, did_you_mean(name, catalogue.names(error.kind)) or error.hint)
