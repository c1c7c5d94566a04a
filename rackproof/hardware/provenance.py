"""Every figure in a catalogue file says where it was read, or why it was assumed."""

from collections.abc import Iterator, Mapping

PROVENANCE_FIELDS = ("sources", "assumed")


def provenance_problems(document: Mapping[str, object]) -> tuple[str, ...]:
    """Return a sentence for each number that nothing vouches for and each source of a field that is not there.

    A path names fields only, without list positions: ``ports.lanes`` vouches for the lanes of every port range,
    ``ports`` for every number in them.
    """
    vouched = [path for field in PROVENANCE_FIELDS for path in _mapping(document.get(field))]
    body = {key: value for key, value in document.items() if key not in PROVENANCE_FIELDS}
    there = set(_all_paths(body))
    unsourced = sorted({path for path in _number_paths(body) if not any(_covers(key, path) for key in vouched)})
    return (
        *(f"{path}: no source; add the field to sources, or to assumed with the reason" for path in unsourced),
        *(f"{path}: named in sources or assumed, but there is no such field" for path in vouched if path not in there),
    )


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _covers(key: str, path: str) -> bool:
    return path == key or path.startswith(f"{key}.")


def _leaves(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Yield (dotted path without list positions, scalar) of everything below ``value``."""
    if isinstance(value, Mapping):
        for key, child in value.items():
            yield from _leaves(child, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for child in value:
            yield from _leaves(child, path)
    else:
        yield path, value


def _number_paths(document: Mapping[str, object]) -> Iterator[str]:
    for path, value in _leaves(document):
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield path


def _all_paths(document: Mapping[str, object]) -> Iterator[str]:
    """Yield the path of every field and of every field around it."""
    for path, _ in _leaves(document):
        parts = path.split(".")
        yield from (".".join(parts[:end]) for end in range(1, len(parts) + 1))
