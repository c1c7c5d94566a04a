"""The power report: what feeds, racks, PDUs and phases carry when nothing is lost, and when something is."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

from rackproof.render.documents.table import Cell, Row, Table, columns, csv_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rackproof.plan.model.plan import LoadRow
    from rackproof.render.documents.record import File, Record

ONE_PDU: Final = "one PDU lost"
"""The case in which the loads of PDUs do not add up: each row is the worst over what may be lost."""


def files(record: Record) -> Iterator[File]:
    """Yield every row of the report as CSV; the tables made from it are in the spreadsheet of tables."""
    titles = columns("Rack", "PDU", "Feed", "Part", "Case", "Load W", "Limit W", "Used percent", "Over is an error")
    rows = ((*_row(record, row), "yes" if row.enforced else "no") for row in record.plan.power)
    yield csv_file(Table("power", "Power", titles, rows))


def tables(record: Record) -> Iterator[Table]:
    """Yield the power of feeds, of racks, and of PDUs and their phases."""
    cases = tuple(dict.fromkeys(row.case for row in record.plan.power))
    yield _feeds(record, [case for case in cases if case != ONE_PDU])
    yield _racks(record, cases)
    yield _phases(record, cases)


def _row(record: Record, row: LoadRow) -> Row:
    feed = record.plan.pdus[row.pdu].feed
    return (row.rack, row.pdu, feed, row.part, row.case, row.load_w, row.limit_w, percent(row))


def percent(row: LoadRow) -> int:
    """Return how much of a limit is used, rounded up, so that 100 is never exceeded unseen."""
    return -int(-100 * row.load_w // row.limit_w) if row.limit_w else 0


def _feeds(record: Record, cases: Sequence[str]) -> Table:
    """Return what each feed carries in each case; what its PDUs carry adds up in all of these."""
    load: dict[tuple[str, str], float] = {}
    worst: dict[tuple[str, str], int] = {}
    for row in record.plan.power:
        key = (record.plan.pdus[row.pdu].feed, row.case)
        load[key] = load.get(key, 0.0) + (row.load_w if row.part == "total" else 0.0)
        worst[key] = max(worst.get(key, 0), percent(row))
    titles = [(f"{case}: {what}", 18) for case, what in product(cases, ("kW", "worst part, percent"))]
    rows = []
    for feed in sorted({pdu.feed for pdu in record.plan.pdus.values()}):
        count = sum(pdu.feed == feed for pdu in record.plan.pdus.values())
        cells: list[Cell] = []
        for case in cases:
            cells += [round(load.get((feed, case), 0.0) / 1000, 1), worst.get((feed, case), 0)]
        rows.append((feed, count, *cells))
    return Table("power-feeds", "Power by feed", columns(("Feed", 6), ("PDUs", 6), *titles), rows)


def _racks(record: Record, cases: Sequence[str]) -> Table:
    """Return, for each rack and case, the part that is nearest to its limit."""
    worst: dict[tuple[str, str], LoadRow] = {}
    normal: dict[str, float] = {}
    for row in record.plan.power:
        key = (row.rack, row.case)
        if key not in worst or row.load_w * worst[key].limit_w > worst[key].load_w * row.limit_w:
            worst[key] = row
        if row.case == "normal" and row.part == "total":
            normal[row.rack] = normal.get(row.rack, 0.0) + row.load_w
    below_each_case = (("worst part", 22), ("percent", 9))
    titles = [(f"{case}: {what}", width) for case, (what, width) in product(cases, below_each_case)]
    rows = []
    for rack, load_w in normal.items():
        found = [worst[rack, case] for case in cases if (rack, case) in worst]
        cells: list[Cell] = []
        for row in found:
            cells += [f"{row.pdu} {row.part}", percent(row)]
        rows.append((rack, round(load_w / 1000, 1), *cells))
    return Table("power-racks", "Power by rack", columns(("Rack", 9), ("Normal kW", 9), *titles), rows)


def _phases(record: Record, cases: Sequence[str]) -> Table:
    """Return PDUs and their phases, a column a case."""
    titles = columns(
        ("Rack", 9), ("PDU", 16), ("Feed", 6), ("Part", 8), ("Limit W", 9), *((case, 18) for case in cases)
    )
    return Table("power-phases", "Power by PDU and phase (W)", titles, _phase_rows(record, cases))


def _phase_rows(record: Record, cases: Sequence[str]) -> Iterator[Row]:
    for name, pdu in record.plan.pdus.items():
        parts: dict[str, dict[str, LoadRow]] = {}
        for row in record.loads.get(name, ()):
            if not row.part.startswith("B"):
                parts.setdefault(row.part, {})[row.case] = row
        for part, found in parts.items():
            limit_w = next(iter(found.values())).limit_w
            yield (pdu.rack, name, pdu.feed, part, limit_w, *(_load(found, case) for case in cases))


def _load(found: dict[str, LoadRow], case: str) -> float | None:
    return found[case].load_w if case in found else None
