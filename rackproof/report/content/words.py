"""The sentences of a verdict: its meaning, and the reasons why the run did not pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from markupsafe import Markup, escape

from rackproof.plural import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rackproof.report.content.findings import Findings, Standing
    from rackproof.results import Evidence, Result, Threshold, Verdict

MEANING: Final[dict[Verdict, str]] = {
    "passed": "Every check that the plan requires ran on the site itself, and passed or is waived.",
    "rehearsal passed": "Every check that a lab can run passed or is waived. A rehearsal proves the configuration "
    "and the checks; it proves no hardware.",
    "failed": "The site differs from the plan.",
    "incomplete": "No check failed, but some results are missing or unknown: the site is not accepted.",
}
NOT_PASSED: Final[tuple[tuple[Standing, str], ...]] = (
    ("failed", "failed"),
    ("error", "with an error: the actual value is not known"),
    ("missing", "missing"),
)
EVIDENCE: Final[dict[Evidence, str]] = {
    "real": "read or measured on the device itself",
    "simulated": "computed by a lab",
    "recorded": "read from a recording",
}


def reasons(findings: Findings) -> Iterator[str]:
    """Yield the reasons why the run did not pass, the worst first."""
    counts, run = findings.counts, findings.run
    for state, what in NOT_PASSED:
        if number := counts[state]:
            checks = sum(state in found.counts for found in findings.checks.values())
            yield f"{counted(number, 'result')} of {counted(checks, 'check')} {what}"
    if counts["skipped"]:
        yield f"{counted(counts['skipped'], 'result')} skipped; a skipped check never counts as passed"
    if run.selected:
        yield "only some of the checks were chosen to run"
    if run.interrupted:
        yield "the run was interrupted"
    if not run.results:
        yield "the run has no results"
    if counts["waived"]:
        yield f"{counted(counts['waived'], 'failure')} accepted by a waiver"


def prose(text: str) -> Markup:
    """Return text for a page: what stands between backticks is a command."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    command = Markup("<code>{}</code>")
    return Markup("").join(command.format(part) if place % 2 else escape(part) for place, part in enumerate(parts))


def result_note(result: Result) -> str:
    """Return what a result says beside expected and actual value; nothing where it only repeats them."""
    told = (result.expected, result.actual)
    return "" if all(told) and result.message == f"Expected {told[0]}. Actual {told[1]}." else result.message


def number_text(value: float) -> str:
    """Return a measured value as a person reads it."""
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"


def limit_texts(thresholds: Iterable[Threshold]) -> list[str]:
    """Return thresholds in words, each once; of those by the baseline, which each have their own, the range."""
    known = dict.fromkeys(thresholds)
    texts = dict.fromkeys(str(one) for one in known if not one.calibrated)
    ranges: dict[tuple[str, str], list[float]] = {}
    for one in known:
        if one.calibrated:
            ranges.setdefault((one.comparison, one.unit), []).append(one.value)
    for (comparison, unit), values in ranges.items():
        low, high = number_text(min(values)), number_text(max(values))
        texts[f"by the baseline {comparison} {low if low == high else f'{low} to {high}'} {unit}".rstrip()] = None
    return list(texts)


def ceiling_text(threshold: Threshold) -> str:
    """Return the ceiling of a threshold with its source; empty: none is known."""
    if threshold.ceiling is None:
        return ""
    source = f" ({threshold.ceiling_source})" if threshold.ceiling_source else ""
    return f"{number_text(threshold.ceiling)} {threshold.unit}{source}"


def source_text(threshold: Threshold) -> str:
    """Return where a threshold comes from, and how it follows from that."""
    return f"{threshold.source}; {threshold.formula}" if threshold.formula else threshold.source
