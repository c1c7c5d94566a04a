"""YAML that YAML 1.1 and 1.2 read alike, for Ansible, whose parser still has the older one.

There a MAC address of digits only is a number of base 60, and ``on``, ``no`` and ``y`` are truth values: a text that is
not clearly a word is quoted, as JSON quotes it.
"""

import json
import re
from collections.abc import Iterator, Mapping

from rackproof.render.ansible_values import Unsafe

WORD = re.compile(r"[A-Za-z/][A-Za-z0-9_/-]*\Z")
TRUTH = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
"""Words with a meaning of their own in YAML 1.1 (yaml.org/type/bool, yaml.org/type/null), in any case."""


def yaml_text(document: Mapping[str, object]) -> str:
    """Return a document of mappings, lists, texts, numbers, truth values and None, in block style."""
    return "".join(f"{line}\n" for line in _lines(document))


def _lines(value: object) -> Iterator[str]:
    """Yield the lines of a mapping or a list that is not empty."""
    pairs = value.items() if isinstance(value, Mapping) else ()
    for key, below in pairs:
        if _is_block(below):
            yield f"{_scalar(key)}:"
            yield from (f"  {line}" for line in _lines(below))
        else:
            yield f"{_scalar(key)}: {_scalar(below)}"
    for below in value if isinstance(value, list | tuple) else ():
        lines = _lines(below) if _is_block(below) else iter((_scalar(below),))
        yield f"- {next(lines)}"
        yield from (f"  {line}" for line in lines)


def _is_block(value: object) -> bool:
    return isinstance(value, Mapping | list | tuple) and bool(value)


def _scalar(value: object) -> str:
    """Return a scalar, or an empty mapping or list, on one line."""
    if isinstance(value, str) and WORD.match(value) and value.lower() not in TRUTH:
        return value
    quoted = json.dumps(value, ensure_ascii=False)
    return f"!unsafe {quoted}" if isinstance(value, Unsafe) else quoted
