"""A site file with errors, with stand-ins where that is safe, so that the rules can be checked in the same run.

Stand-ins are never planned or rendered. What a rule reports about a stand-in is dropped: its value has to be written
anew in any case.
"""

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from rackproof.errors import ValuePath
from rackproof.site.document import KEY
from rackproof.site.models import Site
from rackproof.site.shape import SITE, Shape
from rackproof.site.sharing import written_out

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

ROUNDS_MAX: Final = 6
"""A stand-in can only uncover errors below it, and a site file nests no deeper."""

INVENTED: Final = "-stand-in"
"""Ending of every name that a stand-in has; a message with such a name follows from it and is never shown."""

Data = Any
"""Decoded YAML: mappings and lists of scalars."""


def validate(data: object) -> Site:
    """Validate decoded YAML.

    Strict, as JSON: a number in quotes is text, ``true`` is no number, a list is what a tuple is written as.

    Raises
    ------
    pydantic.ValidationError
        The data is not a site.
    """
    return Site.model_validate_json(json.dumps(written_out(data)), strict=True)


def recover_site(data: object) -> tuple[Site | None, frozenset[ValuePath]]:
    """Return the site with stand-ins for what is wrong, and the paths of those; None where too little is left."""
    stand_ins: set[ValuePath] = set()
    copy: Data = json.loads(json.dumps(data))
    for _ in range(ROUNDS_MAX):
        try:
            return validate(copy), frozenset(stand_ins)
        except ValidationError as refusal:
            details = refusal.errors(include_url=False)
            if not all(_has_stand_in(detail) for detail in details):
                break
            for detail in details:
                if detail["type"] != "too_short":  # its members were refused, one by one
                    stand_ins.update(_put_stand_in(copy, detail))
    return None, frozenset(stand_ins)


def _has_stand_in(detail: "ErrorDetails") -> bool:
    """Return whether a stand-in exists: there is none for the whole file, a wrong key or a missing list of objects."""
    path = detail["loc"]
    return bool(path) and path[-1] != KEY and not (detail["type"] == "too_short" and not detail["input"])


def _put_stand_in(data: Data, detail: "ErrorDetails") -> Iterator[ValuePath]:
    """Put a stand-in in place of one value, or leave out what need not be there; yield the paths of what changed."""
    *above, last = detail["loc"]
    owner = data
    for step in above:
        owner = owner[step]
    needed = isinstance(last, int) or last not in owner or last in SITE.shape_at(tuple(above)).get("required", ())
    if detail["type"] == "value_error" and isinstance(owner[last], dict):
        yield from ((*detail["loc"], key) for key in _keep_own_rule(owner[last]))
        return
    if needed or detail["type"] == "string_pattern_mismatch":
        owner[last] = _stand_in(SITE.shape_at(detail["loc"]), detail["input"])
    else:
        del owner[last]
    yield detail["loc"]


def _keep_own_rule(value: dict[str, object]) -> tuple[str, ...]:
    """Replace what a model's own rule refused, racks given twice or not at all, or an attachment; return the keys."""
    if "attach" in value:
        value.update(asn=1, prefix=FORMATS["ipv4network"], vlan=2)
        return "asn", "prefix", "vlan"
    value["rack"] = f"x{INVENTED}"
    value.pop("racks", None)
    return "rack", "racks"


def _stand_in(shape: Shape, wrong: object) -> object:
    """Return a value that the schema takes; for the same wrong text the same name, so that references still meet."""
    if "enum" in shape:
        return shape["enum"][0]
    if "format" in shape:
        return FORMATS[shape["format"]]
    if shape["type"] in {"integer", "number"}:
        return shape.get("minimum", shape.get("exclusiveMinimum", 0) + 1)
    if shape["type"] == "string":
        return re.sub(r"[^a-z0-9]+", "-", f"x {wrong}".lower()).strip("-")[:40].strip("-") + INVENTED
    return {} if shape["type"] == "object" else []


FORMATS: Final = {
    "ipv4network": "255.255.255.255/32",
    "ipv4interface": "255.255.255.255/32",
    "ipv4": "255.255.255.255",
}
"""Format of the schema to a stand-in that overlaps nothing a site uses."""
