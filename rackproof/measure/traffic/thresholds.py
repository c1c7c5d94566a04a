"""Thresholds of RDMA, each with its source, its formula and its physical ceiling."""

from math import log, sqrt
from typing import Final

from rackproof.measure.traffic.perftest import path_mtu
from rackproof.results import Threshold

WIRE_BYTES: Final = 82
"""Bytes of a RoCE v2 packet on the wire besides its payload: preamble and gap 20 (IEEE 802.3), Ethernet header and
FCS 18, IPv4 20, UDP 8, BTH 12, ICRC 4 (InfiniBand Architecture, volume 1, annex A17)."""
OCI: Final = "Oracle oci-hpc, active_healthcheck.py: ib_write_bw on H200 with RoCE, at least 384 of 400 Gb/s"
PRACTICAL: Final = 384 / 392.1
"""OCI's bar as a share of what the wire carries of 400 Gb/s with payloads of 4,096 bytes, which is 392.1 Gb/s."""
AZURE: Final = (
    "Azure azurehpc-health-checks, nd96isr_h200_v5.conf: ib_write_bw with --use_cuda, at least 360 of 400 Gb/s"
)
ACCELERATOR: Final = 360 / 392.1
IMBUE: Final = "imbue-ai/cluster-health, p2p_ib_test.py: bidirectional ib_write_bw, at least 720 of 800 Gb/s"
BOTH_WAYS: Final = 720 / 784.2
"""Of twice 392.1 Gb/s."""
OCI_LATENCY: Final = "Oracle oci-hpc, active_healthcheck.py: ib_write_lat -s 8 -n 10000, at most 5 us"
BALLS: Final = (
    "Raab and Steger, Balls into Bins (1998): the fullest of n bins holds about m/n + sqrt(2 m/n ln n) of m balls"
)


def goodput_gbps(speed_gbps: float, mtu_bytes: int) -> float:
    """Return the most payload in Gb/s that a port carries, for its speed and MTU."""
    payload = path_mtu(mtu_bytes)
    return speed_gbps * payload / (payload + WIRE_BYTES)


def _ceiling_source(mtu_bytes: int) -> str:
    return f"payloads of {path_mtu(mtu_bytes)} bytes in packets with {WIRE_BYTES} bytes of headers, on a port's speed"


def write_floor(speed_gbps: int, mtu_bytes: int) -> Threshold:
    """Return the floor of ``ib_write_bw`` in one direction."""
    return _floor(
        goodput_gbps(speed_gbps, mtu_bytes), mtu_bytes, PRACTICAL, OCI, "384 / 392.1 of what the wire carries"
    )


def both_ways_floor(speed_gbps: int, mtu_bytes: int) -> Threshold:
    """Return the floor of ``ib_write_bw --bidirectional``, both directions together."""
    ceiling = 2 * goodput_gbps(speed_gbps, mtu_bytes)
    return _floor(ceiling, mtu_bytes, BOTH_WAYS, IMBUE, "720 / 784.2 of what the wire carries both ways")


def accelerator_floor(speed_gbps: int, mtu_bytes: int) -> Threshold:
    """Return the floor of ``ib_write_bw`` between the memories of accelerators."""
    ceiling = goodput_gbps(speed_gbps, mtu_bytes)
    return _floor(ceiling, mtu_bytes, ACCELERATOR, AZURE, "360 / 392.1 of what the wire carries")


def _floor(ceiling: float, mtu_bytes: int, share: float, source: str, formula: str) -> Threshold:
    return Threshold(
        value=round(ceiling * share, 1),
        unit="Gb/s",
        comparison="at least",
        source=source,
        formula=formula,
        ceiling=round(ceiling, 1),
        ceiling_source=_ceiling_source(mtu_bytes),
    )


def read_latency_limit() -> Threshold:
    """Return the highest average of ``ib_read_lat``."""
    return Threshold(
        value=10.0,
        unit="us",
        comparison="at most",
        source=OCI_LATENCY,
        formula="2 x 5 us: ib_write_lat shows half a round trip, ib_read_lat a whole one (perftest, rtt_factor)",
    )


def bisection_floor(
    speeds_gbps: float, mtu_bytes: int, oversubscription: float | None, flows: int, paths: int, *, spread: bool
) -> Threshold:
    """Return the floor of all rails of all hosts together.

    Parameters
    ----------
    speeds_gbps
        Sum of the speeds of every port that sends.
    mtu_bytes
        The smallest MTU of these ports.
    oversubscription
        Host bandwidth over inter-switch bandwidth; 1 or less: non-blocking; None: hosts' traffic takes no
        inter-switch link.
    flows, paths
        Flows of a switch over inter-switch links, and the number of these links.
    spread
        Whether no hash makes flows share a link: packets are spread over the links, or there is one switch.
    """
    ceiling = goodput_gbps(speeds_gbps, mtu_bytes) / max(1.0, oversubscription or 1.0)
    share, formula = PRACTICAL, "384 / 392.1 of what the wire carries, over the oversubscription"
    source = OCI
    if not spread and paths > 1:
        mean = flows / paths
        share *= mean / (mean + sqrt(2 * mean * log(paths)))
        formula += f", over how much more than the mean the fullest of {paths} links carries of {flows} hashed flows"
        source = f"{OCI}; {BALLS}"
    return _floor(ceiling, mtu_bytes, share, source, formula)
