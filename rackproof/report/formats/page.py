"""The dossier as one self-contained HTML page; the verdict comes first.

It stays small enough to open whatever the size of the site: what there is too much of begins in the page, the worst
first, and is complete in ``dossier.json`` beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rackproof.plural import listed
from rackproof.report.content.calibration import calibrated_checks, calibration_text
from rackproof.report.content.findings import WORST_FIRST, added
from rackproof.report.content.matrices import Matrix, by_rail, by_suite, by_value
from rackproof.report.content.skipped import MOST_NAMES, skipped
from rackproof.report.content.spread import picture, spreads
from rackproof.report.content.words import EVIDENCE, MEANING, limit_texts, reasons
from rackproof.report.formats.heat_map import HeatMap, heat_maps
from rackproof.report.formats.templating import page_template

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rackproof.report.bundle.manifest import Digest
    from rackproof.report.content.dossier import Dossier
    from rackproof.report.content.findings import CheckFindings, Findings
    from rackproof.report.content.spread import Spread
    from rackproof.results import Result, Threshold

MOST_CARDS: Final = 60
"""Number of failures shown in full."""
FEW, EXAMPLES = 10, 3
"""A check with at most this many failures shows all in full; the second number applies to a check with more."""
MOST_TROUBLES: Final = 600
"""Number of further failures shown on one line each."""
MOST_ROWS: Final = 2500
"""Largest run of which the page shows all results; of a larger one each check shows its worst."""
WORST_OF_A_CHECK, PASSED_OF_A_CHECK = 20, 2
TALLEST_TABLE: Final = 64
"""Largest number of devices of a matrix shown as a table; a larger one is a heat map and a table of failures."""
MOST_THRESHOLDS: Final = 6
MOST_DEVICES: Final = 2000
EVIDENCE_FOLDER: Final = "evidence"


@dataclass(frozen=True, slots=True)
class Beside:
    """The files beside the page."""

    files: dict[str, Digest]
    """Name to what it is, for links and hashes."""
    key: str
    """Fingerprint of the signing key; empty: the dossier is not signed."""


@dataclass(frozen=True, slots=True)
class MatrixView:
    """A matrix as it is shown."""

    matrix: Matrix
    rows: Sequence[object]
    maps: tuple[HeatMap, ...]


@dataclass(frozen=True, slots=True)
class TroubleView:
    """The failures of one check as shown."""

    found: CheckFindings
    cards: tuple[Result, ...]
    """Shown in full."""
    further: tuple[Result, ...]
    """Shown on one line."""
    total: int


@dataclass(frozen=True, slots=True)
class CheckView:
    """A check and those of its results that are shown."""

    found: CheckFindings
    rows: tuple[Result, ...]
    total: int
    thresholds: tuple[Threshold, ...]
    """The first few thresholds of the check."""
    by_baseline: tuple[str, ...]
    """Thresholds that the baseline sets, in words."""


def page(dossier: Dossier, findings: Findings, beside: Beside) -> bytes:
    """Return the page."""
    text: str = page_template().render(
        dossier=dossier,
        run=dossier.run,
        findings=findings,
        meaning=MEANING[dossier.verdict],
        evidence_words=EVIDENCE,
        reasons=tuple(reasons(findings)),
        troubles=tuple(_troubles(findings)),
        missing=tuple(_missing(findings)),
        skipped=skipped(findings),
        matrices=tuple(_matrix_views(findings)),
        calibration=calibration_text(findings),
        calibrated=[row for row in calibrated_checks(findings) if row.decided],
        spreads=[(spread, picture(spread)) for spread in _ordered(spreads(findings))],
        suites=_suites(findings),
        suite_counts={suite: added(one.counts for one in checks) for suite, checks in findings.suites.items()},
        complete=len(dossier.run.results) <= MOST_ROWS,
        waived=[result for result in dossier.run.results if result.waiver],
        devices=dossier.run.devices[:MOST_DEVICES],
        logs=EVIDENCE_FOLDER,
        beside=beside,
    )
    return text.encode()


def _ordered(found: Iterator[Spread]) -> list[Spread]:
    """Return spreads, those with values on the wrong side first."""
    return sorted(found, key=lambda spread: spread.counts["failed"] == 0)


def _troubles(findings: Findings) -> Iterator[TroubleView]:
    """Yield the failures check by check; a check with many failures hides no other."""
    checks = len(findings.troubles)
    for one in findings.troubles:
        cards = max(1, min(FEW if len(one.results) <= FEW else EXAMPLES, MOST_CARDS // checks))
        rows = max(5, MOST_TROUBLES // checks)
        yield TroubleView(one.found, one.results[:cards], one.results[cards : cards + rows], len(one.results))


def _missing(findings: Findings) -> Iterator[tuple[str, str]]:
    """Yield the checks with missing results, and the devices."""
    for found in findings.checks.values():
        if found.missing:
            yield found.title, listed((one.device or "the site" for one in found.missing), MOST_NAMES)


def _matrix_views(findings: Findings) -> Iterator[MatrixView]:
    """Yield the matrices, each as a table, or in a large fleet as pictures and a table of those in trouble."""
    found = [*by_suite(findings), *by_rail(findings), *by_value(findings)]
    for matrix in found:
        if len(matrix.rows) <= TALLEST_TABLE:
            yield MatrixView(matrix, matrix.rows, ())
        else:
            yield MatrixView(matrix, matrix.troubled[:TALLEST_TABLE], tuple(heat_maps(matrix)))


def _suites(findings: Findings) -> dict[str, tuple[CheckView, ...]]:
    """Return the checks of each suite with the results that stand in the page."""
    short = len(findings.run.results) <= MOST_ROWS
    return {
        suite: tuple(_check_view(found, short=short) for found in checks) for suite, checks in findings.suites.items()
    }


def _check_view(found: CheckFindings, *, short: bool) -> CheckView:
    """Return a check as it is shown."""
    every = dict.fromkeys(one.threshold for one in found.results if one.threshold)
    sourced = tuple(one for one in every if not one.calibrated)[:MOST_THRESHOLDS]
    by_baseline = tuple(limit_texts(one for one in every if one.calibrated))
    return CheckView(found, _shown(found, short=short), len(found.results), sourced, by_baseline)


def _shown(found: CheckFindings, *, short: bool) -> tuple[Result, ...]:
    """Return the results of a check that are shown, the worst first: all, or those and an example of what passed."""
    ordered = sorted(found.results, key=lambda result: WORST_FIRST.index(result.state))
    if short:
        return tuple(ordered)
    others = len(ordered) - found.counts.get("passed", 0)
    return (*ordered[: min(others, WORST_OF_A_CHECK)], *ordered[others : others + PASSED_OF_A_CHECK])
