"""What traffic is told by, and what counts as carried."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv4Address
from typing import Final

import pytest

from lab.errors import LabError
from lab.spec.models import LabEnd
from lab.traffic.bandwidth import PAYLOAD_BYTES, RailEnd, RailPair, RailResult
from lab.traffic.nfs import NfsResult, transport_and_version
from lab.traffic.rails import gid_index, parse_rdma_ports

# As a host printed it: index 0 is the link-local address, which no router passes on.
LOOK: Final = """[{"device": "rxe0", "netdev": "enp156s0f0", "mac": "02:20:67:2a:4f:db", "gids": [
  {"index": 0, "gid": "fe80:0000:0000:0000:0020:67ff:fe2a:4fdb", "kind": "RoCE v2"},
  {"index": 1, "gid": "0000:0000:0000:0000:0000:ffff:0a0a:0010", "kind": "IB/RoCE v1"},
  {"index": 2, "gid": "0000:0000:0000:0000:0000:ffff:0a0a:0010", "kind": "RoCE v2"}]}]"""
# Linux 6.1, /proc/self/mountstats, shortened.
MOUNTSTATS: Final = """device 10.10.0.16:/srv/data mounted on /run/rackproof-traffic with fstype nfs4 statvers=1.1
\topts:\trw,vers=4.1,rsize=1048576,wsize=1048576,namlen=255,acregmin=3,hard,proto=rdma,port=20049,timeo=600
\tage:\t1
\txprt:\trdma 0 0 1 1 1 25 25 0 25 0 2 34 3 0 0
"""
LEAF: Final = "backend-leaf-01"


def pair(far_switch: str = LEAF) -> RailPair:
    near, far = (
        RailEnd(
            host, "rail0", "02:00:00:00:00:01", IPv4Address(f"10.10.0.{number}"), LabEnd(switch, f"Eth1/1/{number}")
        )
        for number, (host, switch) in enumerate((("gpu-001", LEAF), ("gpu-002", far_switch)), start=1)
    )
    return RailPair(0, near, far, dscp=26, queue=3)


def sent(far_switch: str = LEAF, between: dict[LabEnd, int] | None = None) -> RailResult:
    return RailResult(pair(far_switch), 0.3, PAYLOAD_BYTES, PAYLOAD_BYTES, 6400, between or {})


def test_the_roce_address_is_found_by_kind_and_value() -> None:
    port = parse_rdma_ports(LOOK)["02:20:67:2a:4f:db"]

    assert gid_index("gpu-001", "rail0", port, IPv4Address("10.10.0.16")) == ("rxe0", 2)


def test_a_rail_without_its_address_is_told() -> None:
    port = parse_rdma_ports(LOOK)["02:20:67:2a:4f:db"]

    with pytest.raises(LabError, match=r"rail0 \(enp156s0f0\) has not the address 10.10.0.99, or is down"):
        gid_index("gpu-001", "rail0", port, IPv4Address("10.10.0.99"))
    with pytest.raises(LabError, match="no RDMA device on the port that is rail1"):
        gid_index("gpu-001", "rail1", None, IPv4Address("10.10.0.16"))


def test_a_rail_carries_when_its_switch_counted_everything_in_the_lossless_queue() -> None:
    assert sent().carried
    assert not replace(sent(), lossless_packets=0).carried
    assert not replace(sent(), out_of_fabric_bytes=PAYLOAD_BYTES - 1).carried
    assert not replace(sent(), error="ib_write_bw said something").carried


def test_between_two_leaves_the_spines_must_have_counted_it() -> None:
    uplink, spines = LabEnd(LEAF, "Eth1/30"), [LabEnd(f"backend-spine-0{number}", "Eth1/2") for number in (1, 2)]
    over_both = {uplink: PAYLOAD_BYTES, spines[0]: PAYLOAD_BYTES // 2, spines[1]: PAYLOAD_BYTES // 2}

    assert sent("backend-leaf-02", over_both).carried
    assert sent("backend-leaf-02", over_both).spines == {end.device: PAYLOAD_BYTES // 2 for end in spines}
    assert not sent("backend-leaf-02", {uplink: PAYLOAD_BYTES}).carried


def test_a_mount_is_what_the_kernel_says_it_is() -> None:
    assert transport_and_version(MOUNTSTATS) == ("rdma", "4.1")
    assert NfsResult("a", "b", *transport_and_version(MOUNTSTATS)).carried
    assert not NfsResult("a", "b", *transport_and_version(MOUNTSTATS.replace("xprt:\trdma", "xprt:\ttcp"))).carried
    assert not NfsResult("a", "b", *transport_and_version("")).carried
