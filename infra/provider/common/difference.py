"""The differences between two sets of inputs, key by key, as Pulumi's detailed diff."""

import re
from collections.abc import Iterator, Mapping, Sequence

from pulumi.provider.experimental.provider import PropertyDiff, PropertyDiffKind

from infra.provider.common.properties import Json, JsonMap

PLAIN_KEY = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")


def property_path(parts: Sequence[str | int]) -> str:
    """Return the property path of nested keys, such as ``intent.ports["Eth1/3"].mtu_bytes``."""
    return "".join(_path_part(part, first=position == 0) for position, part in enumerate(parts))


def detailed_difference(old: JsonMap, new: JsonMap, replacing: frozenset[str]) -> dict[str, PropertyDiff]:
    """Return every key that differs, by its property path.

    Parameters
    ----------
    old, new
        The inputs of the state, and those of the program.
    replacing
        Top-level inputs that name the device: a change of one replaces the resource.
    """
    return {
        property_path(path): PropertyDiff(_replacing(kind) if path[0] in replacing else kind, input_diff=True)
        for path, kind in _differences((), old, new)
    }


def _differences(
    path: tuple[str | int, ...], old: JsonMap, new: JsonMap
) -> Iterator[tuple[tuple[str | int, ...], PropertyDiffKind]]:
    for key in sorted(old.keys() | new.keys()):
        here = (*path, key)
        if key not in new:
            yield here, PropertyDiffKind.DELETE
        elif key not in old:
            yield here, PropertyDiffKind.ADD
        else:
            yield from _value_differences(here, old[key], new[key])


def _value_differences(
    path: tuple[str | int, ...], old: Json, new: Json
) -> Iterator[tuple[tuple[str | int, ...], PropertyDiffKind]]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        yield from _differences(path, old, new)
    elif old != new:
        yield path, PropertyDiffKind.UPDATE


def _replacing(kind: PropertyDiffKind) -> PropertyDiffKind:
    return PropertyDiffKind[f"{kind.name}_REPLACE"]


def _path_part(part: str | int, *, first: bool) -> str:
    if isinstance(part, int):
        return f"[{part}]"
    if PLAIN_KEY.match(part):
        return part if first else f".{part}"
    quoted = part.replace("\\", "\\\\").replace('"', '\\"')
    return f'["{quoted}"]'
