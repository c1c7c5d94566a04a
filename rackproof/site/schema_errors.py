"""Validation errors of Pydantic as errors of the site file: message, hint and path."""

import re
from collections.abc import Callable
from ipaddress import IPv4Interface, IPv4Network
from typing import TYPE_CHECKING, Final

from rackproof.errors import SiteError, ValuePath
from rackproof.site.document import KEY
from rackproof.site.nearest import choices_hint, did_you_mean
from rackproof.site.shape import keys_at, range_at, shape_at
from rackproof.types import EXPORT_PATTERN, KERNEL_ARGUMENT_PATTERN, MODEL_NAME_PATTERN

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Sentences = tuple[str, str]
"""What is wrong, and what to do."""

IPV4_NETWORK: Final = ("an IPv4 prefix", "10.10.0.0/16")
ADDRESSES: Final = {
    "ipv4network": IPV4_NETWORK,
    "ipv4": ("an IPv4 address", "10.30.0.1"),
    "ipv4interface": ("an IPv4 address with its prefix length", "10.20.0.2/24"),
}
"""Format of the schema to what it is called, and an example."""

SHOWN_MAX: Final = 60
"""Characters of a wrong value that are repeated in a message."""


def schema_error(detail: "ErrorDetails") -> SiteError:
    """Return one error of the schema in our words, with the path of the value (or key) that is wrong."""
    path = detail["loc"]
    if detail["type"] == "extra_forbidden":
        return SiteError((*path, KEY), *_unknown_key(path, detail["input"]))
    if detail["type"] == "missing":
        return SiteError(path, *_missing(path))
    if detail["input"] is None:
        return SiteError(path, f"{_name(path)} has no value", "write one after the colon, or remove the key")
    say = SENTENCES.get(detail["type"])
    return SiteError(path, *(say(path, detail) if say else _as_it_came(path, detail)))


def format_value(value: object) -> str:
    """Return a wrong value as a person wrote it, shortened."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    text = str(value)
    text = text if len(text) <= SHOWN_MAX else f"{text[:SHOWN_MAX]}..."
    return f"'{text}'" if isinstance(value, str) else text


def _name(path: ValuePath) -> str:
    """Return what a person calls the value at ``path``: its key, with its number in a list."""
    steps = [step for step in path if step != KEY]
    names = [step for step in steps if isinstance(step, str)]
    if not names:
        return "the file"
    number = steps[-1]
    return f"{names[-1]}[{number}]" if isinstance(number, int) else names[-1]


def _unknown_key(path: ValuePath, value: object) -> Sentences:
    key, known = str(path[-1]), keys_at(path[:-1])
    if key == "<<":
        return "YAML 1.2 has no merge key <<", "repeat a whole mapping with an alias, or write its keys out"
    owner = f"of {_name(path[:-1])}" if len(path) > 1 else "of a site file"
    if value is None and " " in key:
        return f"'{key}' is not a key {owner}", "put text that holds a comma in quotes: inside braces a comma ends it"
    return f"{key} is not a key {owner}", did_you_mean(key, known)


def _missing(path: ValuePath) -> Sentences:
    owner = f"in {_name(path[:-1])}" if len(path) > 1 else "at the top of the file"
    description = " ".join(str(shape_at(path).get("description", "")).split())
    return f"the key {path[-1]} is missing {owner}", f"{path[-1]}: {description}" if description else ""


def _whole_number(path: ValuePath, detail: "ErrorDetails") -> Sentences:
    value = detail["input"]
    quoted = isinstance(value, str) and value.strip().lstrip("+-").isdigit()
    return f"{_name(path)} must be a whole number, not {format_value(value)}", "remove the quotes" if quoted else ""


def _number(path: ValuePath, detail: "ErrorDetails") -> Sentences:
    return f"{_name(path)} must be a number, not {format_value(detail['input'])}", ""


def _text(path: ValuePath, detail: "ErrorDetails") -> Sentences:
    value = detail["input"]
    scalar = not isinstance(value, dict | list)
    hint = f'put it in quotes if it is meant as text: "{format_value(value)}"' if scalar else ""
    return f"{_name(path)} must be text, not {format_value(value)}", hint


PATTERNS: Final = {
    KERNEL_ARGUMENT_PATTERN: "is not one kernel argument: letters, digits and _.,:=/@+-, each an item of its own",
    EXPORT_PATTERN: "is not an export path: names of letters, digits and _.- after slashes, no dot first",
}
"""Pattern that is not a name's to what is wrong with what does not match it."""


