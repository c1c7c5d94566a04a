"""The options of ``pytest validation``, and what a run was asked for."""

from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True, slots=True)
class Asked:
    """What a run was asked for."""

    site: str
    access: Path | None
    only: tuple[str, ...]
    failed: bool
    disruptive: bool
    replay: Path | None
    calibrate: bool
    events: Path | None


def add_options(parser: pytest.Parser) -> None:
    """Declare the options."""
    group = parser.getgroup("rackproof", "Rackproof validation (`rackproof validate --help` says more)")
    group.addoption("--site", help="name of a site in inventory/, or the path of a site file")
    group.addoption("--access", type=Path, help="how devices are reached; see `rackproof validate --help`")
    group.addoption("--only", action="append", default=[], help="only this device, fabric or group; may be repeated")
    group.addoption("--failed", action="store_true", help="only what did not pass last time, the rest is carried over")
    group.addoption("--disruptive", action="store_true", help="also checks that interrupt the site")
    group.addoption("--soak-hours", type=float, default=0.0, help="with --disruptive: how long all rails are kept busy")
    group.addoption("--replay", type=Path, metavar="FOLDER", help="judge recorded facts; no device is asked")
    group.addoption("--calibrate", action="store_true", help="keep what a good run measures as the site's baseline")
    group.addoption("--events", type=Path, metavar="FILE", help="write progress, a JSON object a line")


def asked_of(config: pytest.Config) -> Asked | None:
    """Return what a run was asked for; None: no site was named."""
    if not config.getoption("--site"):
        return None
    return Asked(
        site=config.getoption("--site"),
        access=config.getoption("--access"),
        only=tuple(config.getoption("--only")),
        failed=config.getoption("--failed"),
        disruptive=config.getoption("--disruptive"),
        replay=config.getoption("--replay"),
        calibrate=config.getoption("--calibrate"),
        events=config.getoption("--events"),
    )
