"""Drift in words: a port that is shut down, RoCE on ports, in maps and in policies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from rackproof.deploy.protocol import Outcome
from rackproof.deploy.switch.job import SwitchOptions
from tests.deploy.conftest import TIMEOUTS
from tests.deploy.nos_words import BACKEND

if TYPE_CHECKING:
    from tests.deploy.conftest import Bench

pytestmark = pytest.mark.lab

OTHER_MAP: Final = ("qos map dscp-tc OTHER", "dscp 26 traffic-class 1", "exit")
TYPED: Final = {
    "a port is shut down": (("interface Eth1/1/1", "shutdown"), ["Ethernet 1/1/1: state down → up"]),
    "the watchdog of one port": (
        ("interface Eth1/3/1", "priority-flow-control watchdog on detect-time 300"),
        ["Ethernet 1/3/1: PFC watchdog detection time 300 → 200 ms"],
    ),
    "an entry of the DSCP map": (
        ("qos map dscp-tc ROCE", "dscp 10-12 traffic-class 2"),
        ["map dscp-tc ROCE: DSCP 10-12 to class 2 → 0"],
    ),
    "a lossless DSCP": (
        ("qos map dscp-tc ROCE", "dscp 26 traffic-class 0"),
        ["RoCE class 3: DSCP 24 → 24, 26"],
    ),
    "the 802.1p map": (
        ("qos map dot1p-tc ROCE", "dot1p 3 traffic-class 0"),
        ["map dot1p-tc ROCE: 802.1p 3 to class 0 → 3"],
    ),
    "the weight of a queue": (
        ("qos scheduler-policy ROCE", "queue 3", "weight 30"),
        ["RoCE class 3: bandwidth 30 → 50 %"],
    ),
}


def drift(bench: Bench) -> list[str]:
    """The differences of the configuration; what is typed at a console is also not saved."""
    texts = [change.text for change in bench.compared(BACKEND)[BACKEND].changes]
    return [text for text in texts if "is not saved" not in text]


def put_right(bench: Bench) -> None:
    result = bench.up(BACKEND, options=SwitchOptions(allow_disruption=True, timeouts=TIMEOUTS))[BACKEND]
    assert result.outcome is Outcome.CHANGED, result
    assert not bench.compared(BACKEND)[BACKEND].changes


def test_drift_of_ports_and_of_roce_is_in_words(bench: Bench) -> None:
    bench.up(BACKEND)
    for name, (lines, expected) in TYPED.items():
        bench.type(BACKEND, *lines)
        assert drift(bench) == expected, name
        put_right(bench)


def test_a_wrong_map_is_one_finding_with_its_ports(bench: Bench) -> None:
    bench.up(BACKEND)
    bench.type(BACKEND, *OTHER_MAP)
    for port in ("Eth1/1/1", "Eth1/2/1", "Eth1/3/2"):
        bench.type(BACKEND, f"interface {port}", "qos-map dscp-tc OTHER")
    assert drift(bench) == [
        "Ethernet 1/1/1, 1/2/1, 1/3/2: DSCP map OTHER → ROCE",
        "unexpected line `qos map dscp-tc OTHER`: removed",
        "unexpected line `qos map dscp-tc OTHER > dscp 26 traffic-class 1`: removed",
    ]
    put_right(bench)


def test_a_shut_port_of_cumulus_is_in_words(spectrum: Bench) -> None:
    spectrum.up(BACKEND)
    spectrum.type(BACKEND, "nv set interface swp1s0,swp2s0 link state down")
    assert drift(spectrum) == ["Ethernet 1/1/1, 1/2/1: state down → up"]
    put_right(spectrum)
