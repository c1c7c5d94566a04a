"""Addressing of servers: each fault, and the one check that names it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from rackproof.facts.hosts import interfaces, routes
from tests.validation.faults import NVIDIA, Fault, all_pass, fault_names, shown
from validation.suites import test_addressing

if TYPE_CHECKING:
    from pathlib import Path

FAULTS: Final = {
    "the address of another server": Fault(
        check="test_every_port_has_its_address_alone",
        subject="gpu-001:rail2",
        says="Expected 10.10.16.16/20. Actual 10.10.16.17/20.",
        command=interfaces.ADDRESSES,
        before='"10.10.16.16"',
        after='"10.10.16.17"',
    ),
    "no address": Fault(
        check="test_every_port_has_its_address_alone",
        subject="gpu-001:rail0",
        says="Actual none.",
        command=interfaces.ADDRESSES,
        before='{"family": "inet", "local": "10.10.0.16", "prefixlen": 20}, ',
        after="",
    ),
    "an MTU mismatch": Fault(
        check="test_mtu_is_that_of_the_fabric",
        subject="gpu-001:rail0",
        says="Expected 9216 bytes. Actual 1500 bytes.",
        command=interfaces.ADDRESSES,
        before='"mtu": 9216',
        after='"mtu": 1500',
        count=1,
    ),
    "no rule for a rail": Fault(
        check="test_what_leaves_from_an_address_leaves_through_its_port",
        subject="gpu-001:rail1",
        says="from 10.10.64.16 by table 101",
        command=routes.RULES,
        before='"10.10.64.16"',
        after='"10.10.64.99"',
    ),
    "a rail's table that leads over another rail": Fault(
        check="test_what_leaves_from_an_address_leaves_through_its_port",
        subject="gpu-001:rail0",
        says="10.10.0.0/17 via 10.10.0.1 on rail1",
        command=routes.ROUTES,
        before='"table": "100", "gateway": "10.10.0.1", "dev": "rail0"',
        after='"table": "100", "gateway": "10.10.0.1", "dev": "rail1"',
    ),
    "a gateway that is silent": Fault(
        check="test_next_hop_answers",
        subject="gpu-001:rail3",
        says="no answer",
        command=routes.NEXT_HOPS,
        before="rail3 10.10.80.1 answers",
        after="rail3 10.10.80.1 silent",
    ),
}


def test_a_good_server_passes(tmp_path: Path) -> None:
    all_pass(test_addressing, tmp_path, NVIDIA)


@pytest.mark.parametrize("fault", shown(test_addressing, FAULTS))
def test_one_check_fails_and_names_the_fault(fault: Fault, tmp_path: Path) -> None:
    fault.happens(test_addressing, tmp_path)


def test_every_check_has_a_fault_in_which_it_fails() -> None:
    assert {fault.check for fault in FAULTS.values()} == fault_names(test_addressing)
