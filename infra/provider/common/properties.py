"""Pulumi's property values to plain JSON values and back."""

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from pulumi.provider.experimental.property_value import PropertyValue
from pulumi.runtime.rpc import UNKNOWN

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
JsonMap: TypeAlias = Mapping[str, Json]
Properties: TypeAlias = dict[str, PropertyValue]

DIGITS = re.compile(r"(\d+)")


def plain(value: PropertyValue) -> Json:
    """Return a property value without its wrapping.

    Pulumi knows one kind of number; whole numbers come back as ``int``, which is as the plan has
    them. Its maps have no order; keys come back in natural order, so that 1/2 is before 1/10.
    """
    inner = value.value
    if isinstance(inner, Mapping):
        return {key: plain(inner[key]) for key in sorted(inner, key=counting_order)}
    if isinstance(inner, (tuple, list)):
        return [plain(item) for item in inner]
    if isinstance(inner, float) and inner.is_integer():
        return int(inner)
    if inner is None or isinstance(inner, (bool, float, str)):
        return inner
    raise TypeError(f"a Rackproof property holds JSON values, not {value.type.value}")


def counting_order(key: str) -> tuple[tuple[int, str], ...]:
    """Return what to sort by, so that ``1/2`` comes before ``1/10``."""
    return tuple((int(part), "") if part.isdigit() else (0, part) for part in DIGITS.split(key) if part)


def plain_map(properties: Properties) -> dict[str, Json]:
    """Return a whole property map without its wrapping."""
    return {key: plain(value) for key, value in properties.items()}


def wrapped(value: Json) -> PropertyValue:
    """Return a JSON value as Pulumi's property value."""
    if isinstance(value, Mapping):
        return PropertyValue({key: wrapped(item) for key, item in value.items()})
    if isinstance(value, Sequence) and not isinstance(value, str):
        return PropertyValue([wrapped(item) for item in value])
    if isinstance(value, int) and not isinstance(value, bool):
        return PropertyValue(float(value))
    return PropertyValue(value)


def wrapped_map(values: JsonMap) -> Properties:
    """Return a JSON object as Pulumi's property map."""
    return {key: wrapped(value) for key, value in values.items()}


def holds_unknown(value: Json) -> bool:
    """Return whether a value, or anything in it, is known only after another resource is created."""
    if isinstance(value, Mapping):
        return any(holds_unknown(item) for item in value.values())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return any(holds_unknown(item) for item in value)
    return value == UNKNOWN
