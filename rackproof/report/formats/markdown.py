"""The dossier as Markdown, for a ticket or a repository: verdict, what to do, suites, measured values, waivers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from rackproof.plural import counted
from rackproof.report.content.calibration import calibration_text
from rackproof.report.content.findings import WORST_FIRST, added
from rackproof.report.content.skipped import skipped
from rackproof.report.content.spread import spreads
from rackproof.report.content.words import MEANING, ceiling_text, number_text, reasons, source_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rackproof.report.content.dossier import Dossier
    from rackproof.report.content.findings import Findings

MOST: Final = 200
"""Rows of a table; the whole is in dossier.json."""
MOST_OF_A_CHECK: Final = 10
MARKUP: Final = re.compile(r"([\\`*_{}\[\]<>#|~!])")


def markdown(dossier: Dossier, findings: Findings) -> bytes:
    """Return the text."""
    return ("\n".join(_lines(dossier, findings)) + "\n").encode()


def plain(text: object) -> str:
    """Return text on one line in which nothing is markup."""
    return MARKUP.sub(r"\\\1", " ".join(str(text).split()))


def table(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Yield a table, or the word that it is empty; of a long one the beginning, and how much is left."""
    every = list(rows)
    if not every:
        yield "None."
        return
    yield f"| {' | '.join(titles)} |"
    yield f"|{'---|' * len(titles)}"
    yield from (f"| {' | '.join(plain(cell) for cell in row)} |" for row in every[:MOST])
    if len(every) > MOST:
        yield f"\n{len(every) - MOST:,} more are in dossier.json."


def _lines(dossier: Dossier, findings: Findings) -> Iterator[str]:
    """Yield the document line by line, in the order of the page."""
    run = dossier.run
    yield f"# {plain(run.site)}: {dossier.verdict}\n\n{MEANING[dossier.verdict]}\n"
    yield from (f"- {reason}" for reason in reasons(findings))
    yield f"\nValidated {plain(run.started)} to {plain(run.ended)}, release {plain(run.release)},"
    yield f"Rackproof {plain(run.rackproof)}. Exit status {dossier.exit_status}."
    yield "\nEvidence: " + ", ".join(f"{number:,} {kind}" for kind, number in findings.evidence.items()) + "."
    yield from _listed("What this run cannot prove", run.not_proven)
    yield from _troubles(findings)
    yield "\n## Suites\n"
    rows = (
        (suite, findings.suite_title(suite), *added(one.counts for one in checks).values())
        for suite, checks in findings.suites.items()
    )
    yield from table(("suite", "about", *WORST_FIRST), rows)
    yield from _values(findings)
    yield from _accepted(dossier, findings)
    yield "\n## Requirements of NVIDIA's ai-cloud-validation\n"
    answered = ((one.id, one.title, one.answer, ", ".join(one.checks)) for one in dossier.requirements if one.checks)
    yield from table(("id", "requirement", "answer", "checks"), answered)
    yield "\n## Proven against\n"
    yield from table(("what", "SHA-256"), run.hashes.items())


def _listed(title: str, lines: Sequence[str]) -> Iterator[str]:
    """Yield a chapter that is a list, where there is anything in it."""
    if lines:
        yield f"\n## {title}\n"
        yield from (f"- {plain(line)}" for line in lines)


def _troubles(findings: Findings) -> Iterator[str]:
    """Yield failed, erroneous and missing results."""
    if findings.troubles:
        yield "\n## What to do\n"
        yield from table(("state", "subject", "check", "expected", "actual", "what to do"), trouble_rows(findings))
    if findings.missing:
        yield "\n## Missing\n"
        yield from table(("check", "device"), ((one.check_id, one.device or "the site") for one in findings.missing))


def trouble_rows(findings: Findings) -> Iterator[tuple[str, ...]]:
    """Yield one row for each failure; a check with many failures shows the first ones."""
    for one in findings.troubles:
        for result in one.results[:MOST_OF_A_CHECK]:
            found = result.actual or result.message
            yield result.state, result.subject, one.found.title, result.expected, found, result.remedy
        if len(one.results) > MOST_OF_A_CHECK:
            yield "", f"{len(one.results) - MOST_OF_A_CHECK:,} more", one.found.title, "", "", ""


def _values(findings: Findings) -> Iterator[str]:
    """Yield the measured values with threshold, source and ceiling."""
    rows = [
        (
            *(spread.title, len(spread.results)),
            *(number_text(value) for value in (spread.low, spread.middle, spread.high)),
            *(str(spread.threshold), source_text(spread.threshold), ceiling_text(spread.threshold)),
            ", ".join(spread.evidence),
        )
        for spread in spreads(findings)
    ]
    if rows:
        yield "\n## Measured values\n"
        titles = ("check", "values", "smallest", "median", "largest", "threshold", "source", "ceiling", "evidence")
        yield from table(titles, rows)
        yield f"\n{plain(calibration_text(findings))}"


def _accepted(dossier: Dossier, findings: Findings) -> Iterator[str]:
    """Yield skips, waivers and assumptions."""
    if count := findings.counts["skipped"]:
        yield f"\n## Skipped\n\n{counted(count, 'result')}, never counted as passed.\n"
        rows = ((one.reason, one.total, one.checks, one.subjects) for one in skipped(findings))
        yield from table(("reason", "results", "checks", "subjects"), rows)
    yield "\n## Waived\n"
    waived = (
        (one.subject, one.check_id, one.actual or one.message, one.waiver.who, one.waiver.why, one.waiver.until)
        for one in dossier.run.results
        if one.waiver
    )
    yield from table(("subject", "check", "actual", "who", "why", "until"), waived)
    yield from _listed("Assumed", dossier.run.assumptions)
