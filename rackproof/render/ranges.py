"""Lists of numbers as switches write them: ``0-3,5``."""

from collections.abc import Iterable


def compress(numbers: Iterable[int]) -> str:
    """Return ``numbers`` sorted, runs of neighbours joined by a dash: 0, 1, 2, 5 give ``0-2,5``."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def expand(text: str) -> tuple[int, ...]:
    """Return the numbers of a list such as ``0-2,5``, sorted.

    Raises
    ------
    ValueError
        The text is not such a list.
    """
    numbers: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers.update(range(int(first), int(last or first) + 1))
    return tuple(sorted(numbers))
