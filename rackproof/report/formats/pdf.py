"""The dossier as PDF, for signatures on paper: verdict, what to do, suites, values, waivers, requirements, devices.

Fonts are the printer's own: signs that they lack are printed as question marks.
"""

from __future__ import annotations

from functools import partial
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, Final

from reportlab import rl_config
from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.platypus import KeepTogether, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

from rackproof.plural import counted
from rackproof.report.content.calibration import calibration_text
from rackproof.report.content.findings import WORST_FIRST, added
from rackproof.report.content.matrices import by_rail, by_suite
from rackproof.report.content.skipped import skipped
from rackproof.report.content.spread import spreads
from rackproof.report.content.words import MEANING, ceiling_text, number_text, reasons, source_text
from rackproof.report.formats.markdown import trouble_rows
from rackproof.report.formats.pdf_map import LEGEND, drawings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportlab.pdfgen.canvas import Canvas
    from reportlab.platypus import Flowable

    from rackproof.report.content.dossier import Dossier
    from rackproof.report.content.findings import Findings
    from rackproof.results import Verdict

rl_config.useA85 = 0  # text encoding of what is compressed: a quarter more bytes, for mail of the 1990s

MOST: Final = 120
"""Most rows of a table; the page and dossier.json have the rest."""
LONGEST: Final = 600
"""Letters of a cell."""
INNER: Final = A4[0] - 36 * mm - 12
"""Points between the margins and the padding of a page."""
TINT: Final[dict[Verdict, str]] = {
    "passed": "#dafbe1",
    "rehearsal passed": "#d8eaff",
    "failed": "#ffdfdc",
    "incomplete": "#fff0c2",
}
BODY: Final = ParagraphStyle("body", fontName="Helvetica", fontSize=9, leading=12)
SMALL: Final = ParagraphStyle("small", BODY, fontSize=7, leading=8.6)
HEAD: Final = ParagraphStyle("head", SMALL, fontName="Helvetica-Bold")
CHAPTER: Final = ParagraphStyle(
    "chapter", BODY, fontName="Helvetica-Bold", fontSize=13, leading=16, spaceBefore=12, spaceAfter=5, keepWithNext=1
)
WORD: Final = ParagraphStyle("word", BODY, fontName="Helvetica-Bold", fontSize=24, leading=29)
BORDERS: Final = [
    ("LINEBELOW", (0, 0), (-1, -1), 0.25, HexColor("#d0d7de")),
    ("BACKGROUND", (0, 0), (-1, 0), HexColor("#f0f3f6")),
    ("VALIGN", (0, 0), (-1, -1), "TOP"),
    *((side, (0, 0), (-1, -1), 2) for side in ("TOPPADDING", "BOTTOMPADDING", "LEFTPADDING", "RIGHTPADDING")),
]


def pdf(dossier: Dossier, findings: Findings, key: str) -> bytes:
    """Return the document; the same run gives the same bytes.

    Parameters
    ----------
    key
        Fingerprint of the key that signs the dossier; empty: none does.
    """
    buffer = BytesIO()
    title = f"{dossier.run.site}: {dossier.verdict}"
    margins = dict.fromkeys(("leftMargin", "rightMargin", "topMargin", "bottomMargin"), 18 * mm)
    document = SimpleDocTemplate(buffer, pagesize=A4, title=title, author="Rackproof", invariant=1, **margins)
    footer = partial(_footer, f"{title}, run {dossier.run_id}")
    document.build(list(_story(dossier, findings, key)), onFirstPage=footer, onLaterPages=footer)
    return buffer.getvalue()


def _footer(text: str, canvas: Canvas, document: SimpleDocTemplate) -> None:
    """Write what every page ends with."""
    canvas.setFont("Helvetica", 7)
    canvas.drawString(18 * mm, 10 * mm, _printable(text))
    canvas.drawRightString(A4[0] - 18 * mm, 10 * mm, f"page {document.page}")


def _printable(text: object) -> str:
    """Return text in the printer's character set."""
    return str(text).encode("cp1252", "replace").decode("cp1252")


def _text(text: object, style: ParagraphStyle = BODY) -> Paragraph:
    """Return a paragraph in which nothing is markup; a cell that would not fit on a page is cut."""
    whole = _printable(text)
    return Paragraph(escape(whole if len(whole) <= LONGEST else f"{whole[:LONGEST]}…"), style)


def _story(dossier: Dossier, findings: Findings, key: str) -> Iterator[Flowable]:
    """Yield the document from its top."""
    yield from _verdict(dossier, findings, key)
    yield from _troubles(findings)
    yield from _chapter("Suites", ("Suite", "About", *WORST_FIRST), (20, 42, *[10] * 6), _suite_rows(findings))
    yield from _matrices(findings)
    titles = ("Check", "Values", "Smallest, median, largest", "Threshold", "Source", "Ceiling")
    yield from _chapter("Measured values", titles, (28, 7, 16, 14, 25, 20), _value_rows(findings))
    yield _text(calibration_text(findings), SMALL)
    yield from _accepted(dossier, findings)
    answered = [(one.id, one.title, one.answer, ", ".join(one.checks)) for one in dossier.requirements if one.checks]
    heads = ("ID", "Requirement of ai-cloud-validation", "Answer", "Checks")
    yield from _chapter("Requirements", heads, (9, 32, 9, 40), answered)
    devices = [
        (one.name, one.model, one.serial, ", ".join(f"{name} {version}" for name, version in one.versions.items()))
        for one in dossier.run.devices
    ]
    yield from _chapter("Devices", ("Device", "Model", "Serial", "Versions"), (14, 18, 14, 44), devices)
    yield from _chapter("Proven against", ("What", "SHA-256"), (20, 60), list(dossier.run.hashes.items()))
    yield from _sign_off()


