"""InfiniBand checks: a subnet as planned passes; a slow port, swapped cables, errors and a lost manager fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from rackproof import paths
from rackproof.measure.counters.infiniband import discovered_cables, port_number
from rackproof.measure.traffic.pairs import End
from tests.validation.live_world import Bench, site_world
from validation.suites import test_infiniband as suite

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CHECKS: Final[dict[str, Callable[..., None]]] = {
    f"infiniband/{name.removeprefix('test_').replace('_', '-')}": check
    for name, check in vars(suite).items()
    if name.startswith("test_")
}
ONE, OTHER = End("gpu-001", 1), End("gpu-004", 1)
CABLES: Final = "infiniband/cables-are-where-the-plan-has-them"
MANAGERS: Final = "infiniband/subnet-managers-are-in-their-roles"
MASTER: Final = "sminfo: sm lid 1 sm guid 0xa088c20300010000, activity count 4210 priority 15 state 3 SMINFO_MASTER\n"
STANDBY: Final = "sminfo: sm lid 5 sm guid 0xa088c20300020000, activity count 4210 priority 14 state 2 SMINFO_STANDBY\n"
FAULTS: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "infiniband/ports-are-active-at-their-rate": ({"rate": {ONE: "200 Gb/sec (2X NDR)"}}, "Actual ACTIVE, LinkUp, 200"),
    CABLES: ({"swapped": {ONE: OTHER, OTHER: ONE}}, "Actual port 14 of switch"),
    "infiniband/links-stay-without-errors": ({"symbol_errors": 3}, "symbol_error: "),
    MANAGERS: ({"managers": {"gpu-001": MASTER}}, "Actual no subnet manager answers there"),
}
SPLIT: Final = """#
# Topology file: generated on Fri Jul 19 02:49:25 2024
#
vendid=0x2c9
devid=0xd2f2
switchguid=0x9c0591030000a000(9c0591030000a000)
Switch	129 "S-9c0591030000a000"		# "MF0;POD229-QM97:MQM9700/U1" enhanced port 0 lid 1 lmc 0
[1]	"H-b83fd20300000001"[1](b83fd20300000001) 		# "node005 mlx5_2" lid 22 4xNDR
[3]	"H-946dae0300000002"[1](946dae0300000002) 		# "node004 mlx5_2" lid 27 4xNDR
[9]	"S-9c0591030000b000"[9]		# "another switch" lid 3 4xNDR

vendid=0x2c9
caguid=0xb83fd20300000001
Ca	1 "H-b83fd20300000001"		# "node005 mlx5_2"
[1](b83fd20300000001) 	"S-9c0591030000a000"[1]		# lid 22 lmc 0 "MF0;POD229-QM97:MQM9700/U1" lid 1 4xNDR
"""  # laid out as in ibnetdiscover(8) and as a QM9700 with split ports prints it


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    bench = Bench(site_world(paths.site_file("h20044")), tmp_path)
    bench.world.infiniband = True
    bench.world.managers = {"gpu-001": MASTER, "gpu-002": STANDBY}
    return bench


@pytest.mark.parametrize("check", CHECKS)
def test_a_good_subnet_passes(check: str, bench: Bench) -> None:
    assert {result.state for result in bench.judged(check, CHECKS[check]).results} == {"passed"}


@pytest.mark.parametrize("check", [pytest.param(one, marks=pytest.mark.shows_failing(one)) for one in FAULTS])
def test_what_is_wrong_fails_its_check(check: str, bench: Bench) -> None:
    wrong, said = FAULTS[check]
    for name, value in wrong.items():
        setattr(bench.world, name, value)

    failed = [result for result in bench.judged(check, CHECKS[check]).results if result.state == "failed"]

    assert failed
    assert any(said in result.message for result in failed), failed[0].message


def test_swapped_cables_are_both_named(bench: Bench) -> None:
    bench.world.swapped = {ONE: OTHER, OTHER: ONE}

    failed = [result for result in bench.judged(CABLES, CHECKS[CABLES]).results if result.state == "failed"]

    assert {result.subject for result in failed} == {str(ONE), str(OTHER)}
    assert failed[0].remedy == f"swap the cables of {ONE} and {OTHER} at the switch"


def test_ports_that_may_be_split_are_counted_as_if_they_were_not() -> None:
    assert [(cable.port, cable.name, cable.link) for cable in discovered_cables(SPLIT)] == [
        (1, "node005 mlx5_2", "4xNDR"),
        (2, "node004 mlx5_2", "4xNDR"),
    ]


def test_two_ports_share_a_cage() -> None:
    assert [port_number(port) for port in ("1/1", "1/2", "2/1", "32/2", "7")] == [1, 2, 3, 64, 7]


def test_a_subnet_that_is_not_shown_is_an_error(bench: Bench) -> None:
    bench.world.silent = {"gpu-001"}

    assert "error" in {result.state for result in bench.judged(CABLES, CHECKS[CABLES]).results}
