"""RoCE on servers: each fault, and the one check that names it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from rackproof.facts.hosts import dcb, rdma
from tests.validation.faults import BROADCOM, NVIDIA, Fault, all_pass, fault_names, shown
from validation.suites import test_roce_hosts

if TYPE_CHECKING:
    from pathlib import Path

RAIL2: Final = "rdma_rail2/ports/1"
MOVED: Final = f"""{RAIL2}/gid_attrs/types/5:RoCE v2
/sys/class/infiniband/{RAIL2}/gid_attrs/ndevs/5:rail2
/sys/class/infiniband/{RAIL2}/gids/5:"""
FAULTS: Final = {
    "DSCP of one adapter is not trusted": Fault(
        check="test_dscp_has_the_lossless_priority",
        subject="gpu-001:rail0",
        says="Actual DSCP is not trusted.",
        command=dcb.MLNX_QOS,
        before="trust state: dscp",
        after="trust state: pcp",
        count=1,
    ),
    "wrong DSCP on one adapter": Fault(
        check="test_dscp_has_the_lossless_priority",
        subject="gpu-001:rail0",
        says="Expected DSCP 26 has priority 3. Actual DSCP 26 has no priority of its own.",
        command=dcb.DCB,
        before="dscp-prio 26:3 48:6",
        after="dscp-prio 24:3 48:6",
        count=1,
        site=BROADCOM,
    ),
    "notifications among the rest": Fault(
        check="test_notifications_have_their_priority",
        subject="gpu-001:rail0",
        says="Expected DSCP 48 has priority 6. Actual DSCP 48 has priority 0.",
        command=dcb.DCB,
        before="26:3 48:6",
        after="26:3 48:0",
        count=1,
        site=BROADCOM,
    ),
    "PFC off": Fault(
        check="test_pfc_is_on_for_the_lossless_priority_alone",
        subject="gpu-001:rail0",
        says="Expected 3. Actual none.",
        command=dcb.MLNX_QOS,
        before="enabled     0   0   0   1",
        after="enabled     0   0   0   0",
        count=1,
    ),
    "PFC for one priority too many": Fault(
        check="test_pfc_is_on_for_the_lossless_priority_alone",
        subject="gpu-001:rail0",
        says="Expected 3. Actual 0, 3.",
        command=dcb.DCB,
        before="prio-pfc 0:off",
        after="prio-pfc 0:on",
        count=1,
        site=BROADCOM,
    ),
    "a class shared with others": Fault(
        check="test_lossless_priority_has_a_class_of_its_own",
        subject="gpu-001:rail0",
        says="Expected priority 3, 50 % of the bandwidth. Actual priority 3, priority 6, 50 % of the bandwidth.",
        command=dcb.DCB,
        before="3:1 4:0 5:0 6:2",
        after="3:1 4:0 5:0 6:1",
        count=1,
        site=BROADCOM,
    ),
    "a share of the bandwidth that is too small": Fault(
        check="test_lossless_priority_has_a_class_of_its_own",
        subject="gpu-001:rail0",
        says="Actual priority 3, 10 % of the bandwidth.",
        command=dcb.DCB,
        before="tc-bw 0:50 1:50",
        after="tc-bw 0:90 1:10",
        count=1,
        site=BROADCOM,
    ),
    "congestion control off on an NVIDIA adapter": Fault(
        check="test_congestion_control_is_on",
        subject="gpu-001:rail0",
        says="reacts on: 0, 1, 2, 4, 5, 6, 7",
        command=dcb.FILES,
        before="roce_rp/enable/3:1",
        after="roce_rp/enable/3:0",
        count=1,
    ),
    "congestion control off on a Broadcom adapter": Fault(
        check="test_congestion_control_is_on",
        subject="gpu-001:rail0",
        says="sends for: none",
        command=dcb.FILES,
        before="ecn_enable:0x1",
        after="ecn_enable:0x0",
        count=1,
        site=BROADCOM,
    ),
    "connections without a mark": Fault(
        check="test_connections_are_marked",
        subject="gpu-001:rail0",
        says="Expected RoCE v2, ToS 104 (DSCP 26). Actual RoCE v2, ToS 0 (DSCP 0).",
        command=rdma.MARKS,
        before="default_roce_tos:104",
        after="default_roce_tos:0",
        count=1,
    ),
    "connections with RoCE v1": Fault(
        check="test_connections_are_marked",
        subject="gpu-001:rail0",
        says="Actual IB/RoCE v1, ToS 104",
        command=rdma.MARKS,
        before="mode:RoCE v2",
        after="mode:IB/RoCE v1",
        count=1,
    ),
    "no GID for the address": Fault(
        check="test_gid_of_the_address_is_found",
        subject="gpu-001:rail0",
        says="Expected 10.10.0.16 over rail0. Actual none.",
        command=rdma.GIDS,
        before="gids/3:0000:0000:0000:0000:0000:ffff:0a0a:0010",
        after="gids/3:0000:0000:0000:0000:0000:ffff:0a0a:00ff",
        count=1,
    ),
    "a GID index that moved": Fault(
        check="test_gid_index_is_the_same_on_every_rail",
        subject="gpu-001:rail2",
        says="Expected GID index 3. Actual GID index 5.",
        command=rdma.GIDS,
        before="rdma_rail2/ports/1/gids/3:",
        after=MOVED,
    ),
    "a small RDMA MTU": Fault(
        check="test_rdma_mtu_is_the_largest_that_fits",
        subject="gpu-001:rail0",
        says="Expected 4096 bytes. Actual 1024 bytes.",
        command=rdma.MTUS,
        before="active_mtu:\t\t4096 (5)",
        after="active_mtu:\t\t1024 (3)",
        count=1,
    ),
}


def test_a_good_server_passes(tmp_path: Path) -> None:
    all_pass(test_roce_hosts, tmp_path, NVIDIA, BROADCOM)


@pytest.mark.parametrize("fault", shown(test_roce_hosts, FAULTS))
def test_one_check_fails_and_names_the_fault(fault: Fault, tmp_path: Path) -> None:
    fault.happens(test_roce_hosts, tmp_path)


def test_every_check_has_a_fault_in_which_it_fails() -> None:
    assert {fault.check for fault in FAULTS.values()} == fault_names(test_roce_hosts)