def _sign_off() -> Iterator[Flowable]:
    """Yield the lines on which people sign."""
    cells = [[_text(who, SMALL), "", "", ""] for who in ("Handed over by", "Accepted by")]
    head = [_text(one, HEAD) for one in ("", "Name", "Date", "Signature")]
    widths = [INNER * share for share in (0.2, 0.3, 0.15, 0.35)]
    lines = Table([head, *cells], colWidths=widths, rowHeights=[14, 34, 34], style=TableStyle(BORDERS))
    yield KeepTogether([Spacer(1, 8 * mm), lines])


def _matrices(findings: Findings) -> Iterator[Flowable]:
    """Yield the matrices as pictures."""
    for matrix in (*by_suite(findings), *by_rail(findings)):
        if matrix.rows:
            yield _text(matrix.title, CHAPTER)
            yield _text(f"{matrix.lead} {LEGEND}", SMALL)
            yield Spacer(1, 1 * mm)
            yield from drawings(matrix, INNER)


def _verdict(dossier: Dossier, findings: Findings, key: str) -> Iterator[Flowable]:
    """Yield the box with the verdict, and what a lab cannot prove."""
    run = dossier.run
    word = dossier.verdict[0].upper() + dossier.verdict[1:]
    lines = [_text(f"Acceptance of {run.site}{' (rehearsal)' if run.rehearsal else ''}"), _text(word, WORD)]
    lines += [_text(MEANING[dossier.verdict]), *(_text(f"- {reason}") for reason in reasons(findings))]
    when = f"Validated {run.started} to {run.ended}, release {run.release}, Rackproof {run.rackproof}."
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in findings.evidence.items())
    signed = f"Signed with the key {key}." if key else "Not signed."
    lines += [_text(text, SMALL) for text in (when, f"Evidence: {kinds}.", signed)]
    box = [("BACKGROUND", (0, 0), (-1, -1), HexColor(TINT[dossier.verdict]))]
    box += [(side, (0, 0), (-1, -1), 10) for side in ("TOPPADDING", "BOTTOMPADDING", "LEFTPADDING", "RIGHTPADDING")]
    yield Table([[lines]], colWidths=[INNER], style=TableStyle(box))
    yield Spacer(1, 4 * mm)
    if run.not_proven:
        yield _text("What this run cannot prove", CHAPTER)
        yield from (_text(f"- {line}") for line in run.not_proven)


def _chapter(
    title: str, titles: Sequence[str], shares: Sequence[float], rows: Sequence[Sequence[object]]
) -> Iterator[Flowable]:
    """Yield a chapter that is a table; nothing where it is empty."""
    if not rows:
        return
    yield _text(title, CHAPTER)
    cells = [[_text(one, HEAD) for one in titles], *([_text(cell, SMALL) for cell in row] for row in rows[:MOST])]
    widths = [INNER * share / sum(shares) for share in shares]
    yield Table(cells, colWidths=widths, style=TableStyle(BORDERS), repeatRows=1)
    if len(rows) > MOST:
        yield _text(f"{len(rows) - MOST:,} more are in dossier.json.", SMALL)


def _troubles(findings: Findings) -> Iterator[Flowable]:
    """Yield failed, erroneous and missing results."""
    rows = list(trouble_rows(findings))
    titles = ("State", "Subject", "Check", "Expected", "Actual", "What to do")
    yield from _chapter("What to do", titles, (7, 16, 22, 16, 16, 24), rows)
    missing = [(one.check_id, one.device or "the site") for one in findings.missing]
    yield from _chapter("Missing", ("Check", "Device"), (50, 30), missing)


def _suite_rows(findings: Findings) -> list[Sequence[object]]:
    return [
        (suite, findings.suite_title(suite), *added(one.counts for one in checks).values())
        for suite, checks in findings.suites.items()
    ]


def _value_rows(findings: Findings) -> list[Sequence[object]]:
    return [
        (
            *(spread.title, len(spread.results)),
            " / ".join(map(number_text, (spread.low, spread.middle, spread.high))),
            *(spread.threshold, source_text(spread.threshold), ceiling_text(spread.threshold)),
        )
        for spread in spreads(findings)
    ]


def _accepted(dossier: Dossier, findings: Findings) -> Iterator[Flowable]:
    """Yield skips, waivers and assumptions."""
    run = dossier.run
    rows = [(one.reason, one.total, one.checks, one.subjects) for one in skipped(findings)]
    title = f"Skipped: {counted(findings.counts['skipped'], 'result')}, never counted as passed"
    yield from _chapter(title, ("Reason", "Results", "Checks", "Subjects"), (22, 8, 32, 28), rows)
    waived = [
        (one.subject, one.check_id, one.actual or one.message, one.waiver.who, one.waiver.why, one.waiver.until)
        for one in run.results
        if one.waiver
    ]
    titles = ("Subject", "Check", "Actual", "Who", "Why", "Until")
    yield from _chapter("Waived", titles, (16, 22, 20, 10, 22, 10), waived)
    yield from _chapter("Assumed by the site file", ("What",), (1,), [(one,) for one in run.assumptions])
