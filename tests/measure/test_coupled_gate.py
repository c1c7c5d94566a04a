"""The coupled gate on single runs: what is a witness of a loss, and what may be beside a short run."""

from __future__ import annotations

from typing import Final

import pytest

from rackproof.facts.models import PortCounters
from rackproof.measure.counters.nic_counters import NicCounters
from rackproof.measure.traffic import coupled_gate
from rackproof.measure.traffic.pairs import End, Pair
from rackproof.measure.traffic.perftest import Options
from rackproof.measure.traffic.results import PairRun
from rackproof.plan.model.plan import LinkEnd

PAIR: Final = Pair(End("gpu-001", 0), End("gpu-002", 0))
MARKING: Final = coupled_gate.Marking(dscp=26, lossless=frozenset({3}), priority=3, cnp_priority=6)
SHORTEST: Final = Options("ib_read_lat", message_bytes=8, messages=1000, dscp=26)
PORT: Final = LinkEnd("leaf-01", "Eth1/3")


def counted(sent_again: int) -> NicCounters:
    mappings = {"pause_sent", "pause_received", "priority_sent_bytes", "priority_received_bytes", "link_errors"}
    fields: dict[str, object] = {name: {} if name in mappings else None for name in NicCounters.__struct_fields__}
    return NicCounters(**{**fields, "sent_again": sent_again})  # type: ignore[arg-type]


@pytest.mark.parametrize(("software", "seen"), [(False, False), (True, None)], ids=["adapter", "software"])
def test_only_an_adapter_that_sends_again_is_witness_of_a_loss(*, software: bool, seen: bool | None) -> None:
    run = PairRun(PAIR, SHORTEST, nics={PAIR.one: counted(2)}, software=software)

    assert [finding.ok for finding in coupled_gate.drops(run, MARKING) if finding.subject == str(PAIR.one)] == [seen]


@pytest.mark.parametrize(("strays", "ok"), [(150, True), (1000, False)])
def test_a_short_run_may_have_some_packets_beside_it_and_not_all(strays: int, ok: bool) -> None:  # noqa: FBT001
    run = PairRun(PAIR, SHORTEST, ports={PORT: PortCounters("Eth1/3", class_packets={0: strays, 3: 1000})})

    assert [finding.ok for finding in coupled_gate.class_of_traffic(run, PORT, MARKING)] == [True, ok]
