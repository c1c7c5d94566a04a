"""Values as NVUE writes them: numbers that are text, lists of numbers, sizes with a unit."""

import re
from typing import Final

UNITS: Final = {"": 1, "Bytes": 1, "B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}
"""``146.48 KB`` is what the RoCE page shows of 150000 bytes: units are powers of 1024."""
SIZE: Final = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>[A-Za-z]*)\Z")
SPAN: Final = re.compile(r"(?P<first>\d+)(?:-(?P<last>\d+))?\Z")


def parse_size(value: object) -> int | None:
    """Return a count, or a size in bytes; None where the value is neither."""
    match = SIZE.match(str(value).strip())
    if match is None or match["unit"] not in UNITS:
        return None
    return round(float(match["number"]) * UNITS[match["unit"]])


def parse_numbers(value: object) -> tuple[int, ...]:
    """Return the numbers of ``0,3`` or ``24-31``."""
    found: list[int] = []
    for word in str(value).split(","):
        if span := SPAN.match(word.strip()):
            found += range(int(span["first"]), int(span["last"] or span["first"]) + 1)
    return tuple(found)
