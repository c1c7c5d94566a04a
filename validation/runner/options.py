"""The options of ``pytest validation``, and what a run was asked for."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from rackproof.errors import BadInputError


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What a run was asked for."""

    site: str
    access: Path | None
    only: tuple[str, ...]
    failed: bool
    disruptive: bool
    soak_hours: float
    cold_start: bool
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
    group.addoption("--cold-start", action="store_true", help="with --disruptive: restart everything first")
    group.addoption("--replay", type=Path, metavar="FOLDER", help="judge recorded facts; no device is asked")
    group.addoption("--calibrate", action="store_true", help="keep what a good run measures as the site's baseline")
    group.addoption("--events", type=Path, metavar="FILE", help="write progress, a JSON object a line")


def run_options(config: pytest.Config) -> RunOptions | None:
    """Return what a run was asked for; None: no site was named."""
    if not config.getoption("--site"):
        return None
    return RunOptions(
        site=config.getoption("--site"),
        access=config.getoption("--access"),
        only=tuple(config.getoption("--only")),
        failed=config.getoption("--failed"),
        disruptive=config.getoption("--disruptive"),
        soak_hours=config.getoption("--soak-hours"),
        cold_start=config.getoption("--cold-start"),
        replay=config.getoption("--replay"),
        calibrate=config.getoption("--calibrate"),
        events=config.getoption("--events"),
    )


def refuse_contradictions(asked: RunOptions) -> None:
    """Make sure that what a run was asked for goes together.

    Raises
    ------
    BadInputError
        It does not.
    """
    if asked.soak_hours < 0:
        raise BadInputError("--soak-hours is a number of hours, 0 or more")
    if (asked.soak_hours or asked.cold_start) and not asked.disruptive:
        hint = "add --disruptive; it prints what is interrupted before it happens"
        raise BadInputError("--soak-hours and --cold-start interrupt the site", hint)
    if asked.cold_start and (asked.failed or asked.replay):
        hint = "run it without --failed and --replay"
        raise BadInputError("results from before a cold start prove nothing after it", hint)
