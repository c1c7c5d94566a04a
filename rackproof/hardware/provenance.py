"""Every figure in a catalogue file says where it was read, or why it was assumed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain

PROVENANCE_FIELDS = ("sources", "assumed")


def provenance_problems(document: Mapping[str, object]) -> tuple[str, ...]:
    """Return a sentence for each number without a source and each source of a field that does not exist.

    A path names fields only, without list positions: ``ports.lanes`` vouches for the lanes of every port range,
    ``ports`` for every number in them.
    """
    vouched = list(chain.from_iterable(_mapping(document.get(field)) for field in PROVENANCE_FIELDS))
    walk = _Walk(frozenset(vouched))
    for key, value in document.items():
        if key not in PROVENANCE_FIELDS:
            walk.visit(value, str(key), covered=False)
    missing = (path for path in vouched if path not in walk.there)
    return (
        *(f"{path}: no source; add the field to sources, or to assumed with the reason" for path in sorted(walk.bare)),
        *(f"{path}: named in sources or assumed, but there is no such field" for path in missing),
    )


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


@dataclass(slots=True)
class _Walk:
    """What one walk over a document finds."""

    vouched: frozenset[str]
    there: set[str] = field(default_factory=set)
    """Paths of all values, and of the fields around them."""
    bare: set[str] = field(default_factory=set)
    """Paths of numbers for which neither their own path nor one around them is vouched."""

    def visit(self, value: object, path: str, *, covered: bool) -> bool:
        """Note everything at and below ``path``; return whether there is a value."""
        covered = covered or path in self.vouched
        if isinstance(value, Mapping):
            found = [self.visit(child, f"{path}.{key}", covered=covered) for key, child in value.items()]
        elif isinstance(value, list):
            found = [self.visit(child, path, covered=covered) for child in value]
        else:
            found = [True]
            if not covered and isinstance(value, int | float) and not isinstance(value, bool):
                self.bare.add(path)
        if not any(found):
            return False
        self.there.add(path)
        return True
