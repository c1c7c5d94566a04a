"""What hosts are meant to be: every server of the inventory's sites, and what each kind of site asks of them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from ipaddress import IPv4Interface, IPv4Network
from pathlib import Path
from typing import Final

import pytest

from rackproof.errors import BadInputError
from rackproof.hardware.load import Catalogue
from rackproof.plan.build import build_plan
from rackproof.plan.from_file import host_sources, plan_site
from rackproof.plan.hosts.intent import host_intent
from rackproof.plan.hosts.sources import HostSources
from rackproof.plan.model.host import HostIntent
from rackproof.site.as_built import AsBuilt, AsBuiltPort, AsBuiltServer
from rackproof.site.load import find_site, site_names

SITES: Final = site_names()
LINUX_NAME_MAX: Final = 15
KERNEL_TABLES: Final = range(253, 256)


@cache
def sources_of(site: str) -> HostSources:
    return host_sources(plan_site(find_site(site)), AsBuilt())


def intent_of(site: str, server: str = "gpu-001") -> HostIntent:
    return host_intent(sources_of(site), server)


def with_group(site: str, **changed: object) -> HostSources:
    """A site whose first group of servers says something else."""
    before = sources_of(site)
    first, *others = before.site.servers
    asked = before.site.model_copy(update={"servers": (first.model_copy(update=changed), *others)})
    return replace(before, site=asked, plan=build_plan(asked, Catalogue()))


@pytest.mark.parametrize("site", SITES)
def test_every_server_can_be_brought_up(site: str) -> None:
    sources = sources_of(site)

    for name, server in sources.plan.servers.items():
        intent = host_intent(sources, name)
        names = [port.name for port in intent.ports] + [port.name for port in intent.addresses]
        tables = [port.table for port in intent.addresses if port.table is not None]
        assert all(len(one) <= LINUX_NAME_MAX for one in names)
        assert len(tables) == len(set(tables))
        assert not set(tables) & set(KERNEL_TABLES)
        assert [port.default_route for port in intent.addresses].count(True) == (not sources.site.hosted)
        planned = {row.address for row in server.ports.values()} | {row.address for row in server.bonds.values()}
        planned |= {row.address for row in server.vlans.values()}
        assert {port.address for port in intent.addresses} <= planned
        assert all(port.address is None or port.rail is None or port.mtu_bytes for port in server.ports.values())


@pytest.mark.parametrize("site", SITES)
def test_hosts_and_switches_have_one_roce(site: str) -> None:
    sources = sources_of(site)

    for name, server in sources.plan.servers.items():
        roce = host_intent(sources, name).roce
        ports = {port.name for port in roce.ports} if roce else set()
        lossless = {
            port.name
            for port in server.ports.values()
            if port.switch and sources.plan.fabrics[port.fabric].roce is not None
        }
        assert ports == lossless
        for port in [server.ports[one] for one in ports]:
            switch = sources.plan.switches[str(port.switch)].intent
            assert roce is not None
            assert switch is not None
            assert switch.roce is not None
            assert roce.dscp in switch.roce.lossless[roce.priority].dscp
            assert (roce.cnp_dscp, roce.cnp_priority) == (switch.roce.cnp_dscp, switch.roce.cnp_priority)


def test_rails_answer_over_their_own_tables() -> None:
    rails = [port for port in intent_of("metrum-h200").addresses if port.rail is not None]

    assert [(port.name, port.table) for port in rails] == [(f"rail{n}", 100 + n) for n in range(16)]
    assert all(IPv4Interface(port.address).network.subnet_of(IPv4Network(port.to[0])) for port in rails)
    assert rails[0].to == ("10.10.0.0/17",)


def test_a_subnet_for_all_rails_has_nothing_beyond_it() -> None:
    rails = [port for port in intent_of("dell-era-2-4-3").addresses if port.rail is not None]

    assert [(port.table, port.to) for port in rails] == [(100, ()), (101, ())]


def test_ports_towards_clients_are_a_bond_with_the_default_route() -> None:
    bond = intent_of("dell-xe9680-spectrum-x").addresses[-1]

    assert (bond.name, bond.members, bond.default_route, bond.table) == (
        "frontend-bond0",
        ("frontend0", "frontend1"),
        True,
        None,
    )


def test_infiniband_has_names_and_no_roce() -> None:
    intent = intent_of("h20044")

    assert intent.roce is None
    assert [port.rdma_device for port in intent.ports[:4]] == [f"rdma_rail{n}" for n in range(4)]
    assert [port.gateway for port in intent.addresses if port.rail is not None] == [None] * 4
    assert intent.kubernetes_version is None


def test_a_hosted_machine_keeps_what_its_provider_gave_it() -> None:
    intent = intent_of("azure-nd-h100", "nd-001")

    assert (intent.ports, intent.addresses, intent.roce, intent.bmc_address, dict(intent.bios)) == (
        (),
        (),
        None,
        None,
        {},
    )
    assert intent.system.kernel_arguments == ()
    assert dict(intent.system.sysctls) == {}
    assert intent.system.acs == "kept"
    assert (intent.gpus.version, intent.gpus.count, intent.containers) == ("580.65.06", 8, True)


@pytest.mark.parametrize(
    ("site", "server", "vendor", "version", "fabric_manager"),
    [
        ("metrum-h200", "gpu-001", "nvidia", "570.195.03", True),
        ("metrum-mi300x", "gpu-001", "amd", "6.1", False),
        ("dell-era-2-4-3", "gpu-001", "nvidia", "570.133.20", False),
        ("h20044", "head-001", "none", None, False),
    ],
)
def test_accelerators(site: str, server: str, vendor: str, version: str | None, *, fabric_manager: bool) -> None:
    gpus = intent_of(site, server).gpus

    assert (gpus.vendor, gpus.version, gpus.fabric_manager) == (vendor, version, fabric_manager)


@pytest.mark.parametrize(
    ("site", "changed", "stack", "version"),
    [
        ("dell-xe9680-spectrum-x", {}, "doca-ofed", "2.10.0"),
        ("dell-xe9680-spectrum-x", {"os": "debian-12"}, "inbox", None),
        ("dell-xe9680-spectrum-x", {"rdma_stack": "inbox"}, "inbox", None),
        ("metrum-h200", {}, "broadcom", "236.1.155.0"),
        ("metrum-h200", {"os": "debian-12"}, "inbox", None),
        ("h20044", {}, "inbox", None),
    ],
)
def test_where_rdma_drivers_come_from(site: str, changed: dict[str, str], stack: str, version: str | None) -> None:
    intent = host_intent(with_group(site, **changed), "gpu-001")

    assert (intent.rdma_stack, intent.rdma_stack_version) == (stack, version)


def test_the_tool_is_that_of_the_stack() -> None:
    nvidia, broadcom = intent_of("dell-xe9680-spectrum-x").roce, intent_of("metrum-h200").roce

    assert nvidia is not None
    assert broadcom is not None
    assert (nvidia.tool, broadcom.tool) == ("mlnx_qos", "dcb")
    assert {port.adaptive_routing for port in nvidia.ports if port.name.startswith("rail")} == {True}
    assert {port.adaptive_routing for port in nvidia.ports if port.name.startswith("frontend")} == {False}


def test_servers_mount_from_different_nodes() -> None:
    firsts = [intent_of("dell-xe9680-spectrum-x", f"gpu-00{n}").mounts[0].servers for n in (1, 2, 3, 4)]

    assert [servers[0] for servers in firsts] == ["10.20.0.24", "10.20.0.25", "10.20.0.26", "10.20.0.24"]
    assert {frozenset(servers) for servers in firsts} == {frozenset(("10.20.0.24", "10.20.0.25", "10.20.0.26"))}


@pytest.mark.parametrize(
    ("site", "port", "options"),
    [
        ("dell-xe9680-spectrum-x", 20049, {"proto=rdma", "port=20049", "vers=4.1"}),
        ("dell-era-2-4-3", 2049, {"proto=tcp", "nconnect=8", "vers=4.1"}),
    ],
)
def test_how_storage_is_mounted(site: str, port: int, options: set[str]) -> None:
    (mount,) = intent_of(site).mounts

    assert (mount.path, mount.export, mount.port) == ("/mnt/scale", "/ifs", port)
    assert options <= set(mount.options)
    assert any(option.startswith("nconnect") for option in mount.options) == (port == 2049)


@pytest.mark.parametrize(
    ("site", "server", "group"),
    [
        ("metrum-h200", "gpu-002", "gpu-002"),
        ("h20044", "head-002", "head"),
        ("h20044", "gpu-001", "subnet-managers-backend"),
        ("h20044", "gpu-003", "gpu-003"),
    ],
)
def test_who_is_never_rebooted_together(site: str, server: str, group: str) -> None:
    assert intent_of(site, server).redundancy_group == group


def test_growth_changes_no_host_that_is_there() -> None:
    sources = sources_of("dell-era-2-8-9")
    grown = with_group("dell-era-2-8-9", count=9)

    for name in sources.plan.servers:
        assert host_intent(grown, name) == host_intent(sources, name)


def test_what_was_found_goes_into_the_names() -> None:
    found = AsBuiltPort(slot=32, pci_address="0000:9c:00.0", mac_address="02:00:00:00:00:01", device_id="14e4:1760")
    virtual = found.model_copy(update={"pci_address": "0000:9c:00.1", "device_id": "1af4:1041"})
    record = AsBuilt(servers={"gpu-001": AsBuiltServer(ports={"rail0": found, "rail1": virtual})})

    intent = host_intent(replace(sources_of("metrum-h200"), as_built=record), "gpu-001")

    assert [(port.pci_address, port.mac_address, port.driver) for port in intent.ports[:3]] == [
        ("0000:9c:00.0", "02:00:00:00:00:01", "bnxt_en"),
        ("0000:9c:00.1", "02:00:00:00:00:01", "virtio_net"),
        (None, None, "bnxt_en"),
    ]
    assert intent.roce is not None
    assert [(port.driver, port.device_id) for port in intent.roce.ports[:2]] == [
        ("bnxt_en", "1760"),
        ("virtio_net", "1041"),
    ]


def test_arguments_of_the_site_come_after_those_of_the_model() -> None:
    sources = with_group("metrum-h200", kernel_arguments=("mitigations=off", "iommu=pt"))

    assert host_intent(sources, "gpu-001").system.kernel_arguments == (
        "intel_iommu=on",
        "iommu=pt",
        "mitigations=off",
    )


def test_firmware_of_the_release() -> None:
    (level,) = intent_of("dell-xe9680-spectrum-x").firmware

    assert (level.component, level.expected, level.device_id) == ("bluefield-firmware", "32.44.1036", "a2dc")
    assert intent_of("metrum-h200").firmware == ()


def test_a_server_that_is_not_there() -> None:
    with pytest.raises(BadInputError, match="no server gpu-009"):
        intent_of("metrum-h200", "gpu-009")


def test_all_sites_are_looked_at() -> None:
    assert len(SITES) == len(list((Path(__file__).parents[3] / "inventory").glob("*/site.yaml")))
