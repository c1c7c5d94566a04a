"""Counters between two readings: what grew, what is not counted, and counters that somebody cleared."""

from __future__ import annotations

import pytest

from rackproof.facts.fact import FactError
from rackproof.facts.models import PortCounters


def test_growth_is_told_counter_by_counter() -> None:
    before = PortCounters("swp1", rx_packets=10, class_drops={3: 1}, pfc_rx={3: 5}, ecn_marked=2)
    after = PortCounters("swp1", rx_packets=15, class_drops={3: 1, 0: 4}, pfc_rx={3: 9}, ecn_marked=2, flaps=1)
    assert after.since(before) == PortCounters(
        "swp1", rx_packets=5, class_drops={3: 0, 0: 4}, pfc_rx={3: 4}, ecn_marked=0
    )


def test_what_is_not_counted_is_not_zero() -> None:
    assert PortCounters("swp1").since(PortCounters("swp1")).rx_packets is None


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (PortCounters("swp1", rx_packets=3, pfc_rx={3: 5}), "swp1: rx packets went back from 10 to 3"),
        (PortCounters("swp1", rx_packets=10, pfc_rx={3: 0}), "swp1: pfc rx 3 went back from 5 to 0"),
    ],
)
def test_counters_that_were_cleared_are_an_error(after: PortCounters, said: str) -> None:
    with pytest.raises(FactError, match=said):
        after.since(PortCounters("swp1", rx_packets=10, pfc_rx={3: 5}))
