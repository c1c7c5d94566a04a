"""Skipped results grouped by reason: one reason often applies to hundreds of ports."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rackproof.plural import listed

if TYPE_CHECKING:
    from rackproof.report.content.findings import Findings
    from rackproof.results import Result

MOST_NAMES: Final = 24
"""Number of subjects or checks that are named."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """Results that were skipped for one reason."""

    reason: str
    checks: str
    """The checks, the first of them by name."""
    subjects: str
    total: int
    """Number of results."""


def skipped(findings: Findings) -> list[Skipped]:
    """Return what was skipped, the most frequent reason first."""
    results: dict[str, list[Result]] = defaultdict(list)
    for found in findings.checks.values():
        for result in found.results:
            if result.state == "skipped":
                results[result.message].append(result)
    rows = (
        Skipped(
            reason,
            listed((one.check_id for one in found), MOST_NAMES),
            listed((one.subject for one in found), MOST_NAMES),
            len(found),
        )
        for reason, found in results.items()
    )
    return sorted(rows, key=lambda row: -row.total)
