"""Hints that name the nearest known word."""

from collections.abc import Collection
from difflib import get_close_matches
from typing import Final

LISTED_MAX: Final = 20
"""Words that a hint lists where none of them is near."""


def did_you_mean(word: str, known: Collection[str]) -> str:
    """Return a hint that names the nearest known word, or all of them where none is near and they are few."""
    begun = [name for name in known if name.startswith(f"{word}_")]
    if near := get_close_matches(word, known, n=1) or begun:
        return f"did you mean {near[0]}?"
    return f"known: {', '.join(known)}" if 0 < len(known) <= LISTED_MAX else ""


def choices_hint(word: str, choices: Collection[str]) -> str:
    """Return a hint that lists every choice, after the nearest one if there is one."""
    near = get_close_matches(word, choices, n=1)
    listed = f"one of: {', '.join(choices)}"
    return f"did you mean {near[0]}? ({listed})" if near else listed
