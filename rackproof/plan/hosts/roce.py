"""RoCE on a host's adapters: what the fabrics' switches are set to, said for the other end of the cable."""

from collections.abc import Iterator

from rackproof.plan.hosts.ports import data_ports, driver_and_device, rdma_device
from rackproof.plan.hosts.sources import HostSources
from rackproof.plan.model.host import HostRoce, RocePort
from rackproof.plan.model.plan import FabricPlan, HostPort, ServerPlan
from rackproof.site.derived import fabric_roce
from rackproof.site.models import RdmaStack


def host_roce(sources: HostSources, server: ServerPlan, stack: RdmaStack) -> HostRoce | None:
    """Return RoCE of a host; None where none of its fabrics has it, as on InfiniBand and on hosted sites.

    All fabrics of a host agree on it, which a rule of the site file holds (rules/host_roce.py), so the first speaks
    for all. NVIDIA's own tool comes with NVIDIA's stack; the kernel's ``dcb`` serves every other driver, and is what
    Broadcom's set-up script calls by default (bnxt_setupcc.sh 236.1.155.0, ``-u 4``).
    """
    ports = tuple(_roce_ports(sources, server))
    fabrics = [sources.plan.fabrics[server.ports[port.name].fabric] for port in ports]
    return _fabric_roce(fabrics[0], ports, stack) if ports else None


def _fabric_roce(fabric: FabricPlan, ports: tuple[RocePort, ...], stack: RdmaStack) -> HostRoce | None:
    """Return the RoCE settings of a fabric for a host's ports; None: hosts have no lossless priority there."""
    roce, dscp, priority = fabric.roce, fabric.host_dscp, fabric.host_priority
    if roce is None or dscp is None or priority is None:
        return None
    return HostRoce(
        tool="mlnx_qos" if stack == "doca-ofed" else "dcb",
        ports=ports,
        priority=priority,
        dscp=dscp,
        cnp_priority=roce.cnp_priority,
        cnp_dscp=roce.cnp_dscp,
        bandwidth_percent=roce.lossless[priority].bandwidth_percent,
    )


def _roce_ports(sources: HostSources, server: ServerPlan) -> Iterator[RocePort]:
    """Yield the ports of fabrics with RoCE whose adapters can do it."""
    plan, catalogue = sources.plan, sources.catalogue
    for port in data_ports(plan, server):
        nic, device = catalogue.nic(port.nic), rdma_device(plan, port, catalogue)
        if plan.fabrics[port.fabric].roce is not None and nic.roce and device is not None:
            driver, device_id = driver_and_device(nic, sources.as_built.port(server.name, port.name))
            adaptive = nic.out_of_order and _adaptive(sources, port)
            yield RocePort(port.name, device, driver, device_id, adaptive, port.rail)


def _adaptive(sources: HostSources, port: HostPort) -> bool:
    roce = fabric_roce(sources.site, port.fabric, sources.catalogue)
    return roce is not None and roce.load_balancing == "adaptive-routing"
