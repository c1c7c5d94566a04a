"""What perftest prints and adapters count is read for what it is, whoever made it."""

from __future__ import annotations

import pytest

from rackproof.measure.counters.nic_counters import nic_counters
from rackproof.measure.traffic.perftest import (
    Abilities,
    Endpoint,
    NotPerftestError,
    Options,
    abilities,
    parse,
    path_mtu,
    perftest_command,
)
from rackproof.measure.traffic.rail_ports import host_inventory, nearest_accelerator

# Laid out by src/perftest_parameters.{c,h} of perftest 4.5 (RESULT_FMT_G, REPORT_FMT); a ConnectX-7 at 400 Gb/s.
BANDWIDTH = """
---------------------------------------------------------------------------------------
                    RDMA_Write BW Test
 Dual-port       : OFF		Device         : rail3
 Number of qps   : 4		Transport type : IB
 Connection type : RC		Using SRQ      : OFF
 PCIe relax order: ON
 ibv_wr* API     : ON
 TX depth        : 128
 CQ Moderation   : 1
 Mtu             : 4096[B]
 Link type       : Ethernet
 GID index       : 3
 Max inline data : 0[B]
 rdma_cm QPs	 : OFF
 Data ex. method : Ethernet
---------------------------------------------------------------------------------------
 local address: LID 0000 QPN 0x0122 PSN 0x4e1a9f RKey 0x1804fd VAddr 0x007f
 GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:10:03:16
---------------------------------------------------------------------------------------
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 1048576    95364            391.90             388.41 		   0.046302
---------------------------------------------------------------------------------------
"""
LATENCY = """
                    RDMA_Read Latency Test
 Dual-port       : OFF		Device         : rail3
 Number of qps   : 1		Transport type : IB
 Connection type : RC		Using SRQ      : OFF
 Mtu             : 4096[B]
 Link type       : Ethernet
 GID index       : 3
 Outstand reads  : 16
---------------------------------------------------------------------------------------
 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]
 8       10000          4.01           11.70        4.12     	       4.15        	0.11   		4.60    		8.21
---------------------------------------------------------------------------------------
"""  # noqa: E501 as it is printed


def test_average_is_read_and_not_the_peak() -> None:
    found = parse("ib_write_bw", BANDWIDTH)

    assert (found.average, found.best, found.messages) == (388.41, 391.9, 95364)
    assert (found.transport, found.link, found.connection, found.mtu_bytes, found.gid_index) == (
        "IB", "Ethernet", "RC", 4096, 3,
    )  # fmt: skip


def test_latency_is_read_with_its_percentile() -> None:
    found = parse("ib_read_lat", LATENCY)

    assert (found.average, found.best, found.percentile_99) == (4.15, 4.01, 4.6)


@pytest.mark.parametrize("text", ["", "Couldn't connect to 10.10.3.16:18515\n", BANDWIDTH.partition(" 1048576")[0]])
def test_what_is_no_result_is_said(text: str) -> None:
    with pytest.raises(NotPerftestError, match="printed no results"):
        parse("ib_write_bw", text)


def test_commands_mark_as_planned_and_leave_from_their_own_address() -> None:
    options = Options("ib_write_bw", 1 << 20, 100, 26, queue_pairs=4, both_ways=True)
    endpoint = Endpoint("rail3", 3, "10.10.3.16", "--use_cuda_bus_id=0000:1b:00.0")
    able = Abilities(binds_source=True, accelerators=frozenset())

    listen, send = (
        perftest_command(options, endpoint, 18518, able),
        perftest_command(options, endpoint, 18518, able, server="10.10.3.17"),
    )

    assert " ".join(send) == (
        "ib_write_bw --ib-dev rail3 --port 18518 --size 1048576 --iters 100 --qp-timeout 18 --CPU-freq --gid-index 3 "
        "--tclass 106 --qp 4 --report_gbits --bidirectional --use_cuda_bus_id=0000:1b:00.0 "
        "--bind_source_ip 10.10.3.16 10.10.3.17"
    )
    assert listen == send[:-3]


