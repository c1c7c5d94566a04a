"""Matrices of devices against suites and rails; each cell has the worst state, or the measured value."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rackproof.report.content.findings import WORST_FIRST, Standing
from rackproof.report.content.words import limit_texts, number_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rackproof.report.content.findings import Findings
    from rackproof.results import Expected, Result

    Gathered = dict[str, dict[str, list[Standing]]]

SITE: Final = "the site"
"""Row of the results that concern the site as a whole."""
KINDS: Final = {"server": "Servers", "switch": "Switches", "storage": "Storage"}
OTHERS: Final = "Others"
ORDER: Final = (*KINDS.values(), OTHERS)
HEATS: Final = 5
"""Shades of a measured value, from the threshold (0) to the ceiling or the best of all (4)."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One square of a matrix."""

    state: Standing
    text: str = ""
    """Text of the cell, shown where it fits."""
    hint: str = ""
    """Tooltip of the cell."""
    heat: int | None = None
    """Shade of a value that passed; None: the state's own colour."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """A table of devices against suites, rails or values."""

    title: str
    lead: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell | None, ...]], ...]
    """Device, and one cell for each column; None: no check applies."""

    @property
    def troubled(self) -> tuple[tuple[str, tuple[Cell | None, ...]], ...]:
        """The rows in which not everything passed, the worst first."""
        ranks = {name: _rank(cells) for name, cells in self.rows}
        found = [row for row in self.rows if ranks[row[0]] < WORST_FIRST.index("skipped")]
        return tuple(sorted(found, key=lambda row: ranks[row[0]]))


def _rank(cells: Iterable[Cell | None]) -> int:
    return min((WORST_FIRST.index(cell.state) for cell in cells if cell), default=len(WORST_FIRST))


def by_suite(findings: Findings) -> Iterator[Matrix]:
    """Yield devices against the suites that ask them, each kind of device by itself."""
    cells = _gathered(findings, lambda found: found.check_id.partition("/")[0])
    for kind, rows in _by_kind(findings, cells):
        columns = tuple(suite for suite in findings.suites if any(suite in row for row in rows.values()))
        lead = "The worst result of each suite on each device."
        yield _matrix(findings, f"{kind} and suites", lead, columns, rows)


def by_rail(findings: Findings) -> Iterator[Matrix]:
    """Yield devices against rails, each kind of device by itself: every result that is about one rail."""
    rails = sorted({result.rail for result in findings.run.results if result.rail is not None})
    columns = tuple(f"rail{rail}" for rail in rails)
    for kind, rows in _by_kind(findings, _gathered(findings, _rail_column)):
        lead = "The worst result of all checks that are about one rail."
        yield _matrix(findings, f"{kind} and rails", lead, columns, rows)


def by_value(findings: Findings) -> Iterator[Matrix]:
    """Yield, for each check that measured rails, the worst value of each device on each rail.

    Where all of them passed with the same value, such as zero errors everywhere, no matrix is made.
    """
    for found in findings.checks.values():
        measured = [one for one in found.results if None not in {one.rail, one.measured} and one.threshold]
        if len({(one.measured, one.state) for one in measured}) > 1 or any(one.state != "passed" for one in measured):
            yield _value_matrix(findings, found.title, measured)


def _by_kind(findings: Findings, cells: Gathered) -> Iterator[tuple[str, Gathered]]:
    """Yield the devices of each kind with their cells, in order."""
    kinds = {device.name: device.kind for device in findings.run.devices}
    groups: dict[str, Gathered] = defaultdict(dict)
    for name in _device_order(findings, cells):
        groups[KINDS.get(kinds.get(name, ""), OTHERS)][name] = cells[name]
    yield from sorted(groups.items(), key=lambda group: ORDER.index(group[0]))


def _rail_column(found: Result | Expected) -> str:
    """Return the rail that something is about; empty: none."""
    rail = getattr(found, "rail", None)
    return "" if rail is None else f"rail{rail}"


def _gathered(findings: Findings, column_of: Callable[[Result | Expected], str]) -> Gathered:
    """Return the states of everything that was found or is missing, by device and column."""
    cells: Gathered = defaultdict(lambda: defaultdict(list))
    for result in findings.run.results:
        if column := column_of(result):
            cells[result.device or SITE][column].append(result.state)
    for missing in findings.missing:
        if column := column_of(missing):
            cells[missing.device or SITE][column].append("missing")
    return cells


def _device_order(findings: Findings, there: Iterable[str]) -> list[str]:
    """Return the devices of a matrix: those of the run in its order, then others, the site last."""
    names = dict.fromkeys(there)
    known = {device.name: None for device in findings.run.devices if device.name in names}
    rest = sorted(name for name in names if name not in known and name != SITE)
    return [*known, *rest, *([SITE] if SITE in names else [])]


def _matrix(findings: Findings, title: str, lead: str, columns: tuple[str, ...], cells: Gathered) -> Matrix:
    """Return a matrix of the worst states."""
    rows = (
        (name, tuple(_state_cell(f"{name}, {column}", cells[name].get(column, [])) for column in columns))
        for name in _device_order(findings, cells)
    )
    return Matrix(title, lead, columns, tuple(rows))


def _state_cell(where: str, states: Sequence[Standing]) -> Cell | None:
    """Return the cell of several results."""
    if not states:
        return None
    worst = min(states, key=WORST_FIRST.index)
    count = states.count(worst)
    text = str(count) if worst != "passed" else ""
    return Cell(worst, text, f"{where}: {count} of {len(states)} {worst}")


def _value_matrix(findings: Findings, title: str, measured: Sequence[Result]) -> Matrix:
    """Return the worst value of each server on each rail."""
    worst: dict[str, dict[str, Result]] = defaultdict(dict)
    for result in measured:
        row, rail = worst[result.device or SITE], _rail_column(result)
        if rail not in row or _margin(result) < _margin(row[rail]):
            row[rail] = result
    columns = tuple(f"rail{rail}" for rail in sorted({result.rail for result in measured if result.rail is not None}))
    best = max(map(_margin, measured))
    rows = tuple(
        (name, tuple(_value_cell(worst[name].get(column), best) for column in columns))
        for name in _device_order(findings, worst)
    )
    limits = limit_texts(result.threshold for result in measured if result.threshold)
    return Matrix(title, f"Threshold: {', '.join(limits)}.", columns, rows)


def _margin(result: Result) -> float:
    """Return the margin of a value as a share of its threshold; below 0: the threshold is missed."""
    limit, value = result.threshold, result.measured
    if limit is None or value is None:
        return 0.0
    if limit.comparison == "equal to":
        return 0.0 if value == limit.value else -1.0
    distance = value - limit.value if limit.comparison == "at least" else limit.value - value
    return distance / (abs(limit.value) or 1.0)


def _value_cell(result: Result | None, best: float) -> Cell | None:
    """Return the cell of a measured value; its shade says how far between threshold and ceiling, or the best, it is."""
    if result is None or result.measured is None or result.threshold is None:
        return None
    limit = result.threshold
    hint = f"{result.subject}: {number_text(result.measured)} {limit.unit}, {result.state}"
    cell = Cell(result.state, number_text(result.measured), hint)
    if result.state != "passed":
        return cell
    top = best
    if limit.ceiling is not None and limit.comparison == "at least" and limit.ceiling > limit.value:
        top = (limit.ceiling - limit.value) / (abs(limit.value) or 1.0)
    share = _margin(result) / top if top > 0 else 1.0
    return Cell(cell.state, cell.text, cell.hint, min(HEATS - 1, max(0, int(share * HEATS))))
