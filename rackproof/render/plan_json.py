"""The plan as JSON: the same plan gives the same bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from itertools import islice
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rackproof.plan.model.plan import Plan

BATCH: Final = 64
"""Entries written at once: a large site's plan is a hundred times the size of the largest of its parts."""

Entries = Mapping[str, object] | tuple[object, ...]


def plan_json(plan: Plan) -> Iterator[bytes]:
    """Yield the whole plan piece by piece, fields as the plan's models name them, in their order, one a line."""
    before = b"{\n"
    for field in fields(plan):
        yield before + f' "{field.name}": '.encode()
        value = getattr(plan, field.name)
        yield from _pieces(value) if isinstance(value, Mapping | tuple) and value else [_text(value)]
        before = b",\n"
    yield b"\n}\n"


def _pieces(entries: Entries) -> Iterator[bytes]:
    """Yield a mapping or a list of the plan, a batch of its entries at a time."""
    start, end = (b"{\n", b"\n }") if isinstance(entries, Mapping) else (b"[\n", b"\n ]")
    for batch in _batches(entries):
        yield start + _text(batch)[len(b"{\n") : -len(b"\n }")]
        start = b",\n"
    yield end


def _text(value: object) -> bytes:
    """Return a value as it is written behind a key of the plan: as the only value of an object, less that object."""
    return msgspec.json.format(msgspec.json.encode({"": value}), indent=1)[len(b'{\n "": ') : -len(b"\n}")]


def _batches(entries: Entries) -> Iterator[Mapping[str, object] | list[object]]:
    """Yield the entries in order, some at a time."""
    if isinstance(entries, Mapping):
        items = iter(entries.items())
        while pairs := dict(islice(items, BATCH)):
            yield pairs
    else:
        for first in range(0, len(entries), BATCH):
            yield list(entries[first : first + BATCH])