def test_infiniband_has_no_gid_and_an_old_perftest_no_source_address() -> None:
    able = abilities("  -d, --ib-dev=<dev>\n")
    options = Options("ib_read_lat", 8, 10_000, 0)

    assert perftest_command(options, Endpoint("mlx5_0", None, "10.0.0.1"), 18515, able, server="10.0.0.2")[-2:] == [
        "--CPU-freq", "10.0.0.2",
    ]  # fmt: skip


@pytest.mark.parametrize(("mtu", "payload"), [(9216, 4096), (4200, 4096), (4092, 2048), (1500, 1024), (0, 1024)])
def test_path_mtu_is_what_a_port_has_room_for(mtu: int, payload: int) -> None:
    assert path_mtu(mtu) == payload


def test_counters_of_three_drivers_come_under_one_name() -> None:
    mlx5 = {
        "rdma": {"port_xmit_data": 1000, "port_rcv_data": 500, "np_cnp_sent": 7, "rp_cnp_handled": 8,
                 "np_ecn_marked_roce_packets": 9, "packet_seq_err": 1, "local_ack_timeout_err": 2},
        "ethtool": {"rx_prio3_pause": 4, "tx_prio3_pause": 5, "rx_prio3_bytes": 600, "rx_discards_phy": 6,
                    "rx_prio3_pause_duration": 99},
        "net": {"carrier_changes": 3},
    }  # fmt: skip
    bnxt = {
        "rdma": {"tx_roce_only_bytes": 4000, "rx_roce_only_bytes": 2000, "tx_bytes": 9999, "tx_cnp_pkts": 7,
                 "rx_cnp_pkts": 8, "rx_ecn_marked_pkts": 9, "seq_err_naks_rcvd": 1, "to_retransmits": 2},
        "ethtool": {"rx_pfc_ena_frames_pri3": 4, "tx_pfc_ena_frames_pri3": 5, "rx_bytes_pri3": 600,
                    "rx_total_discard_pkts": 6},
        "net": {"carrier_changes": 3},
    }  # fmt: skip
    rxe = {
        "rdma": {"sent_pkts": 12, "rcvd_pkts": 11, "rcvd_seq_err": 1, "completer_retry_err": 2},
        "ethtool": {},
        "net": {},
    }

    one, other = nic_counters(mlx5), nic_counters(bnxt)
    assert one == other
    assert (one.sent_bytes, one.received_bytes, one.sent_again, one.discarded) == (4000, 2000, 3, 6)
    assert (one.pause_received, one.pause_sent, one.priority_received_bytes) == ({3: 4}, {3: 5}, {3: 600})
    software = nic_counters(rxe)
    assert (software.sent_packets, software.received_packets, software.sent_again) == (12, 11, 3)
    assert (software.sent_bytes, software.cnp_sent, software.pause_sent) == (None, None, {})


def test_an_adapter_that_was_reset_is_not_taken_for_a_difference() -> None:
    before = nic_counters({"rdma": {"sent_pkts": 12}, "ethtool": {}, "net": {}})
    after = nic_counters({"rdma": {"sent_pkts": 3}, "ethtool": {}, "net": {}})

    with pytest.raises(ValueError, match="sent_packets went back from 12 to 3"):
        after.since(before)


GIDS = ((0, "fe80::1"), (5, "::ffff:10.0.0.1"))


def test_nearest_accelerator_shares_the_longest_way() -> None:
    row = {
        "netdev": "rail3", "driver": "mlx5_core", "state": "", "physical_state": "", "rate": "", "link_layer": "",
        "guid": "", "lid": "", "mtu": "9000", "pci": ["0000:15:01.0", "0000:16:00.0", "0000:18:00.0"],
        "gids": [{"index": index, "gid": gid, "type": "RoCE v2"} for index, gid in GIDS],
    }  # fmt: skip
    paths = [["0000:97:01.0", "0000:9a:00.0"], ["0000:15:01.0", "0000:16:00.0", "0000:19:00.0"]]
    found = host_inventory({"devices": {"rail3": row}, "gpus": [{"vendor": "nvidia", "pci": path} for path in paths]})
    device = found.devices["rail3"]

    assert nearest_accelerator(found, device, "nvidia") == ("0000:19:00.0", 1)
    assert nearest_accelerator(found, device, "amd") is None
    assert (device.gid_index("10.0.0.1"), device.gid_index("10.0.0.2")) == (5, None)
