"""From the plan of the kept sites to what the lab builds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lab.spec.from_plan import lab_site
from lab.switches.computed_links import ComputedLinks
from lab.switches.device_state import DeviceState, PortState
from rackproof.hardware.load import Catalogue
from rackproof.paths import site_file
from rackproof.plan.from_file import plan_site

if TYPE_CHECKING:
    from lab.spec.models import LabSite


@pytest.fixture(name="h200", scope="module")
def _h200() -> LabSite:
    return lab_site(plan_site(site_file("metrum-h200")).plan, Catalogue())


def test_every_switch_has_the_ports_of_its_model(h200: LabSite) -> None:
    backend = h200.switches["backend-leaf-01"]
    assert backend.hwsku == "Dell-Z9864f-O64"
    assert backend.hash_queue_pair
    assert backend.ports[1].speed_mbps == 800_000
    assert backend.ports[2].native_index == 8
    assert (backend.ports[1].modes["4x200G"].children, backend.ports[1].modes["4x200G"].speed_mbps) == (4, 200_000)
    assert backend.management_address is not None
    assert backend.management_address.endswith("/16")


def test_every_rail_is_cabled_to_a_host_that_does_what_the_plan_says(h200: LabSite) -> None:
    rails = [host for host in h200.hosts if host.end.port.startswith("rail")]
    assert len(rails) == 32
    assert {(host.speed_mbps, host.fec, host.lldp) for host in rails} == {(200_000, "rs", True)}
    ends = {link.b for link in h200.links}
    assert all(host.end in ends for host in rails)


def test_pdus_are_silent_and_management_ports_speak_for_their_switch(h200: LabSite) -> None:
    hosts = {str(host.end): host for host in h200.hosts}
    assert not hosts["r1-pdu-1/mgmt"].lldp
    assert hosts["backend-leaf-01/eth0"].lldp


def test_behind_an_uplink_stands_a_router_with_the_asn_the_plan_expects(h200: LabSite) -> None:
    outside = [host for host in h200.hosts if host.end.device == "outside"]
    assert [(host.end.port, host.asn) for host in outside] == [
        ("frontend-leaf-01 Eth1/32", 64512),
        ("oob-leaf-01 Eth1/52", None),  # a VLAN with a static default route: no BGP
    ]


def test_the_management_port_of_a_switch_lives_and_dies_with_it(h200: LabSite) -> None:
    port = PortState(
        name="Eth1/2",
        native_name="Ethernet1",
        admin_up=True,
        usable=True,
        speed_mbps=1000,
        fec="none",
        mtu_bytes=1500,
        description="backend-leaf-01 mgmt",
        lldp=True,
        ipv6_link_local=False,
        addresses=(),
    )
    oob = DeviceState("oob-leaf-01", {"Eth1/2": port}, None, "02:00:00:00:00:01", "")
    backend = DeviceState("backend-leaf-01", {}, None, "02:00:00:00:00:02", "")
    powered = {"oob-leaf-01": oob, "backend-leaf-01": backend}
    wiring = ComputedLinks(h200.links, h200.hosts, powered.get)
    neighbor = wiring.neighbor("oob-leaf-01", "Eth1/2")
    assert neighbor is not None
    assert (neighbor.device, neighbor.port) == ("backend-leaf-01", "eth0")
    assert all(name.startswith("Eth") for name in wiring.ports("backend-leaf-01"))
    del powered["backend-leaf-01"]
    assert wiring.neighbor("oob-leaf-01", "Eth1/2") is None
