"""Optics checks: modules inside their thresholds pass; a dark one, a hot one, and many wrong bits fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from rackproof import paths
from rackproof.measure.counters.optics import module_readings
from tests.validation.live_world import Bench, site_world
from validation.suites import test_optics as suite

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MODULES: Final = "optics/modules-do-not-warn"
ERRORS: Final = "optics/errors-before-correction-are-few"
CHECKS: Final[dict[str, Callable[..., None]]] = {
    MODULES: suite.test_modules_do_not_warn,
    ERRORS: suite.test_errors_before_correction_are_few,
}
# Laid out by ethtool 6.1, sff-common.c (sff_show_dom) and qsfp.c; values of a 400G DR4 module's data sheet.
MODULE: Final = """	Identifier                                : 0x1e (QSFP+ or later with CMIS)
	Vendor name                               : NVIDIA
	Module temperature                        : 44.31 degrees C / 111.76 degrees F
	Module voltage                            : 3.2812 V
	Transmit avg optical power (Channel 1)    : 1.2500 mW / 0.97 dBm
	Transmit avg optical power (Channel 2)    : 1.2000 mW / 0.79 dBm
	Rcvr signal avg optical power(Channel 1)  : 0.8000 mW / -0.97 dBm
	Rcvr signal avg optical power(Channel 2)  : 0.7900 mW / -1.02 dBm
	Laser output power high alarm threshold   : 3.5481 mW / 5.50 dBm
	Laser output power low alarm threshold    : 0.3548 mW / -4.50 dBm
	Laser output power high warning threshold : 2.5119 mW / 4.00 dBm
	Laser output power low warning threshold  : 0.5012 mW / -3.00 dBm
	Module temperature high warning threshold : 70.00 degrees C / 158.00 degrees F
	Module temperature low warning threshold  : 0.00 degrees C / 32.00 degrees F
	Laser rx power high warning threshold     : 2.5119 mW / 4.00 dBm
	Laser rx power low warning threshold      : 0.2570 mW / -5.90 dBm
"""
DARK: Final = MODULE.replace("0.7900 mW / -1.02 dBm", "0.0000 mW / -inf dBm")
HOT: Final = MODULE.replace("44.31 degrees C", "75.00 degrees C")


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    bench = Bench(site_world(paths.site_file("metrum-h200")), tmp_path)
    bench.world.module = MODULE
    ports = frozenset((end.host, port.port) for end, port in bench.world.ports.items())
    monkeypatch.setattr(suite, "optical_ports", lambda _: ports)
    return bench


def states(bench: Bench, check: str) -> set[str]:
    return {result.state for result in bench.judged(check, CHECKS[check]).results}


@pytest.mark.parametrize("check", CHECKS)
def test_a_good_link_passes(check: str, bench: Bench) -> None:
    assert states(bench, check) == {"passed"}


@pytest.mark.parametrize(
    ("check", "wrong", "said"),
    [
        pytest.param(
            MODULES, {"module": DARK}, "Expected -5.9 to 4 dBm. Actual -inf dBm",
            marks=pytest.mark.shows_failing(MODULES), id="dark",
        ),
        pytest.param(
            MODULES, {"module": HOT}, "Expected 0 to 70 degrees C. Actual 75 degrees C",
            marks=pytest.mark.shows_failing(MODULES), id="hot",
        ),
        pytest.param(
            ERRORS, {"wrong_bits": 1e-3}, "Actual 0.001 errors per bit",
            marks=pytest.mark.shows_failing(ERRORS), id="errors",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_fails_its_check(check: str, wrong: dict[str, Any], said: str, bench: Bench) -> None:
    for name, value in wrong.items():
        setattr(bench.world, name, value)

    failed = [one for one in bench.judged(check, CHECKS[check]).results if one.state == "failed"]

    assert failed
    assert said in failed[0].message


def test_a_module_without_thresholds_is_an_error(bench: Bench) -> None:
    bench.world.module = MODULE.partition("\tLaser rx power high")[0]

    assert states(bench, MODULES) == {"error"}


def test_a_copper_cable_measures_nothing() -> None:
    assert module_readings("\tIdentifier : 0x18\n\tVendor name : NVIDIA\n") == ()
