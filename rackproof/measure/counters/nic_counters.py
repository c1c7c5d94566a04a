"""RDMA counters of adapters, under one name each whatever the driver calls them.

Names are those of Linux: drivers/infiniband/hw/mlx5/counters.c and the mlx5 chapter of Documentation/networking/
device_drivers/ethernet (per-priority counters), drivers/infiniband/hw/bnxt_re/hw_counters.c and bnxt_ethtool.c,
drivers/infiniband/sw/rxe/rxe_hw_counters.c.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec import Struct

WORD_BYTES: Final = 4
"""InfiniBand's data counters count words (InfiniBand Architecture, volume 1, 16.1.3.5)."""

_SENT_BYTES: Final = ("tx_roce_only_bytes", "tx_bytes")
_RECEIVED_BYTES: Final = ("rx_roce_only_bytes", "rx_bytes")
_SENT_PACKETS: Final = ("tx_roce_only_pkts", "tx_pkts", "port_xmit_packets", "sent_pkts")
_RECEIVED_PACKETS: Final = ("rx_roce_only_pkts", "rx_pkts", "port_rcv_packets", "rcvd_pkts")
_CNP_SENT: Final = ("np_cnp_sent", "tx_cnp_pkts")
_CNP_RECEIVED: Final = ("rp_cnp_handled", "rx_cnp_pkts")
_ECN_MARKED: Final = ("np_ecn_marked_roce_packets", "rx_ecn_marked_pkts")
_SENT_AGAIN: Final = (
    ("packet_seq_err", "local_ack_timeout_err"),
    ("seq_err_naks_rcvd", "to_retransmits"),
    ("rcvd_seq_err", "completer_retry_err"),
)
"""NAKs and timeouts, after which a lost packet was retransmitted; a group for each driver."""
_DISCARDED: Final = ("rx_discards_phy", "rx_total_discard_pkts")
_LINK_ERRORS: Final = (
    "symbol_error",
    "link_error_recovery",
    "link_downed",
    "port_rcv_errors",
    "port_rcv_remote_physical_errors",
    "local_link_integrity_errors",
    "excessive_buffer_overrun_errors",
)
"""InfiniBand Architecture, volume 1, 16.1.3.5 (PortCounters), as sysfs names them."""
_PAUSE: Final = re.compile(r"(?P<way>[rt]x)_(prio(?P<mlx5>[0-7])_pause|pfc_ena_frames_pri(?P<bnxt>[0-7]))\Z")
_BYTES: Final = re.compile(r"(?P<way>[rt]x)_(prio(?P<mlx5>[0-7])_bytes|bytes_pri(?P<bnxt>[0-7]))\Z")


class NicCounters(Struct, frozen=True):
    """Counters of one RDMA device and its port; None, or an empty mapping: it has no such counter."""

    sent_bytes: int | None
    received_bytes: int | None
    sent_packets: int | None
    received_packets: int | None
    cnp_sent: int | None
    cnp_received: int | None
    ecn_marked: int | None
    """Packets received with a congestion mark."""
    sent_again: int | None
    discarded: int | None
    """Packets dropped for want of a buffer."""
    pause_sent: Mapping[int, int]
    """By priority."""
    pause_received: Mapping[int, int]
    priority_sent_bytes: Mapping[int, int]
    priority_received_bytes: Mapping[int, int]
    corrected_bits: int | None
    """Bits that FEC corrected."""
    wire_bytes: int | None
    """All bytes that the port received, RDMA or not."""
    carrier_changes: int | None
    link_errors: Mapping[str, int]
    """Of an InfiniBand port, by name: symbol errors, recoveries, link losses, damaged packets."""

    @property
    def corrected_share(self) -> float | None:
        """Share of received bits that FEC corrected; None: the port does not count them, or received nothing."""
        if self.corrected_bits is None or not self.wire_bytes:
            return None
        return self.corrected_bits / (8 * self.wire_bytes)

    def since(self, before: "NicCounters") -> "NicCounters":
        """Return the growth of the counters since an earlier reading.

        Raises
        ------
        ValueError
            A counter went back: the adapter was reset meanwhile.
        """
        return NicCounters(
            **{name: _difference(name, getattr(self, name), getattr(before, name)) for name in self.__struct_fields__}
        )


def _difference(name: str, after: Any, before: Any) -> Any:  # noqa: ANN401 a counter, counters by priority, or None
    if isinstance(after, Mapping):
        return {key: _difference(name, value, before.get(key, 0)) for key, value in after.items()}
    if after is None or before is None:
        return None
    if after < before:
        raise ValueError(f"{name} went back from {before} to {after}: was the adapter reset meanwhile?")
    return after - before


def nic_counters(row: Mapping[str, Any]) -> NicCounters:
    """Return the counters of one RDMA device from the report of a host's agent."""
    rdma, ethernet, net = row["rdma"], row["ethtool"], row["net"]
    return NicCounters(
        sent_bytes=_bytes(rdma, _SENT_BYTES, "port_xmit_data"),
        received_bytes=_bytes(rdma, _RECEIVED_BYTES, "port_rcv_data"),
        sent_packets=_first(rdma, _SENT_PACKETS),
        received_packets=_first(rdma, _RECEIVED_PACKETS),
        cnp_sent=_first(rdma, _CNP_SENT),
        cnp_received=_first(rdma, _CNP_RECEIVED),
        ecn_marked=_first(rdma, _ECN_MARKED),
        sent_again=_group_sum(rdma, _SENT_AGAIN),
        discarded=_first(ethernet, _DISCARDED),
        pause_sent=_by_priority(ethernet, _PAUSE, "tx"),
        pause_received=_by_priority(ethernet, _PAUSE, "rx"),
        priority_sent_bytes=_by_priority(ethernet, _BYTES, "tx"),
        priority_received_bytes=_by_priority(ethernet, _BYTES, "rx"),
        link_errors={name: rdma[name] for name in _LINK_ERRORS if name in rdma},
        corrected_bits=ethernet.get("rx_corrected_bits_phy"),
        wire_bytes=ethernet.get("rx_bytes_phy"),
        carrier_changes=net.get("carrier_changes"),
    )


def _first(counts: Mapping[str, int], names: Iterable[str]) -> int | None:
    return next((counts[name] for name in names if name in counts), None)


def _bytes(counts: Mapping[str, int], names: Iterable[str], words: str) -> int | None:
    return counts[words] * WORD_BYTES if words in counts else _first(counts, names)


def _group_sum(counts: Mapping[str, int], groups: Iterable[tuple[str, ...]]) -> int | None:
    """Return the sum of the first group with a counter of the driver; None: there is none."""
    for group in groups:
        found = [counts[name] for name in group if name in counts]
        if found:
            return sum(found)
    return None


def _by_priority(counts: Mapping[str, int], pattern: re.Pattern[str], way: str) -> dict[int, int]:
    matches = ((pattern.match(name), value) for name, value in counts.items())
    return {int(match["mlx5"] or match["bnxt"]): value for match, value in matches if match and match["way"] == way}
