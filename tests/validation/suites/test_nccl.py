"""NCCL on servers: each fault, and the one check that names it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from rackproof.facts.hosts import nccl, rdma
from tests.validation.faults import NVIDIA, Fault, all_pass, edited, fault_names, good, server, shown
from tests.validation.recorded import not_passed
from validation.suites import test_nccl

if TYPE_CHECKING:
    from pathlib import Path

FAULTS: Final = {
    "another traffic class": Fault(
        check="test_traffic_class_is_that_of_the_fabric",
        subject="gpu-001",
        says="Expected NCCL_IB_TC=104 (DSCP 26). Actual NCCL_IB_TC=96 in /etc/nccl.conf (DSCP 24).",
        command=nccl.FILES,
        before="NCCL_IB_TC=104",
        after="NCCL_IB_TC=96",
    ),
    "no traffic class": Fault(
        check="test_traffic_class_is_that_of_the_fabric",
        subject="gpu-001",
        says="Actual NCCL_IB_TC is not set.",
        command=nccl.FILES,
        before="/etc/nccl.conf:NCCL_IB_TC=104\n",
        after="",
    ),
    "a session that says otherwise": Fault(
        check="test_traffic_class_is_that_of_the_fabric",
        subject="gpu-001",
        says="NCCL_IB_TC=0 in /etc/environment (DSCP 0)",
        command=nccl.FILES,
        before="/etc/nccl.conf:NCCL_IB_TC",
        after='/etc/environment:NCCL_IB_TC="0"\n/etc/nccl.conf:NCCL_IB_TC',
    ),
    "a rail left out": Fault(
        check="test_devices_are_the_rails",
        subject="gpu-001",
        says="Actual =rdma_rail0,rdma_rail1,rdma_rail2,rdma_rail3,rdma_rail4,rdma_rail5,rdma_rail6.",
        command=nccl.FILES,
        before=",rdma_rail7",
        after="",
    ),
    "RDMA replaced by TCP": Fault(
        check="test_nothing_keeps_it_off_rdma",
        subject="gpu-001",
        says="Expected none. Actual NCCL_IB_DISABLE=1 in /etc/profile.d/jobs.sh.",
        command=nccl.FILES,
        before="/etc/nccl.conf:NCCL_IB_TC",
        after="/etc/profile.d/jobs.sh:export NCCL_IB_DISABLE=1\n/etc/nccl.conf:NCCL_IB_TC",
    ),
}


def test_a_good_server_passes(tmp_path: Path) -> None:
    all_pass(test_nccl, tmp_path, NVIDIA)


@pytest.mark.parametrize("fault", shown(test_nccl, FAULTS))
def test_one_check_fails_and_names_the_fault(fault: Fault, tmp_path: Path) -> None:
    fault.happens(test_nccl, tmp_path)


@pytest.mark.shows_failing("nccl/no-gid-index-is-assumed")
def test_a_gid_index_that_moved_is_named_on_the_rail_where_it_did(tmp_path: Path) -> None:
    told = edited(good(NVIDIA), nccl.FILES, "NCCL_IB_TC", "NCCL_IB_GID_INDEX=3\n/etc/nccl.conf:NCCL_IB_TC")
    moved = edited(told, rdma.GIDS, "rdma_rail2/ports/1/gids/3:", "rdma_rail2/ports/1/gids/1:")

    assert not_passed([test_nccl], server(tmp_path / "told", told)) == {}
    (said,) = not_passed([test_nccl], server(tmp_path / "moved", moved))["nccl/no-gid-index-is-assumed"]
    assert said.startswith("failed gpu-001:rail2: Expected NCCL_IB_GID_INDEX not set, or 1")
    assert said.endswith("Actual NCCL_IB_GID_INDEX=3 in /etc/nccl.conf.")


def test_every_check_has_a_fault_in_which_it_fails() -> None:
    moved = test_nccl.test_no_gid_index_is_assumed.__name__

    assert {moved, *(fault.check for fault in FAULTS.values())} == fault_names(test_nccl)
