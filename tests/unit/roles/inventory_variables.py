"""Inventory variables as the plan renders them, for three kinds of host."""

from __future__ import annotations

from typing import Any, Final

Variables = dict[str, Any]

GPU_SERVER: Final[Variables] = {
    "host_os": "ubuntu-22.04",
    "host_redundancy_group": "gpu-001",
    "base_hostname": "gpu-001",
    "base_ntp_servers": ["198.51.100.123"],
    "base_dns_servers": ["198.51.100.53"],
    "base_sysctls": {"vm.nr_hugepages": "0", "net.core.rmem_max": "268435456"},
    "base_limits": [{"domain": "*", "type": "-", "item": "memlock", "value": "unlimited"}],
    "base_kernel_arguments": ["iommu=pt", "intel_iommu=on"],
    "base_acs": "disabled",
    "base_hosts": {"gpu-001": "10.20.0.11", "gpu-002": "10.20.0.12"},
    "port_names_ports": [
        {
            "name": f"rail{rail}",
            "slot": 38 - rail,
            "port": 0,
            "pci_address": f"0000:{26 + rail:02x}:00.0",
            "mac_address": None,
            "rdma_device": f"rdma_rail{rail}",
            "driver": "bnxt_en",
        }
        for rail in range(2)
    ],
    "addresses_renderer": "netplan",
    "addresses_ports": [
        {
            "name": f"rail{rail}",
            "address": f"10.10.{rail}.11/24",
            "ip": f"10.10.{rail}.11",
            "network": f"10.10.{rail}.0/24",
            "default_route": False,
            "gateway": f"10.10.{rail}.1",
            "mtu_bytes": 9216,
            "table": 100 + rail,
            "rail": rail,
            "to": ["10.10.0.0/16"],
        }
        for rail in range(2)
    ],
    "addresses_bonds": [
        {
            "name": "bond0",
            "members": ["frontend0", "frontend1"],
            "address": "10.20.0.11/24",
            "ip": "10.20.0.11",
            "network": "10.20.0.0/24",
            "table": None,
            "rail": None,
            "to": [],
            "gateway": "10.20.0.1",
            "mtu_bytes": 9000,
            "default_route": True,
        }
    ],
    "addresses_vlans": [
        {
            "name": "vlan400",
            "id": 400,
            "link": "bond0",
            "address": "10.20.2.16/24",
            "ip": "10.20.2.16",
            "network": "10.20.2.0/24",
            "table": 201,
            "rail": None,
            "to": ["10.20.0.0/16"],
            "gateway": "10.20.2.1",
            "mtu_bytes": 9000,
            "default_route": False,
        }
    ],
    "rdma_stack_provider": "broadcom",
    "rdma_stack_version": None,
    "nic_roce_ports": [
        {
            "name": f"rail{rail}",
            "rdma_device": f"rdma_rail{rail}",
            "driver": "bnxt_en",
            "device_id": "1760",
            "adaptive_routing": False,
            "rail": rail,
        }
        for rail in range(2)
    ],
    "nic_roce_provider": "dcb",
    "nic_roce_priority": 3,
    "nic_roce_dscp": 26,
    "nic_roce_cnp_priority": 6,
    "nic_roce_cnp_dscp": 48,
    "nic_roce_bandwidth_percent": 50,
    "gpu_driver_vendor": "nvidia",
    "gpu_driver_version": "570.195.03",
    "gpu_driver_fabric_manager": True,
    "gpu_driver_count": 8,
    "container_runtime_enabled": True,
    "container_runtime_version": "1.7",
    "kubernetes_node_version": "1.32",
    "storage_client_mounts": [
        {
            "path": "/mnt/scale-out",
            "servers": ["10.20.0.24", "10.20.0.25"],
            "export": "/ifs",
            "protocol": "nfs-rdma",
            "port": 20049,
            "options": ["vers=4.1", "proto=rdma", "port=20049", "hard", "_netdev", "nofail"],
        },
        {
            "path": "/mnt/home",
            "servers": ["10.20.0.30"],
            "export": "/home",
            "protocol": "nfs",
            "port": 2049,
            "options": ["vers=4.1", "proto=tcp", "nconnect=8", "hard", "_netdev", "nofail"],
        },
    ],
    "server_settings_bmc_address": "10.30.128.16",
    "server_settings_bios": {"SysProfile": "PerfOptimized", "SriovGlobalEnable": "Enabled"},
    "firmware_levels": [
        {
            "component": "bluefield-firmware",
            "expected": "32.44.1036",
            "source": "Dell design guide, table 5",
            "vendor_id": "15b3",
            "device_id": "a2dc",
        }
    ],
}


def lab_guest() -> Variables:
    """A guest of the lab: virtio NICs known by MAC, one port to the frontend, no GRUB."""
    rails = [
        {**port, "pci_address": None, "mac_address": f"52:54:00:00:00:{rail:02x}", "driver": "virtio_net"}
        for rail, port in enumerate(GPU_SERVER["port_names_ports"])
    ]
    frontend = {**rails[0], "name": "frontend0", "slot": 40, "mac_address": "52:54:00:00:00:10", "rdma_device": None}
    bond = GPU_SERVER["addresses_bonds"][0]
    address = {**bond, "name": "frontend0", "gateway": None, "mtu_bytes": 1500, "default_route": False}
    del address["members"]
    roce = [{**port, "driver": "virtio_net", "device_id": "1041"} for port in GPU_SERVER["nic_roce_ports"]]
    return {
        **GPU_SERVER,
        "host_os": "debian-12",
        "base_acs": "kept",
        "base_kernel_arguments": [],
        "port_names_ports": [*rails, frontend],
        "addresses_renderer": "networkd",
        "addresses_ports": [
            *GPU_SERVER["addresses_ports"],
            address,
        ],
        "addresses_bonds": [],
        "addresses_vlans": [],
        "rdma_stack_provider": "inbox",
        "nic_roce_ports": roce,
    }


def frontend_only() -> Variables:
    """A server without rails: everything about RDMA is empty."""
    return {
        **GPU_SERVER,
        "host_os": "ubuntu-24.04",
        "port_names_ports": [],
        "addresses_ports": [],
        "nic_roce_ports": [],
        "rdma_stack_provider": "inbox",
        "gpu_driver_vendor": "none",
        "gpu_driver_version": None,
        "gpu_driver_fabric_manager": False,
        "gpu_driver_count": 0,
        "container_runtime_enabled": False,
        "container_runtime_version": None,
        "kubernetes_node_version": None,
        "storage_client_mounts": [],
        "server_settings_bios": {},
        "firmware_levels": [],
    }


def amd_server() -> Variables:
    """A server with AMD's GPUs, whose storage is reached with DOCA-OFED."""
    return {
        **GPU_SERVER,
        "gpu_driver_vendor": "amd",
        "gpu_driver_version": "6.1",
        "gpu_driver_fabric_manager": False,
    }


HOSTS: Final = {
    "gpu-server": GPU_SERVER,
    "lab-guest": lab_guest(),
    "frontend-only": frontend_only(),
    "amd": amd_server(),
}
