"""The baseline of the run: values of a known-good run of the site, and the checks that it limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rackproof.plural import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rackproof.report.content.findings import Findings


class CalibratedCheck(NamedTuple):
    """A check that measures."""

    title: str
    values: int
    """How many it measured."""
    decided: int
    """How many of them the baseline sets the limit of."""


def calibrated_checks(findings: Findings) -> Iterator[CalibratedCheck]:
    """Yield the checks that measure."""
    for found in findings.checks.values():
        limits = [one.threshold for one in found.results if one.threshold and one.measured is not None]
        if limits:
            yield CalibratedCheck(found.title, len(limits), sum(limit.calibrated for limit in limits))


def calibration_text(findings: Findings) -> str:
    """Return in a sentence or two which baseline was in force."""
    known, checks = findings.run.calibration, list(calibrated_checks(findings))
    if known is None:
        return (
            "No baseline is in force: every limit is that of its named source. "
            "`rackproof validate <site> --calibrate`, run while the site is known to be good, stores its values."
        )
    measured, decided = sum(check.values for check in checks), sum(check.decided for check in checks)
    return (
        f"Baseline in force: {known.file}, {counted(known.values, 'value')} of the run of {known.run}. It sets the "
        f"limit of {decided:,} of {counted(measured, 'measured value')}, where it is stricter than the source."
    )
