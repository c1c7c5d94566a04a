"""What was skipped, reason by reason: the same reason often holds for hundreds of ports."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rackproof.report.findings import Findings

MOST_NAMES: Final = 24
"""Subjects that are named before it is enough."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """Results of one check that were skipped for one reason."""

    title: str
    reason: str
    subjects: tuple[str, ...]
    """The first of them."""
    total: int

    @property
    def subjects_text(self) -> str:
        """The subjects on one line."""
        return ", ".join(self.subjects) + (", ..." if len(self.subjects) < self.total else "")


def skipped(findings: Findings) -> Iterator[Skipped]:
    """Yield what was skipped, check by check."""
    for found in findings.checks.values():
        reasons: dict[str, list[str]] = defaultdict(list)
        for result in found.results:
            if result.state == "skipped":
                reasons[result.message].append(result.subject)
        for reason, subjects in reasons.items():
            yield Skipped(found.title, reason, tuple(subjects[:MOST_NAMES]), len(subjects))
