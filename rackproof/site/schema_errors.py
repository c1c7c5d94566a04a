"""Validation errors of Pydantic as errors of a user's file: message, hint and path."""

import re
from collections.abc import Callable
from ipaddress import IPv4Interface, IPv4Network
from typing import TYPE_CHECKING, Final

from rackproof.errors import SiteError, ValuePath
from rackproof.site.document import KEY
from rackproof.site.nearest import choices_hint, did_you_mean
from rackproof.site.shape import Schema
from rackproof.site.syntax import HIDDEN
from rackproof.types import (
    DEVICE_ID_PATTERN,
    DNS_NAME_PATTERN,
    EXPORT_PATTERN,
    FILE_PATTERN,
    HOST_KEY_PATTERN,
    HOSTNAME_PATTERN,
    KERNEL_ARGUMENT_PATTERN,
    KERNEL_NAME_PATTERN,
    MAC_ADDRESS_PATTERN,
    MODEL_NAME_PATTERN,
    PCI_ADDRESS_PATTERN,
    PRINTABLE_PATTERN,
    REMOTE_HOST_PATTERN,
    STACK_KEY_PATTERN,
    USER_PATTERN,
    VARIABLE_PATTERN,
)

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


def schema_error(detail: "ErrorDetails", schema: Schema) -> SiteError:
    """Return one error of a schema in our words, with the path of the value (or key) that is wrong."""
    path = detail["loc"]
    if detail["type"] == "extra_forbidden":
        return SiteError((*path, KEY), *_unknown_key(schema, path, detail["input"]))
    if detail["type"] == "missing":
        return SiteError(path, *_missing(schema, path))
    if detail["input"] is None:
        return SiteError(path, f"{_name(path)} has no value", "write one after the colon, or remove the key")
    say = SENTENCES.get(detail["type"], _as_it_came)
    return SiteError(path, *say(schema, path, detail))


def format_value(schema: Schema, value: object) -> str:
    """Return a wrong value as a person wrote it, shortened; what may be a secret is not repeated."""
    if schema.secret and not isinstance(value, dict | list):
        return f"'{HIDDEN}'"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    text = _shortened(str(value))
    return f"'{text}'" if isinstance(value, str) else text


def _shortened(text: str) -> str:
    return text if len(text) <= SHOWN_MAX else f"{text[:SHOWN_MAX]}..."


def _name(path: ValuePath) -> str:
    """Return what a person calls the value at ``path``: its key, with its number in a list."""
    steps = [step for step in path if step != KEY]
    names = [step for step in steps if isinstance(step, str)]
    if not names:
        return "the file"
    number = steps[-1]
    return f"{names[-1]}[{number}]" if isinstance(number, int) else names[-1]


def _unknown_key(schema: Schema, path: ValuePath, value: object) -> Sentences:
    key, known = str(path[-1]), schema.keys_at(path[:-1])
    if schema.secret and value is None:  # {word} is a key without a value
        return f"{_name(path[:-1])} has a key that it cannot have", did_you_mean("", known)
    if key == "<<":
        return "YAML 1.2 has no merge key <<", "repeat a whole mapping with an alias, or write its keys out"
    owner = f"of {_name(path[:-1])}" if len(path) > 1 else f"of {schema.file}"
    if value is None and " " in key:
        return f"'{key}' is not a key {owner}", "put text that holds a comma in quotes: inside braces a comma ends it"
    return f"{key} is not a key {owner}", did_you_mean(key, known)


def _missing(schema: Schema, path: ValuePath) -> Sentences:
    owner = f"in {_name(path[:-1])}" if len(path) > 1 else "at the top of the file"
    description = " ".join(str(schema.shape_at(path).get("description", "")).split())
    return f"the key {path[-1]} is missing {owner}", f"{path[-1]}: {description}" if description else ""


def _whole_number(schema: Schema, path: ValuePath, detail: "ErrorDetails") -> Sentences:
    value = detail["input"]
    quoted = isinstance(value, str) and value.strip().lstrip("+-").isdigit()
    return (
        f"{_name(path)} must be a whole number, not {format_value(schema, value)}",
        "remove the quotes" if quoted else "",
    )


def _number(schema: Schema, path: ValuePath, detail: "ErrorDetails") -> Sentences:
    return f"{_name(path)} must be a number, not {format_value(schema, detail['input'])}", ""


def _text(schema: Schema, path: ValuePath, detail: "ErrorDetails") -> Sentences:
    value = detail["input"]
    scalar = not isinstance(value, dict | list)
    example = "" if schema.secret else f': "{format_value(schema, value)}"'
    hint = f"put it in quotes if it is meant as text{example}" if scalar else ""
    return f"{_name(path)} must be text, not {format_value(schema, value)}", hint


