"""A plan as CSV tables, one row for each record, so that a change of a plan can be read in a diff.

Nothing of the plan is left out: a record within a record becomes columns (``position.rack``), a collection of records
a table of its own (``servers-ports.csv``), whose first columns are the keys of the records above. A column that is
empty in every row is not written.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    from rackproof.plan.model.plan import Plan

Row: TypeAlias = "dict[str, str]"
Tables: TypeAlias = "dict[str, list[Row]]"


def plan_tables(plan: Plan) -> dict[str, str]:
    """The tables of a plan as CSV, by file name."""
    tables: Tables = {}
    site: Row = {}
    add_fields(plan, site, {}, "", "", tables)
    return {f"{name}.csv": csv_text(rows) for name, rows in {"site": [site], **tables}.items()}


def add_fields(record: object, row: Row, keys: Row, table: str, prefix: str, tables: Tables) -> None:
    """Write the fields of a record to its row, and the collections in it to their own tables."""
    for name in field_names(record):
        value, column = paired(getattr(record, name)), f"{prefix}{name}"
        if field_names(value):
            add_fields(value, row, keys, table, f"{column}.", tables)
        elif isinstance(value, Mapping):
            for key, one in value.items():
                add_row(one, {**keys, column: cell(key)}, f"{table}-{column}".removeprefix("-"), tables)
        elif isinstance(value, tuple | list) and any(map(field_names, value)):
            for one in value:
                own = {**keys, column: cell(getattr(one, field_names(one)[0]))} if has_records(one) else keys
                add_row(one, own, f"{table}-{column}".removeprefix("-"), tables)
        else:
            row[column] = cell(value)


def paired(value: object) -> object:
    """A list of keys with a record each as a mapping; any other value as it is."""
    pairs = isinstance(value, tuple) and all(isinstance(one, tuple) and len(one) == 2 for one in value)
    return dict(value) if isinstance(value, tuple) and pairs and value and field_names(value[0][1]) else value


def has_records(record: object) -> bool:
    """Whether a record has tables of its own, whose rows name it by its first field."""
    values = [getattr(record, name) for name in field_names(record)]
    return any(isinstance(value, Mapping | tuple | list) and any(map(field_names, value)) for value in values)


def add_row(record: object, keys: Row, table: str, tables: Tables) -> None:
    """Write one record of a collection as a row, or each record of a collection in a collection."""
    if isinstance(record, Mapping):
        for key, one in record.items():
            add_row(one, {**keys, "key": cell(key)}, table, tables)
        return
    row = dict(keys)
    tables.setdefault(table, []).append(row)
    if field_names(record):
        add_fields(record, row, keys, table, "", tables)
    else:
        row["value"] = cell(record)


def field_names(value: object) -> tuple[str, ...]:
    """Names of the fields of a record; none of any other value."""
    if isinstance(value, Struct):
        return value.__struct_fields__
    return tuple(one.name for one in fields(value)) if is_dataclass(value) else ()


def cell(value: object) -> str:
    """A plain value as the text of a cell; the parts of a list stand one after the other."""
    if value is None:
        return ""
    return " ".join(map(str, value)) if isinstance(value, tuple | list | frozenset) else str(value)


def csv_text(rows: list[Row]) -> str:
    """Rows as CSV, without the columns that are empty in every row."""
    names = dict.fromkeys(name for row in rows for name, text in row.items() if text)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(names), extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
