"""Hosts: their operating system is known, their RDMA drivers are available, and their port names fit Linux."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from rackproof.errors import SiteError, ValuePath
from rackproof.hardware.load import Catalogue
from rackproof.hardware.models import NicModel
from rackproof.hardware.nos_models import RoceSettings
from rackproof.releases.load import UnknownReleaseError, load_release
from rackproof.releases.models import Release
from rackproof.site.derived import entry, roce_fabrics, server_ports
from rackproof.site.host_software import DISTRIBUTIONS, HOST_SYSTEMS, VENDOR_STACKS, release_os
from rackproof.site.models import ServerGroup, Site

UNFIT_STACK: Final = "choose inbox, or the RDMA stack of the adapters' vendor"
PORT_NAME_MAX: Final = 15
"""Characters of a network interface's name (Linux, include/uapi/linux/if.h: IFNAMSIZ, less the final zero)."""


def _release(site: Site) -> Release | None:
    """Return the release of a site; None where there is none, which a rule of its own reports."""
    try:
        return load_release(site.release)
    except UnknownReleaseError:
        return None


def something_says_what_hosts_run(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A group states its operating system, unless the release names one that the roles know."""
    del catalogue
    release = _release(site)
    if release is None or release_os(release) is not None:
        return
    named = [f"{name} {release.components[name].version}" for name in DISTRIBUTIONS if name in release.components]
    has = f"has {named[0]}, which no role supports" if named else "names no operating system of hosts"
    for number, group in enumerate(site.servers):
        if group.os is None:
            message = f"the operating system of {group.group} is not known: release {site.release} {has}"
            yield SiteError(("servers", number), message, f"set os to one of: {', '.join(HOST_SYSTEMS)}")


def rdma_stacks_can_be_had(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A vendor's RDMA stack is for that vendor's adapters, and the release states its version."""
    release = _release(site)
    for number, group in enumerate(site.servers):
        stack = group.rdma_stack
        if release is None or stack not in VENDOR_STACKS:
            continue
        vendor_id, component = VENDOR_STACKS[stack]
        path: ValuePath = ("servers", number, "rdma_stack")
        nics = _nics(group, catalogue)
        if nics and all(nic.vendor_id != vendor_id for nic in nics):
            yield SiteError(path, f"{stack} has no driver for the adapters of {group.group}", UNFIT_STACK)
        elif component not in release.components:
            message = f"{stack} needs a version, and release {site.release} has no {component}"
            yield SiteError(path, message, f"choose another release, add {component} to it, or choose inbox")


def _nics(group: ServerGroup, catalogue: Catalogue) -> list[NicModel]:
    found = (entry(catalogue.nic, name) for name in group.nics.values())
    return [nic for nic in found if nic is not None]


def hosts_set_roce_once(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """Fabrics with RoCE that a server joins agree on what hosts set: priority, code points and bandwidth."""
    settings = {name: roce for name, roce, _ in roce_fabrics(site, catalogue)}
    reported: set[str] = set()
    for group in site.servers:
        asked = [(name, roce) for name in group.nics if (roce := settings.get(name)) and roce.lossless]
        for (first, one), (second, other) in pairwise(asked):
            if _as_hosts_see(one) != _as_hosts_see(other) and second not in reported:
                reported.add(second)
                message = f"{group.group} is on {first} and {second}, whose RoCE settings differ"
                hint = "give both the same lossless classes, host_dscp, cnp_dscp, cnp_priority and bandwidth_percent"
                yield SiteError(("fabrics", second, "roce"), message, hint)


def _as_hosts_see(roce: RoceSettings) -> tuple[object, ...]:
    """Return what of RoCE is set on a host, for all of its adapters."""
    priority = [lossless.priority for lossless in roce.lossless if roce.host_dscp in lossless.dscp]
    return priority, len(roce.lossless), roce.host_dscp, roce.cnp_dscp, roce.cnp_priority, roce.bandwidth_percent


def ports_can_have_their_names(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """The ports and bonds of a server have names that Linux takes."""
    reported: set[str] = set()
    for group in site.servers:
        for port, fabric in server_ports(site, group, catalogue).items():
            if len(port) > PORT_NAME_MAX and fabric not in reported:
                reported.add(fabric)
                message = f"the server port {port} has {len(port)} characters, and Linux allows {PORT_NAME_MAX}"
                yield SiteError(("fabrics", fabric), message, "give the fabric a shorter name")
