"""Numbers with their nouns."""


def counted(number: int, one: str, several: str = "") -> str:
    """Return a number with its noun: ``1 check``, ``2 checks``."""
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"
