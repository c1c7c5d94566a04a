"""The distribution of measured values of a fleet, beside threshold and ceiling, as numbers and as a plot."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from rackproof.results import Threshold, counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rackproof.report.content.findings import Findings
    from rackproof.results import Evidence, Result, State

WIDTH, HEIGHT, BASE = 300, 46, 34
"""Units of the picture; the axis is drawn at BASE."""
MARGIN: Final = 6
BINS: Final = 48
TALLEST: Final = 24
OF_ITS_LIMIT: Final = "% of its own limit"


@dataclass(frozen=True, slots=True)
class Spread:
    """The values of one check with one threshold."""

    title: str
    """What the check proves."""
    threshold: Threshold
    results: tuple[Result, ...]
    """The worst first."""
    counts: dict[State, int]
    evidence: tuple[Evidence, ...]

    @property
    def values(self) -> list[float]:
        """What was measured, the worst first."""
        return [result.measured for result in self.results if result.measured is not None]

    @property
    def low(self) -> float:
        """The smallest value."""
        return min(self.values)

    @property
    def middle(self) -> float:
        """The value that half of them do not reach."""
        return median(self.values)

    @property
    def high(self) -> float:
        """The largest value."""
        return max(self.values)


def spreads(findings: Findings) -> Iterator[Spread]:
    """Yield the measured values of each check, each threshold by itself, those by the baseline together."""
    for found in findings.checks.values():
        groups: dict[Threshold, list[Result]] = defaultdict(list)
        for result in map(_comparable, found.results):
            if result.threshold is not None and result.measured is not None:
                groups[result.threshold].append(result)
        for threshold, results in groups.items():
            ordered = sorted(results, key=_measured, reverse=threshold.comparison == "at most")
            evidence = tuple(dict.fromkeys(result.evidence for result in results))
            yield Spread(found.title, threshold, tuple(ordered), counted(results), evidence)


def _comparable(result: Result) -> Result:
    """Return a result whose threshold others share: by the baseline each has its own, so it is a share of that."""
    limit = result.threshold
    if limit is None or result.measured is None or not limit.calibrated or not limit.value:
        return result
    shared = Threshold(100.0, OF_ITS_LIMIT, limit.comparison, limit.source, "each value by its own", calibrated=True)
    return replace(result, measured=100.0 * result.measured / limit.value, threshold=shared)


def _measured(result: Result) -> float:
    return result.measured or 0.0


def picture(spread: Spread) -> str:
    """Return the values as SVG: columns of how many there are, a line at the threshold, a dashed one at the ceiling.

    Empty where every value equals the threshold, such as zero errors everywhere.
    """
    if spread.low == spread.high == spread.threshold.value and spread.threshold.ceiling is None:
        return ""
    low, high = _range(spread)
    scale = (WIDTH - 2 * MARGIN) / (high - low)

    def across(value: float) -> float:
        return round(MARGIN + (value - low) * scale, 1)

    columns = "".join(_columns(spread, low, high))
    limit = across(spread.threshold.value)
    marks = f'<path class="limit" d="M{limit} 4V{BASE + 6}"/>'
    if spread.threshold.ceiling is not None:
        marks += f'<path class="ceiling" d="M{across(spread.threshold.ceiling)} 4V{BASE + 6}"/>'
    axis = f'<path class="axis" d="M{MARGIN} {BASE}H{WIDTH - MARGIN}"/>'
    label = f"{len(spread.results)} values from {spread.low:g} to {spread.high:g} {spread.threshold.unit}"
    head = f'<svg class="spread" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label.replace(chr(34), "")}">'
    return f"{head}{axis}{columns}{marks}</svg>"


def _range(spread: Spread) -> tuple[float, float]:
    """Return what the axis shows: all values, threshold and ceiling, with a little room."""
    shown = [spread.low, spread.high, spread.threshold.value]
    if spread.threshold.ceiling is not None:
        shown.append(spread.threshold.ceiling)
    low, high = min(shown), max(shown)
    room = (high - low) * 0.04 or abs(high) * 0.1 or 1.0
    return low - room, high + room


def _columns(spread: Spread, low: float, high: float) -> Iterator[str]:
    """Yield the columns, good and bad values apart; a column's height is its share of the tallest."""
    bins: dict[tuple[int, bool], int] = defaultdict(int)
    for value in spread.values:
        place = min(BINS - 1, int((value - low) / (high - low) * BINS))
        bins[place, spread.threshold.allows(value)] += 1
    tallest = max(bins.values())
    width = (WIDTH - 2 * MARGIN) / BINS
    for good, shade in ((True, "good"), (False, "bad")):
        path = "".join(
            _bars(sorted((place, n) for (place, is_good), n in bins.items() if is_good == good), tallest, width)
        )
        if path:
            yield f'<path class="{shade}" d="{path}"/>'


def _bars(bins: Sequence[tuple[int, int]], tallest: int, width: float) -> Iterator[str]:
    """Yield one rectangle for each column; the lowest keeps a visible height."""
    for place, number in bins:
        height = round(max(3.0, TALLEST * number / tallest), 1)
        yield f"M{MARGIN + place * width:.1f} {BASE}v-{height}h{width - 1:.1f}v{height}z"
