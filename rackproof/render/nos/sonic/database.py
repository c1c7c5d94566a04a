"""config_db.json as Python values: table, key, field. Keys of several parts are joined by ``|``."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Fields: TypeAlias = dict[str, str]
Table: TypeAlias = dict[str, Fields]
ConfigDb: TypeAlias = dict[str, Table]

NUMBERS = re.compile(r"(\d+)")


def key(*parts: object) -> str:
    """Return a key of several parts."""
    return "|".join(str(part) for part in parts)


def rows(database: Mapping[str, Table], table: str, parts: int) -> Iterator[tuple[tuple[str, ...], Fields]]:
    """Yield the keys of a table that have ``parts`` parts, split, and their fields."""
    for name, fields in database.get(table, {}).items():
        found = tuple(name.split("|"))
        if len(found) == parts:
            yield found, fields


def row_fields(database: Mapping[str, Table], table: str, *parts: object) -> Fields:
    """Return the fields of one key; none where it does not exist."""
    return database.get(table, {}).get(key(*parts), {})


def natural(text: str) -> list[tuple[int, str]]:
    """Sort key that puts Ethernet8 before Ethernet16."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in NUMBERS.split(text)]


def to_text(database: ConfigDb) -> str:
    """Return the file: tables and keys in natural order, empty tables left out."""
    ordered = {
        table: {row: dict(sorted(database[table][row].items())) for row in sorted(database[table], key=natural)}
        for table in sorted(database)
        if database[table]
    }
    return json.dumps(ordered, indent=4) + "\n"
