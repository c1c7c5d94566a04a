"""The summary of a deployment: changes, sent lines and outcome of each device."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from rackproof.deploy.scheduler import StepResult
from rackproof.paths import build_folder

FOLDER = "deploy"


def write_summary(site: str, results: Sequence[StepResult]) -> Path:
    """Write the summary of one run to ``build/<site>/deploy/`` and return the file; it holds no secrets."""
    now = datetime.now(UTC)
    folder = build_folder(site) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{now:%Y%m%dT%H%M%S%f}Z.md"
    path.write_text("\n".join(summary_lines(site, results, now)) + "\n", encoding="utf-8")
    return path


def summary_lines(site: str, results: Sequence[StepResult], now: datetime) -> Iterator[str]:
    """Yield the summary as Markdown."""
    yield f"# Deployment of {site}, {now:%Y-%m-%d %H:%M:%S} UTC"
    yield ""
    for result in results:
        yield f"- {result.step}: {result.outcome}{f' ({result.text})' if result.text else ''}"
    for result in results:
        if result.changes or result.applied.commands:
            yield ""
            yield from device_lines(result)


def device_lines(result: StepResult) -> Iterator[str]:
    """Yield the section of one device."""
    yield f"## {result.step}: {result.outcome}"
    yield ""
    if result.text:
        yield from (result.text, "")
    if result.hint:
        yield from (f"How to go on: {result.hint}.", "")
    yield from ("What differed:", "", *(f"- {change}" for change in result.changes))
    for title, lines in (("Not up yet", result.applied.pending), ("To be known", result.applied.notes)):
        if lines:
            yield from ("", f"{title}:", "", *(f"- {line}" for line in lines))
    if result.applied.commands:
        yield from ("", "Lines sent:", "", "```", *result.applied.commands, "```")
