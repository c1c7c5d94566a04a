"""Operating system and RDMA stack of a group of servers, from the site file and its release."""

from collections.abc import Iterable
from typing import Final, get_args

from rackproof.hardware.models import NicModel
from rackproof.releases.models import Release
from rackproof.site.models import HostOs, RdmaStack, ServerGroup

HOST_SYSTEMS: Final[tuple[HostOs, ...]] = get_args(HostOs)
DISTRIBUTIONS: Final = ("ubuntu", "debian")
"""Components of a release that are operating systems of hosts."""
VENDOR_STACKS: Final[dict[RdmaStack, tuple[str, str]]] = {
    "doca-ofed": ("15b3", "doca"),
    "broadcom": ("14e4", "broadcom-bnxt"),
}
"""A vendor's RDMA stack to the PCI vendor of its adapters (pci.ids) and the component that states its version."""


def release_os(release: Release) -> HostOs | None:
    """Return what hosts run in a release; None: it names no system, or one that the roles do not know.

    Canonical's point releases (22.04.5) are one system, and so are Debian's (12.8).
    """
    for name in DISTRIBUTIONS:
        component = release.components.get(name)
        numbers = component.version.split(".")[: 2 if name == "ubuntu" else 1] if component else []
        for system in HOST_SYSTEMS:
            if numbers and system == f"{name}-{'.'.join(numbers)}":
                return system
    return None


def host_system(group: ServerGroup, release: Release) -> HostOs | None:
    """Return what the servers of a group run: what the site says, else what the release has."""
    return group.os or release_os(release)


def host_rdma_stack(group: ServerGroup, nics: Iterable[NicModel], release: Release) -> RdmaStack:
    """Return where the RDMA drivers of a group's servers come from.

    On Ubuntu the vendor's packages where one vendor made all RDMA adapters and the release lists them: the kernel of
    Ubuntu 22.04 as it came knows no Thor 2, which Linux drives from 6.8 on (drivers/net/ethernet/broadcom/bnxt).
    Debian gets the drivers of its own kernel, which is what its packages are built for.
    """
    if group.rdma_stack is not None:
        return group.rdma_stack
    vendors = {nic.vendor_id for nic in nics if nic.rdma_driver}
    if (host_system(group, release) or "").startswith("ubuntu"):
        for stack, (vendor, component) in VENDOR_STACKS.items():
            if vendors == {vendor} and component in release.components:
                return stack
    return "inbox"
