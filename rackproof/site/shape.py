"""The schema of a file at a path: which keys are allowed there, which values, and their units."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from pydantic import BaseModel

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


@dataclass(frozen=True)
class Schema:
    """The schema of one kind of file."""

    model: type[BaseModel]
    """Of the whole file."""
    file: str
    """What such a file is called in messages."""
    hint: str = ""
    """What to do with a file that cannot be used."""
    secret: bool = False
    """Whether a secret may have been typed into such a file, so that messages repeat no value of it."""

    @cached_property
    def whole(self) -> Shape:
        """The JSON Schema."""
        return self.model.model_json_schema()

    def shape_at(self, path: ValuePath) -> Shape:
        """Return the part of the schema that describes the value at ``path``; empty where the schema has none."""
        node = self._resolved(self.whole)
        for step in path:
            inner = node.get("items", {}) if isinstance(step, int) else _member(node, step)
            node = self._resolved(inner)
        return node

    def keys_at(self, path: ValuePath) -> tuple[str, ...]:
        """Return the keys that the mapping at ``path`` may have; empty where they are free."""
        return tuple(self.shape_at(path).get("properties", {}))

    def range_at(self, path: ValuePath) -> str:
        """Return the numbers that the value at ``path`` may have, in words and with their unit."""
        shape, unit = self.shape_at(path), unit_at(path)
        low = shape["exclusiveMinimum"] + 1 if "exclusiveMinimum" in shape else shape.get("minimum")
        high = shape["exclusiveMaximum"] - 1 if "exclusiveMaximum" in shape else shape.get("maximum")
        if low is not None and high is not None:
            return f"from {low} to {high}{unit}"
        return f"at least {low}{unit}" if high is None else f"at most {high}{unit}"

    def _resolved(self, node: Shape) -> Shape:
        """Follow a reference, and an optional value to what it is when it is there."""
        if "anyOf" in node:
            return self._resolved(next(option for option in node["anyOf"] if option.get("type") != "null"))
        if "$ref" in node:
            shape: Shape = self.whole["$defs"][node["$ref"].rpartition("/")[2]]
            return shape
        return node


SITE: Final = Schema(Site, "a site file")


def unit_at(path: ValuePath) -> str:
    """Return the unit of the value at ``path``, with a space before it; empty where it has none."""
    name = next((step for step in reversed(path) if isinstance(step, str)), "")
    return next((f" {unit}" for ending, unit in UNITS.items() if name.endswith(ending)), "")


def _member(node: Shape, key: str) -> Shape:
    """Return the shape of the value under ``key`` of a mapping."""
    free = next(iter(node.get("patternProperties", {}).values()), node.get("additionalProperties"))
    inner: Shape = node.get("properties", {}).get(key) or free or {}
    return inner
