"""Links of servers: each fault, and the one check that names it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest

from rackproof.facts.fact import Answer
from rackproof.facts.hosts import interfaces, rdma
from tests.validation.faults import NVIDIA, Fault, all_pass, fault_names, good, server, shown
from tests.validation.recorded import not_passed
from validation.suites import test_links_hosts, test_roce_hosts

if TYPE_CHECKING:
    from pathlib import Path

FAULTS: Final = {
    "a rail that is down": Fault(
        check="test_every_port_is_up",
        subject="gpu-001:rail0",
        says="Expected up. Actual down (DOWN).",
        command=interfaces.ADDRESSES,
        before='"LOWER_UP"], "mtu": 9216, "operstate": "UP"',
        after='"NO-CARRIER"], "mtu": 9216, "operstate": "DOWN"',
        count=1,
    ),
    "an RDMA device that is down": Fault(
        check="test_rdma_device_of_every_rail_is_active",
        subject="gpu-001:rail0",
        says="Expected rdma_rail0 ACTIVE over rail0. Actual rdma_rail0 DOWN over rail0.",
        command=rdma.LINKS,
        before='"ACTIVE"',
        after='"DOWN"',
        count=1,
    ),
    "an RDMA device over another port": Fault(
        check="test_rdma_device_of_every_rail_is_active",
        subject="gpu-001:rail1",
        says="Actual rdma_rail1 ACTIVE over rail9.",
        command=rdma.LINKS,
        before='"netdev": "rail1"',
        after='"netdev": "rail9"',
    ),
    "RDMA replaced by TCP: no RDMA device": Fault(
        check="test_rdma_device_of_every_rail_is_active",
        subject="gpu-001:rail6",
        says="Expected rdma_rail6 ACTIVE over rail6. Actual there is no rdma_rail6.",
        command=rdma.LINKS,
        before='"rdma_rail6"',
        after='"mlx5_6"',
    ),
    "a missing adapter": Fault(
        check="test_every_port_is_up",
        subject="gpu-001:rail6",
        says="Expected up. Actual there is no interface of this name.",
        command=interfaces.ADDRESSES,
        before='"ifname": "rail6"',
        after='"ifname": "enp1s0"',
        untold=(
            "test_speed_is_that_of_the_plan",
            "test_fec_is_that_of_the_cable",
            "test_packets_arrive_undamaged",
            "test_links_do_not_flap",
        ),
    ),
    "half the speed": Fault(
        check="test_speed_is_that_of_the_plan",
        subject="gpu-001:rail4",
        says="Expected 400.0 Gb/s. Actual 200.0 Gb/s.",
        command=interfaces.FILES,
        before="rail4/speed:400000",
        after="rail4/speed:200000",
    ),
    "no error correction": Fault(
        check="test_fec_is_that_of_the_cable",
        subject="gpu-001:rail0",
        says="Expected RS. Actual Off.",
        command=interfaces.FEC,
        before="Active FEC encoding: RS",
        after="Active FEC encoding: Off",
        count=1,
    ),
    "packets that arrive damaged": Fault(
        check="test_packets_arrive_undamaged",
        subject="gpu-001:rail0",
        says="Expected at most 1e-13 packets/bit. Actual 9.59",
        command=interfaces.ADDRESSES,
        before='"errors": 0',
        after='"errors": 70',
        count=1,
    ),
    "a link that flaps": Fault(
        check="test_links_do_not_flap",
        subject="gpu-001:rail5",
        says="Expected at most 4 times. Actual 9 times.",
        command=interfaces.FILES,
        before="rail5/carrier_down_count:1",
        after="rail5/carrier_down_count:9",
    ),
}


def test_a_good_server_passes(tmp_path: Path) -> None:
    all_pass(test_links_hosts, tmp_path, NVIDIA)


@pytest.mark.parametrize("fault", shown(test_links_hosts, FAULTS))
def test_one_check_fails_and_names_the_fault(fault: Fault, tmp_path: Path) -> None:
    fault.happens(test_links_hosts, tmp_path)


def test_a_bond_may_have_one_rdma_device_for_all_its_members(tmp_path: Path) -> None:
    answers = good(NVIDIA)
    links = json.loads(answers[rdma.LINKS].output)
    joined = [
        {**one, "netdev": "frontend-bond0"} if one["netdev"] == "frontend0" else one
        for one in links
        if one["netdev"] != "frontend1"
    ]

    found = server(tmp_path, {**answers, rdma.LINKS: Answer(json.dumps(joined), 0)})

    assert len(joined) == len(links) - 1
    assert not_passed([test_links_hosts, test_roce_hosts], found) == {}


def test_every_check_has_a_fault_in_which_it_fails() -> None:
    assert {fault.check for fault in FAULTS.values()} == fault_names(test_links_hosts)