def _pattern(path: ValuePath, detail: "ErrorDetails") -> Sentences:
    del path
    value, pattern = str(detail["input"]), detail.get("ctx", {}).get("pattern")
    if pattern in PATTERNS:
        return f"{format_value(value)} {PATTERNS[pattern]}", ""
    suggestion = re.sub(r"[^a-z0-9]+", "-", value.lower()).strip("-")
    hint = f"for instance {suggestion}" if re.match(r"[a-z]", suggestion) and len(suggestion) < SHOWN_MAX else ""
    if pattern == MODEL_NAME_PATTERN:
        return f"{format_value(value)} is not a valid catalogue name: lowercase letters, digits and single dashes", hint
    rule = "lowercase letters, digits and dashes, a letter first, 63 characters at most"
    return f"{format_value(value)} is not a valid name: {rule}", hint


def _choice(path: ValuePath, detail: "ErrorDetails") -> Sentences:
    choices = [str(choice) for choice in shape_at(path).get("enum", ())]
    return f"{_name(path)} cannot be {format_value(detail['input'])}", choices_hint(str(detail["input"]), choices)


def _range(path: ValuePath, detail: "ErrorDetails") -> Sentences:
    return f"{_name(path)} must be {range_at(path)}, not {format_value(detail['input'])}", ""


def _mapping(path: ValuePath, detail: "ErrorDetails") -> Sentences:
    keys = ", ".join(keys_at(path))
    hint = f"its keys: {keys}" if keys else "write 'name: value' below it"
    return f"{_name(path)} must be a mapping (key: value), not {format_value(detail['input'])}", hint


def _list(path: ValuePath, detail: "ErrorDetails") -> Sentences:
    return (
        f"{_name(path)} must be a list, not {format_value(detail['input'])}",
        "write [one, two], or a line '- one' for each",
    )


def _empty(path: ValuePath, detail: "ErrorDetails") -> Sentences:
    del detail
    return f"{_name(path)} is empty: at least one is needed", ""


def _value(path: ValuePath, detail: "ErrorDetails") -> Sentences:
    """Say what is wrong with an address, or what a rule of the model itself refused."""
    if (kind := ADDRESSES.get(shape_at(path).get("format", ""))) is None:
        return f"{_name(path)}: {detail.get('ctx', {}).get('error', '')}", ""
    value = detail["input"]
    if kind is IPV4_NETWORK and (network := _network_around(str(value))):
        return f"{value} has host bits set behind its prefix length", f"the network it lies in is {network}"
    return f"{_name(path)} must be {kind[0]}, not {format_value(value)}", f"for instance {kind[1]}"


def _network_around(text: str) -> IPv4Network | None:
    """Return the network that an address with a prefix length lies in; None where the text is none."""
    try:
        return IPv4Interface(text).network
    except ValueError:
        return None


def _as_it_came(path: ValuePath, detail: "ErrorDetails") -> Sentences:
    return f"{_name(path)}: {detail['msg'][0].lower()}{detail['msg'][1:]}", ""


SENTENCES: Final[dict[str, Callable[[ValuePath, "ErrorDetails"], Sentences]]] = {
    "int_type": _whole_number,
    "int_from_float": _whole_number,
    "float_type": _number,
    "finite_number": _number,
    "string_type": _text,
    "string_pattern_mismatch": _pattern,
    "literal_error": _choice,
    "greater_than": _range,
    "greater_than_equal": _range,
    "less_than": _range,
    "less_than_equal": _range,
    "model_type": _mapping,
    "model_attributes_type": _mapping,
    "dict_type": _mapping,
    "tuple_type": _list,
    "list_type": _list,
    "too_short": _empty,
    "value_error": _value,
}
