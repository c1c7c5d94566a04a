"""Releases of Cumulus Linux, as far as their words differ."""

from __future__ import annotations

from typing import Final, TypeAlias

Release: TypeAlias = tuple[int, int]

BASE: Final[Release] = (5, 13)
"""The release whose words everything is kept in; 5.14 has the same."""

STATE_WORDS: Final[Release] = (5, 15)
"""From here on ``enable on`` is ``state enabled``, and ``on`` is ``enabled`` everywhere."""

BEFORE_BASE: Final[Release] = (5, 12)


def parse_release(text: str) -> Release:
    """Return the release that a text such as ``5.13`` or ``5.13.0`` names.

    Raises
    ------
    ValueError
        The text names none.
    """
    major, minor, *_ = text.split(".")
    return int(major), int(minor)
