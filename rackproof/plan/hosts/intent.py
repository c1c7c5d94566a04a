"""The intent of one host: a pure function of site, plan, catalogue, release and what discovery found.

It is derived on request and is no part of the plan, so that thousands of servers cost planning nothing.
"""

from collections.abc import Iterator
from ipaddress import IPv4Interface
from typing import Final

from rackproof.errors import BadInputError
from rackproof.hardware.models import NicModel, ServerModel
from rackproof.plan.hosts.mounts import storage_mounts
from rackproof.plan.hosts.ports import addressed_ports, data_ports, named_ports
from rackproof.plan.hosts.roce import host_roce
from rackproof.plan.hosts.sources import HostSources
from rackproof.plan.model.host import Acs, FirmwareLevel, HostGpus, HostIntent, HostSystem, Limit
from rackproof.plan.model.plan import ServerPlan
from rackproof.releases.models import Release
from rackproof.site.host_software import VENDOR_STACKS, host_rdma_stack, host_system
from rackproof.site.models import HostOs, ServerGroup

GPU_DRIVERS: Final = {"nvidia": "nvidia-driver", "amd": "rocm"}
"""Vendor of accelerators to the component of a release that drives them."""
SWITCHED: Final = "NVLink"
"""How the catalogue says that accelerators are joined by NVSwitches, and not by bridges or PCIe."""
CONTAINERS: Final = ("kubernetes", "pytorch-container")
"""Components of a release that need a container runtime on every host."""
SYSCTLS: Final = {
    "net.ipv4.conf.all.arp_announce": "2",
    "net.ipv4.conf.all.arp_ignore": "1",
    "net.ipv4.conf.all.rp_filter": "2",
    "vm.nr_hugepages": "0",
}
"""Settings of every host with rails (Linux, Documentation/networking/ip-sysctl.rst and admin-guide/sysctl/vm.rst).

A port answers ARP for its own address only, and asks with an address of the subnet it asks in; a packet may come in on
another port than the one that its source is reached by. No pool of huge pages takes memory from jobs: nothing on these
hosts asks for one.
"""
LOCKED_MEMORY: Final = tuple(Limit(domain, "-", "memlock", "unlimited") for domain in ("*", "root"))
"""RDMA registers memory by locking it (Open MPI FAQ, OpenFabrics: `ulimit -l unlimited`); ``*`` leaves out root
(limits.conf(5))."""


def host_intent(sources: HostSources, name: str) -> HostIntent:
    """Return the intent of a server.

    Raises
    ------
    BadInputError
        The plan has no such server, or neither site nor release states its operating system.
    """
    if name not in sources.plan.servers:
        raise BadInputError(f"the plan has no server {name}", "`rackproof plan <site>` lists them")
    plan, catalogue, release = sources.plan, sources.catalogue, sources.release
    server = plan.servers[name]
    group, model, nics = sources.groups[server.group], catalogue.server(server.model), _nics(sources, server)
    stack = host_rdma_stack(group, nics, release)
    kubernetes = _version(release, "kubernetes")
    return HostIntent(
        name=name,
        group=server.group,
        os=_os(group, release),
        redundancy_group=redundancy_group(sources, server),
        system=_system(group, model, nics),
        ports=tuple(named_ports(plan, server, catalogue, sources.as_built)),
        addresses=tuple(addressed_ports(plan, server)),
        rdma_stack=stack,
        rdma_stack_version=_version(release, VENDOR_STACKS[stack][1]) if stack in VENDOR_STACKS else None,
        roce=host_roce(sources, server, stack),
        gpus=_gpus(model, release),
        containers=any(component in release.components for component in CONTAINERS),
        container_runtime_version=_version(release, "containerd"),
        kubernetes_version=kubernetes,
        mounts=tuple(storage_mounts(sources.site, plan, server)),
        bmc_address=_bmc_address(server),
        bmc_version=_version(release, model.bmc.lower()),
        bios=model.bios,
        firmware=tuple(_firmware(nics, release)),
    )


def redundancy_group(sources: HostSources, server: ServerPlan) -> str:
    """Return which servers are never rebooted at the same time.

    Servers with accelerators are on their own: a job restarts on the others. Those without are head nodes or a control
    plane, of which the others of their group must keep working. Managers of one InfiniBand subnet stand in for each
    other.
    """
    if server.name in sources.managers:
        return f"subnet-managers-{sources.managers[server.name]}"
    return server.name if sources.catalogue.server(server.model).gpus.count else server.group


def _version(release: Release, component: str) -> str | None:
    found = release.components.get(component)
    return found.version if found else None


def _os(group: ServerGroup, release: Release) -> HostOs:
    system = host_system(group, release)
    if system is None:
        message = f"nothing says what the servers {group.group} run: release {release.release} names no system of hosts"
        raise BadInputError(message, "give os in the site file")
    return system


def _nics(sources: HostSources, server: ServerPlan) -> tuple[NicModel, ...]:
    """Return the models of the adapters that a server has, each once."""
    names = dict.fromkeys(port.nic for port in data_ports(sources.plan, server))
    return tuple(sources.catalogue.nic(name) for name in names)


def _system(group: ServerGroup, model: ServerModel, nics: tuple[NicModel, ...]) -> HostSystem:
    """Return the settings of the operating system.

    ACS sends what accelerators and adapters say to each other through the processor, so it goes on bare metal (NVIDIA
    NCCL documentation, troubleshooting: PCI access control services); in a virtual machine it is the provider's.
    """
    acs: Acs = "disabled" if model.gpus.count and not model.hosted else "kept"
    rdma = any(nic.rdma_driver for nic in nics)
    return HostSystem(
        kernel_arguments=tuple(dict.fromkeys((*model.kernel_arguments, *group.kernel_arguments))),
        sysctls=dict(sorted({**({} if model.hosted else SYSCTLS), **model.sysctls}.items())),
        limits=LOCKED_MEMORY if rdma else (),
        acs=acs,
    )


def _gpus(model: ServerModel, release: Release) -> HostGpus:
    gpus = model.gpus
    switched = gpus.vendor == "nvidia" and model.features.get("gpu_interconnect") == SWITCHED
    return HostGpus(gpus.vendor, _version(release, GPU_DRIVERS.get(gpus.vendor, "")), switched, gpus.count)


def _bmc_address(server: ServerPlan) -> str | None:
    bmc = server.ports.get("bmc")
    return str(IPv4Interface(bmc.address).ip) if bmc and bmc.address else None


def _firmware(nics: tuple[NicModel, ...], release: Release) -> Iterator[FirmwareLevel]:
    """Yield the firmware levels that the release states for a server's adapters."""
    for firmware, vendor_id, device_id in dict.fromkeys((nic.firmware, nic.vendor_id, nic.device_id) for nic in nics):
        component = release.components.get(firmware)
        if component is not None:
            source = component.source or component.assumed or ""
            yield FirmwareLevel(firmware, component.version, source, vendor_id, device_id)
