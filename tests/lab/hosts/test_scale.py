"""The rule that makes a site small enough for one machine, and the hosts that are left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lab.hosts.from_plan import lab_hosts
from lab.hosts.smbios import slot_records
from lab.spec.from_plan import lab_site
from lab.spec.scale import scaled
from rackproof.hardware.load import Catalogue
from rackproof.paths import ROOT, site_file
from rackproof.plan.build import build_plan
from rackproof.site.load import load_site
from rackproof.site.models import Site

if TYPE_CHECKING:
    from pathlib import Path

    from lab.hosts.machine import HostSpec

CATALOGUE = Catalogue()


def site(path: Path) -> Site:
    return load_site(path).site


def planned_hosts(asked: Site) -> tuple[HostSpec, ...]:
    plan = build_plan(scaled(asked, CATALOGUE), CATALOGUE)
    return lab_hosts(plan, lab_site(plan, CATALOGUE), CATALOGUE)


def test_two_servers_with_two_rails_are_left_of_metrum_h200() -> None:
    hosts = planned_hosts(site(site_file("metrum-h200")))

    assert [host.name for host in hosts] == ["gpu-001", "gpu-002"]
    ports = [(one.end.port, one.slot, one.port, one.bus, one.rdma) for one in hosts[0].nics]
    assert ports == [
        ("rail0", 32, 0, 0x9C, True),
        ("rail1", 32, 1, 0x9C, True),
        ("frontend0", 31, 0, 0x9D, False),
        ("frontend1", 31, 1, 0x9D, False),
    ]
    assert (hosts[0].vendor, hosts[0].product, hosts[0].gpus) == ("Dell", "PowerEdge XE9680", "8x NVIDIA H200 SXM")


def test_adapters_of_one_port_are_two() -> None:
    """Spectrum-X has one rail an adapter: two rails are two adapters, on two switches; storage takes the others."""
    hosts = planned_hosts(site(site_file("dell-xe9680-spectrum-x")))

    carriers = [one.end.port for one in hosts[0].nics if one.rdma]
    assert carriers == ["rail0", "rail1", "frontend0", "frontend1"]
    assert len({one.slot for one in hosts[0].nics if one.end.port.startswith("rail")}) == 2


def test_a_slot_whose_address_nobody_knows_is_told_by_the_firmware_all_the_same() -> None:
    """Discovery goes by slots: an adapter without a record of its slot would be nobody's."""
    (server, *_) = planned_hosts(site(site_file("dell-era-2-4-3")))

    assert {nic.slot: nic.bus for nic in server.nics} == {1: 0x41, 2: 0x42, 7: 0x47}
    assert len(slot_records(server.nics)) == 3


def test_no_more_hosts_than_a_machine_carries() -> None:
    assert [host.name for host in planned_hosts(site(site_file("dell-xe9680-spectrum-x")))] == [
        "gpu-001",
        "gpu-002",
        "head-001",
        "head-002",
    ]


def test_the_two_leaf_site_keeps_its_spines() -> None:
    plan = build_plan(scaled(site(ROOT / "lab" / "sites" / "clos" / "site.yaml"), CATALOGUE), CATALOGUE)

    assert {"backend-leaf-01", "backend-leaf-03", "backend-spine-01", "backend-spine-02"} <= set(plan.switches)


def test_pins_of_server_ports_go_and_those_of_switches_stay() -> None:
    document = site(site_file("metrum-h200")).model_dump(mode="json", exclude_unset=True)
    pins = {"ports": {"gpu-001:rail9": "backend-leaf-01/Eth1/1/1"}, "addresses": {"oob-leaf-01": "10.30.0.9"}}
    small = scaled(Site.model_validate({**document, "pin": pins}), CATALOGUE)

    assert small.pin.ports == {}
    assert list(small.pin.addresses) == ["oob-leaf-01"]


def test_hosts_of_the_lab_have_the_rdma_drivers_of_their_system() -> None:
    document = site(site_file("metrum-h200")).model_dump(mode="json", exclude_unset=True)
    document["servers"][0]["rdma_stack"] = "broadcom"

    small = scaled(Site.model_validate(document), CATALOGUE)

    assert (small.servers[0].os, small.servers[0].rdma_stack) == ("debian-12", None)


@pytest.mark.parametrize(("asked", "left"), [(1, 1), (4, 2)])
def test_a_site_is_never_made_larger(asked: int, left: int) -> None:
    small = scaled(site(site_file("metrum-h200")), CATALOGUE, servers=asked)

    assert small.servers[0].count == left
