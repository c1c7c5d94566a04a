"""Features: switch, NOS and release support what the site asks for."""

from collections.abc import Iterator

from rackproof.errors import SiteError
from rackproof.hardware.load import Catalogue
from rackproof.releases.compatibility import incompatibilities
from rackproof.releases.load import UnknownReleaseError, load_release
from rackproof.site.derived import CONSOLIDATED, entry, roce_fabrics, with_own_switches
from rackproof.site.models import Site


def switches_run_their_nos(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A switch runs the NOS that its fabric asks for."""
    for name, fabric in with_own_switches(site).items():
        switch, nos = entry(catalogue.switch, fabric.switch), entry(catalogue.nos, fabric.nos)
        if switch and nos and nos.model not in switch.nos:
            message = f"{switch.name} does not run {nos.name}"
            yield SiteError(("fabrics", name, "nos"), message, f"it runs: {', '.join(switch.nos)}")


def nos_has_the_features(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """The NOS of a fabric with RoCE supports RoCE."""
    for name, _, path in roce_fabrics(site, catalogue):
        nos = entry(catalogue.nos, site.fabrics[name].nos)
        supported = True if nos is None else nos.features.get("roce", False)
        if nos is not None and supported is not True:
            reason = supported if isinstance(supported, str) else "the catalogue does not list it among its features"
            yield SiteError(path, f"{nos.name} does not support RoCE", reason)


def flows_are_told_apart(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """Hashing on the RoCE queue pair needs a switch and a NOS that support it; a warning where it is the default."""
    for name, settings, path in roce_fabrics(site, catalogue):
        fabric = site.fabrics[name]
        switch, nos = entry(catalogue.switch, fabric.switch), entry(catalogue.nos, fabric.nos)
        if not (switch and switch.buffers and nos) or settings.load_balancing != "ecmp-queue-pair":
            continue
        able = nos.features.get("ecmp-hash-queue-pair", False)
        lacking = nos.name if able is not True else switch.name if not switch.hash_queue_pair else ""
        if lacking:
            chosen = fabric.roce is not None and fabric.roce.load_balancing is not None
            hint = able if isinstance(able, str) else "choose load_balancing ecmp"
            message = f"{lacking} does not hash on the RoCE queue pair"
            yield SiteError((*path, "load_balancing"), message, hint, warning=not chosen)


def release_relays_dhcp(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A consolidated pair relays DHCP with a release of its NOS that is configured as Rackproof writes relays."""
    try:
        components = load_release(site.release).components
    except UnknownReleaseError:
        return
    pairs = (fabric for fabric in with_own_switches(site).values() if fabric.topology == CONSOLIDATED)
    for fabric in pairs if site.external.dhcp else ():
        nos, component = entry(catalogue.nos, fabric.nos), components.get(fabric.nos)
        lacking = nos.lacks("dhcp-relay", component.version) if nos and component else ""
        if lacking:
            message = f"{fabric.nos} cannot relay DHCP as Rackproof writes it: {lacking}"
            hint = "leave external.dhcp out and serve DHCP in the out-of-band network, or choose an earlier release"
            yield SiteError(("external", "dhcp"), message, hint)


def release_goes_together(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """The versions of the release go together, and with the hardware of this site."""
    try:
        release = load_release(site.release)
    except UnknownReleaseError:
        return
    nos_names = dict.fromkeys(fabric.nos for fabric in site.fabrics.values())
    switches = {fabric.switch for fabric in site.fabrics.values()}
    hosts = {*(group.model for group in site.servers), *(storage.model for storage in site.storage)}
    for sentence in incompatibilities(release, {*nos_names, *hosts, *switches}):
        yield SiteError(("release",), sentence, "choose another release, or other versions in it")
    for nos in nos_names:
        model = entry(catalogue.nos, nos)
        if nos not in release.components and (model is None or model.configured):
            yield SiteError(("release",), f"release {release.release} has no version of {nos}", "add it to the release")
