"""The schema of the site file at a path: which keys are allowed there, which values, and their units."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from rackproof.errors import ValuePath
from rackproof.site.models import Site

UNITS: Final = {
    "_bytes": "bytes",
    "_gb": "GB",
    "_gbps": "Gb/s",
    "_ms": "ms",
    "_percent": "percent",
}
"""Ending of a field's name to the unit shown in messages."""

Shape = Mapping[str, Any]
"""A node of the JSON Schema: closed vocabulary of the standard, so its values are not typed again here."""


@cache
def whole_shape() -> Shape:
    """Return the JSON Schema of the site file."""
    return Site.model_json_schema()


def shape_at(path: ValuePath) -> Shape:
    """Return the part of the schema that describes the value at ``path``; empty where the schema has none."""
    node = _resolved(whole_shape())
    for step in path:
        inner = node.get("items", {}) if isinstance(step, int) else _member(node, step)
        node = _resolved(inner)
    return node


def keys_at(path: ValuePath) -> tuple[str, ...]:
    """Return the keys that the mapping at ``path`` may have; empty where they are free."""
    return tuple(shape_at(path).get("properties", {}))


def unit_at(path: ValuePath) -> str:
    """Return the unit of the value at ``path``, with a space before it; empty where it has none."""
    name = next((step for step in reversed(path) if isinstance(step, str)), "")
    return next((f" {unit}" for ending, unit in UNITS.items() if name.endswith(ending)), "")


def range_at(path: ValuePath) -> str:
    """Return the numbers that the value at ``path`` may have, in words and with their unit."""
    shape, unit = shape_at(path), unit_at(path)
    low = shape["exclusiveMinimum"] + 1 if "exclusiveMinimum" in shape else shape.get("minimum")
    high = shape["exclusiveMaximum"] - 1 if "exclusiveMaximum" in shape else shape.get("maximum")
    if low is not None and high is not None:
        return f"from {low} to {high}{unit}"
    return f"at least {low}{unit}" if high is None else f"at most {high}{unit}"


def _member(node: Shape, key: str) -> Shape:
    """Return the shape of the value under ``key`` of a mapping."""
    free = next(iter(node.get("patternProperties", {}).values()), node.get("additionalProperties"))
    inner: Shape = node.get("properties", {}).get(key) or free or {}
    return inner


def _resolved(node: Shape) -> Shape:
    """Follow a reference, and an optional value to what it is when it is there."""
    if "anyOf" in node:
        return _resolved(next(option for option in node["anyOf"] if option.get("type") != "null"))
    if "$ref" in node:
        shape: Shape = whole_shape()["$defs"][node["$ref"].rpartition("/")[2]]
        return shape
    return node
