"""The results as JUnit XML, for what continuous integration shows: a suite a category, a case a result."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Final

from rackproof.report.content.findings import added
from rackproof.report.content.words import result_note

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rackproof.report.content.dossier import Dossier
    from rackproof.report.content.findings import CheckFindings, Findings
    from rackproof.results import Expected, Result

NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 does not allow, not even escaped."""


def junit(dossier: Dossier, findings: Findings) -> bytes:
    """Return the document."""
    return "".join(_document(dossier, findings)).encode()


def clean(text: str) -> str:
    """Return text as an attribute or an element takes it."""
    return escape(NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text))


def _document(dossier: Dossier, findings: Findings) -> Iterator[str]:
    counts = findings.counts
    seconds = sum(result.duration_s for result in dossier.run.results)
    yield '<?xml version="1.0" encoding="utf-8"?>\n'
    yield f'<testsuites name="{clean(dossier.run.site)}: {dossier.verdict}" tests="{sum(counts.values())}" '
    yield f'failures="{counts["failed"]}" errors="{counts["error"] + counts["missing"]}" time="{seconds:.3f}">\n'
    for suite, checks in findings.suites.items():
        yield from _suite(dossier, suite, checks)
    yield "</testsuites>\n"


def _suite(dossier: Dossier, suite: str, checks: tuple[CheckFindings, ...]) -> Iterator[str]:
    """Yield one suite; what is waived counts as skipped, because JUnit has no word for it."""
    counts = added(found.counts for found in checks)
    seconds = sum(result.duration_s for found in checks for result in found.results)
    errors, skipped = counts["error"] + counts["missing"], counts["skipped"] + counts["waived"]
    began = clean(dossier.run.started.removesuffix("Z").partition("+")[0].partition(".")[0])
    yield f' <testsuite name="{clean(suite)}" tests="{sum(counts.values())}" failures="{counts["failed"]}" '
    yield f'errors="{errors}" skipped="{skipped}" time="{seconds:.3f}" timestamp="{began}" '
    yield f'hostname="{clean(dossier.run.site)}">\n'
    for found in checks:
        yield from (_case(result) for result in found.results)
        yield from (_missing_case(expected) for expected in found.missing)
    yield " </testsuite>\n"


def _case(result: Result) -> str:
    """Return one result."""
    head = _head(result.check_id, result.subject, result.duration_s)
    inner = _inner(result)
    return f"{head}>{inner}</testcase>\n" if inner else f"{head}/>\n"


def _missing_case(expected: Expected) -> str:
    """Return the test case of a missing result."""
    head = _head(expected.check_id, expected.device or "the site", 0.0)
    return f'{head}><error type="missing" message="this check has no result"/></testcase>\n'


def _head(check_id: str, subject: str, seconds: float) -> str:
    category, _, name = check_id.partition("/")
    case = f"{name} [{subject}]"
    return f'  <testcase classname="{clean(category)}" name="{clean(case)}" time="{seconds:.3f}"'


def _inner(result: Result) -> str:
    """Return the element of a case that did not pass."""
    if result.state in {"failed", "error"}:
        element = "failure" if result.state == "failed" else "error"
        message = f"Expected {result.expected}. Actual {result.actual}." if result.expected else result.message
        return f'<{element} type="{result.state}" message="{clean(message)}">{clean(_details(result))}</{element}>'
    if result.state == "waived" and result.waiver:
        waiver = result.waiver
        return f'<skipped message="{clean(f"waived until {waiver.until} by {waiver.who}: {waiver.why}")}"/>'
    return f'<skipped message="{clean(result.message)}"/>' if result.state == "skipped" else ""


def _details(result: Result) -> str:
    """Return the details of a failure, one line each."""
    limit = result.threshold
    lines = {
        "message": result_note(result),
        "what to do": result.remedy,
        "threshold": f"{limit} ({limit.source})" if limit else "",
        "evidence": result.evidence,
        "logs": ", ".join(result.logs),
        **result.values,
    }
    return "\n".join(f"{name}: {value}" for name, value in lines.items() if value)
