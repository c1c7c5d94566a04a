"""A host's intent as the variables of Ansible roles: one prefix a role, and a role with empty inputs does nothing."""

from __future__ import annotations

from dataclasses import asdict
from ipaddress import IPv4Interface
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rackproof.plan.hosts.sources import HostSources
    from rackproof.plan.model.host import AddressedPort, HostIntent, HostRoce

Variables = dict[str, Any]
"""Name to a value that YAML and JSON can hold."""


def site_variables(sources: HostSources) -> Variables:
    """Return what is the same on every host of a site."""
    external = sources.site.external
    return {
        "base_dns_servers": [str(address) for address in external.dns],
        "base_hosts": dict(sources.addresses),
        "base_ntp_servers": [str(address) for address in external.ntp],
    }


def host_variables(intent: HostIntent) -> Variables:
    """Return what is one host's own."""
    return {
        "host_os": intent.os,
        "host_redundancy_group": intent.redundancy_group,
        **_base(intent),
        "port_names_ports": [asdict(port) for port in intent.ports],
        **_addresses(intent),
        "rdma_stack_provider": intent.rdma_stack,
        "rdma_stack_version": intent.rdma_stack_version,
        **_nic_roce(intent.roce),
        **_software(intent),
        "storage_client_mounts": [
            {**asdict(mount), "servers": list(mount.servers), "options": list(mount.options)} for mount in intent.mounts
        ],
        "server_settings_bmc_address": intent.bmc_address,
        "server_settings_bios": dict(intent.bios),
        "firmware_levels": [asdict(level) for level in intent.firmware],
    }


def _base(intent: HostIntent) -> Variables:
    system = intent.system
    return {
        "base_hostname": intent.name,
        "base_sysctls": dict(system.sysctls),
        "base_limits": [asdict(limit) for limit in system.limits],
        "base_kernel_arguments": list(system.kernel_arguments),
        "base_acs": system.acs,
    }


def _addresses(intent: HostIntent) -> Variables:
    """Return the addresses; what renders them is the distribution's own."""
    ports = [port for port in intent.addresses if not port.members and port.link is None]
    vlans = [port for port in intent.addresses if port.link is not None]
    bonds = [port for port in intent.addresses if port.members]
    return {
        "addresses_renderer": "netplan" if intent.os.startswith("ubuntu") else "networkd",
        "addresses_ports": [_address(port) for port in ports],
        "addresses_bonds": [{**_address(bond), "members": list(bond.members)} for bond in bonds],
        "addresses_vlans": [{**_address(vlan), "id": vlan.vlan, "link": vlan.link} for vlan in vlans],
    }


def _address(port: AddressedPort) -> Variables:
    """Return an address as templates take it: with its parts, which plain Jinja2 cannot work out."""
    own = IPv4Interface(port.address)
    return {
        "name": port.name,
        "address": port.address,
        "ip": str(own.ip),
        "network": str(own.network),
        "gateway": port.gateway,
        "mtu_bytes": port.mtu_bytes,
        "default_route": port.default_route,
        "table": port.table,
        "rail": port.rail,
        "to": list(port.to),
    }


def _nic_roce(roce: HostRoce | None) -> Variables:
    return {
        "nic_roce_ports": [asdict(port) for port in roce.ports] if roce else [],
        "nic_roce_provider": roce.tool if roce else None,
        "nic_roce_priority": roce.priority if roce else None,
        "nic_roce_dscp": roce.dscp if roce else None,
        "nic_roce_cnp_priority": roce.cnp_priority if roce else None,
        "nic_roce_cnp_dscp": roce.cnp_dscp if roce else None,
        "nic_roce_bandwidth_percent": roce.bandwidth_percent if roce else None,
    }


def _software(intent: HostIntent) -> Variables:
    return {
        "gpu_driver_vendor": intent.gpus.vendor,
        "gpu_driver_version": intent.gpus.version,
        "gpu_driver_fabric_manager": intent.gpus.fabric_manager,
        "gpu_driver_count": intent.gpus.count,
        "container_runtime_enabled": intent.containers,
        "container_runtime_version": intent.container_runtime_version,
        "kubernetes_node_version": intent.kubernetes_version,
    }
