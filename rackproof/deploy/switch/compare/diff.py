"""Semantic comparison of two intents, field by field."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

from rackproof.errors import ValuePath


class Difference(NamedTuple):
    """One path at which two values differ; None: the value is absent."""

    path: ValuePath
    before: object
    after: object


def differences(before: object, after: object, path: ValuePath = ()) -> Iterator[Difference]:
    """Yield the deepest paths at which two values differ, in the order of their fields.

    Dataclasses are compared field by field, mappings key by key; a key that only one side has is one difference with
    its whole value, as is an optional dataclass that only one side has.
    """
    if before == after:
        return
    if is_dataclass(before) and type(before) is type(after):
        yield from differing_fields(before, after, path)
    elif isinstance(before, Mapping) and isinstance(after, Mapping):
        yield from differing_keys(before, after, path)
    else:
        yield Difference(path, before, after)


def differing_fields(before: Any, after: Any, path: ValuePath) -> Iterator[Difference]:  # noqa: ANN401 any dataclass
    """Yield the differences between two dataclasses of one type."""
    for field in fields(before):
        yield from differences(getattr(before, field.name), getattr(after, field.name), (*path, field.name))


def differing_keys(before: Mapping[Any, object], after: Mapping[Any, object], path: ValuePath) -> Iterator[Difference]:
    """Yield the differences between two mappings: removed and changed keys, then added keys."""
    for key, value in before.items():
        yield from differences(value, after.get(key), (*path, key))
    for key, value in after.items():
        if key not in before:
            yield Difference((*path, key), None, value)
