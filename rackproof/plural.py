"""Numbers with their nouns, and long lists cut short."""

from collections.abc import Iterable


def counted(number: int, one: str, several: str = "") -> str:
    """Return a number with its noun: ``1 check``, ``2 checks``."""
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"


def listed(names: Iterable[str], most: int) -> str:
    """Return names on one line, each once, and of more than ``most`` the first: ``a, b and 3 more``."""
    each = list(dict.fromkeys(names))
    more = f" and {len(each) - most:,} more" if len(each) > most else ""
    return ", ".join(each[:most]) + more
