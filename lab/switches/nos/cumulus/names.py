"""Lists of names as NVUE takes and shows them: ``swp1-3,52`` is swp1, swp2, swp3 and swp52 (NVUE-CLI, Command Help)."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain, groupby

_PART = re.compile(r"(?P<stem>.*?)(?P<first>\d+)(?:-(?P<last>\d+))?\Z")
_NUMBER = re.compile(r"(\d+)")


@cache
def natural(name: str) -> tuple[tuple[bool, int, str], ...]:
    """Return a sort key that puts swp2 before swp10."""
    return tuple((not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in _NUMBER.split(name))


def is_list(text: str) -> bool:
    """Return whether a word may stand for several names."""
    return "," in text or bool(re.search(r"\d-\d", text))


def expand_names(text: str) -> Iterator[str]:
    """Yield the names a list stands for; a part that is a number only goes on with the name before it."""
    stem = ""
    for part in text.split(","):
        match = _PART.match(part)
        if match is None:
            yield part
            continue
        stem = match["stem"] or stem
        last = int(match["last"] or match["first"])
        yield from (f"{stem}{number}" for number in range(int(match["first"]), last + 1))


def expand_all(texts: Iterable[str]) -> Iterator[str]:
    """Yield the names of several lists."""
    return chain.from_iterable(map(expand_names, texts))


def compress_names(names: Iterable[str]) -> str:
    """Return names as one list."""
    parts: list[str] = []
    shown = ""
    for stem, group in groupby(sorted(names, key=natural), _stem):
        for first, last in _runs([_number(name) for name in group]):
            text = "" if first is None else f"{first}" if first == last else f"{first}-{last}"
            parts.append(text if stem == shown and text else f"{stem}{text}")
            shown = stem
    return ",".join(parts)


def _stem(name: str) -> str:
    match = _PART.match(name)
    return name if match is None else match["stem"]


def _number(name: str) -> int | None:
    match = _PART.match(name)
    return None if match is None else int(match["first"])


def _runs(numbers: list[int | None]) -> Iterator[tuple[int | None, int | None]]:
    """Yield first and last of each run of consecutive numbers."""
    start = before = numbers[0]
    for number in numbers[1:]:
        if before is None or number is None or number != before + 1:
            yield start, before
            start = number
        before = number
    yield start, before
