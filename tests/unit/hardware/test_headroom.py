"""The headroom of the SN5600 agrees with the formula that SONiC publishes for NVIDIA's switches."""

from __future__ import annotations

import math
from typing import Final

import pytest

from rackproof.hardware.load import Catalogue

PAUSE_QUANTA: Final = {800: 905, 400: 905, 200: 453, 100: 394, 50: 147, 40: 118, 25: 80, 10: 67}
CELL_BYTES: Final = 192


def computed_xoff_bytes(speed_gbps: int, cable_length_m: int) -> int:
    """SONiC's formula for the headroom of a Spectrum switch (dynamically-headroom-calculation.md).

    What travels while a pause takes effect, times the worst case of 64 byte packets in 192 byte cells, and one
    RoCE packet of the peer; a frame of 9100 bytes, and 1 KiB for MAC and PHY.
    """
    on_cable = 2 * cable_length_m * speed_gbps * 1e9 / (8 * 198e6)
    propagation = 9100 + on_cable + 1024 + PAUSE_QUANTA[speed_gbps] * 64 + speed_gbps * 15
    return math.ceil((1024 + propagation * math.ceil(CELL_BYTES / 64)) / 1024) * 1024


def test_headroom_of_the_sn5600_is_what_the_formula_gives() -> None:
    buffers = Catalogue().switch("nvidia-sn5600").buffers
    assert buffers is not None

    for row in buffers.headroom:
        assert row.xoff_bytes == pytest.approx(computed_xoff_bytes(row.speed_gbps, row.cable_length_m), abs=1024)
        xon_bytes = row.xon_bytes or buffers.xon_bytes
        assert row.size_bytes == pytest.approx(row.xoff_bytes + xon_bytes, abs=9216)
