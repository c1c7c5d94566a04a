"""The plan as JSON: the same plan gives the same bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from itertools import islice
from typing import TYPE_CHECKING, Final

from pydantic_core import to_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rackproof.plan.models import Plan

BATCH: Final = 64
"""Entries written at once: a large site's plan is a hundred times the size of the largest of its parts."""

Entries = Mapping[str, object] | tuple[object, ...]


def plan_json(plan: Plan) -> Iterator[bytes]:
    """Yield the whole plan piece by piece, fields as the plan's models name them, in their order, one a line."""
    before = b"{\n"
    for field in fields(plan):
        yield before + b" " + to_json(field.name) + b": "
        value = getattr(plan, field.name)
        yield from _pieces(value) if isinstance(value, Mapping | tuple) and value else [to_json(value)]
        before = b",\n"
    yield b"\n}\n"


def _pieces(entries: Entries) -> Iterator[bytes]:
    """Yield a mapping or a list of the plan, a batch of its entries at a time."""
    start, end = (b"{\n", b"\n }") if isinstance(entries, Mapping) else (b"[\n", b"\n ]")
    for batch in _batches(entries):
        # As the only value of an object an entry stands as deep as it does in the plan; that object's ends are cut off.
        text = to_json({"": batch}, indent=1)
        yield start + text[len(b'{\n "": {\n') : -len(b"\n }\n}")]
        start = b",\n"
    yield end


def _batches(entries: Entries) -> Iterator[Mapping[str, object] | list[object]]:
    """Yield the entries in order, some at a time."""
    if isinstance(entries, Mapping):
        items = iter(entries.items())
        while pairs := dict(islice(items, BATCH)):
            yield pairs
    else:
        for first in range(0, len(entries), BATCH):
            yield list(entries[first : first + BATCH])