NAME: Final = "is not a valid name: lowercase letters, digits and dashes, a letter first, 63 characters at most"
PATTERNS: Final = {
    HOSTNAME_PATTERN: NAME,
    MODEL_NAME_PATTERN: "is not a valid catalogue name: lowercase letters, digits and single dashes",
    DNS_NAME_PATTERN: "is not a full domain name such as data.example.com",
    KERNEL_ARGUMENT_PATTERN: "is not one kernel argument: letters, digits and _.,:=/@+-, each an item of its own",
    EXPORT_PATTERN: "is not an export path: names of letters, digits and _.- after slashes, no dot first",
    REMOTE_HOST_PATTERN: "is not a host name or an IP address",
    USER_PATTERN: "is not a user name: letters, digits and _.@-, no dash or dot first",
    HOST_KEY_PATTERN: "is not a host key as `rackproof trust` records it: a kind and a key in base64, on one line",
    VARIABLE_PATTERN: "is not the name of an environment variable: letters, digits and _, no digit first",
    FILE_PATTERN: "is not a usable file name: letters, digits, blanks and _./~@+:,=-, no blank or dash first",
    STACK_KEY_PATTERN: "is not the key of a Pulumi secret: letters, digits and _.:/-",
    KERNEL_NAME_PATTERN: "is not the name of a device or port: letters, digits and _.-, 64 characters at most",
    PCI_ADDRESS_PATTERN: "is not a PCI address such as 0000:1a:00.0",
    MAC_ADDRESS_PATTERN: "is not a MAC address such as 00:11:22:aa:bb:cc, in lowercase",
    DEVICE_ID_PATTERN: "is not a PCI vendor and device such as 15b3:1021",
    PRINTABLE_PATTERN: "is not one line of printable ASCII, 128 characters at most",
}
"""Pattern to what is wrong with what does not match it."""
SUGGESTED: Final = (HOSTNAME_PATTERN, MODEL_NAME_PATTERN)
"""Patterns for whose sake a wrong name is turned into a valid one in the hint."""


def _pattern(schema: Schema, path: ValuePath, detail: "ErrorDetails") -> Sentences:
    value, pattern = str(detail["input"]), str(detail.get("ctx", {}).get("pattern"))
    hidden = schema.secret and path[-1] != KEY
    subject = _name(path) if hidden else f"'{_shortened(value)}'"
    suggestion = re.sub(r"[^a-z0-9]+", "-", value.lower()).strip("-")
    fits = re.match(r"[a-z]", suggestion) and len(suggestion) < SHOWN_MAX
    hint = f"for instance {suggestion}" if pattern in SUGGESTED and fits and not hidden else ""
    return f"{subject} {PATTERNS.get(pattern, f'does not match {pattern}')}", hint


def _choice(schema: Schema, path: ValuePath, detail: "ErrorDetails") -> Sentences:
    choices = [str(choice) for choice in schema.shape_at(path).get("enum", ())]
    return f"{_name(path)} cannot be {format_value(schema, detail['input'])}", choices_hint(
        str(detail["input"]), choices
    )


def _range(schema: Schema, path: ValuePath, detail: "ErrorDetails") -> Sentences:
    return f"{_name(path)} must be {schema.range_at(path)}, not {format_value(schema, detail['input'])}", ""


def _mapping(schema: Schema, path: ValuePath, detail: "ErrorDetails") -> Sentences:
    keys = ", ".join(schema.keys_at(path))
    hint = f"its keys: {keys}" if keys else "write 'name: value' below it"
    return f"{_name(path)} must be a mapping (key: value), not {format_value(schema, detail['input'])}", hint


def _list(schema: Schema, path: ValuePath, detail: "ErrorDetails") -> Sentences:
    return (
        f"{_name(path)} must be a list, not {format_value(schema, detail['input'])}",
        "write [one, two], or a line '- one' for each",
    )


def _empty(schema: Schema, path: ValuePath, detail: "ErrorDetails") -> Sentences:
    del schema, detail
    return f"{_name(path)} is empty: at least one is needed", ""


def _value(schema: Schema, path: ValuePath, detail: "ErrorDetails") -> Sentences:
    """Say what is wrong with an address, or what a rule of the model itself refused."""
    if (kind := ADDRESSES.get(schema.shape_at(path).get("format", ""))) is None:
        return f"{_name(path)}: {detail.get('ctx', {}).get('error', '')}", ""
    value = detail["input"]
    if kind is IPV4_NETWORK and (network := _network_around(str(value))):
        return f"{value} has host bits set behind its prefix length", f"the network it lies in is {network}"
    return f"{_name(path)} must be {kind[0]}, not {format_value(schema, value)}", f"for instance {kind[1]}"


def _network_around(text: str) -> IPv4Network | None:
    """Return the network that an address with a prefix length lies in; None where the text is none."""
    try:
        return IPv4Interface(text).network
    except ValueError:
        return None


def _length(schema: Schema, path: ValuePath, detail: "ErrorDetails") -> Sentences:
    del detail
    limit = schema.shape_at(path).get("maxLength")
    return f"{_name(path)} holds more than {limit} characters", ""


def _date(schema: Schema, path: ValuePath, detail: "ErrorDetails") -> Sentences:
    return f"{_name(path)} must be a date, not {format_value(schema, detail['input'])}", "for instance 2027-01-31"


def _as_it_came(schema: Schema, path: ValuePath, detail: "ErrorDetails") -> Sentences:
    del schema
    return f"{_name(path)}: {detail['msg'][0].lower()}{detail['msg'][1:]}", ""


SENTENCES: Final[dict[str, Callable[[Schema, ValuePath, "ErrorDetails"], Sentences]]] = {
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
    "string_too_short": _empty,
    "string_too_long": _length,
    "date_type": _date,
    "date_parsing": _date,
    "date_from_datetime_parsing": _date,
    "date_from_datetime_inexact": _date,
    "value_error": _value,
}
