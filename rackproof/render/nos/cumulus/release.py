"""Releases of Cumulus Linux, as far as their words differ."""

from __future__ import annotations

from typing import Final, TypeAlias

Release: TypeAlias = tuple[int, int]

BASE: Final[Release] = (5, 13)
"""The release whose words everything is kept in; 5.14 has the same, apart from DHCP relays."""

STATE_WORDS: Final[Release] = (5, 15)
"""From here on ``enable on`` is ``state enabled``, and ``on`` is ``enabled`` everywhere."""

BEFORE_BASE: Final[Release] = (5, 12)

RELEASES: Final[tuple[Release, ...]] = (BEFORE_BASE, BASE, (5, 14), STATE_WORDS)
"""The releases that are rendered, oldest first."""


def parse_release(text: str) -> Release:
    """Return the release that a text such as ``5.13`` or ``5.13.0`` names.

    Raises
    ------
    ValueError
        The text names none.
    """
    major, minor, *_ = text.split(".")
    return int(major), int(minor)


def release_name(release: Release) -> str:
    """Return a release as it is written: ``5.13``."""
    return f"{release[0]}.{release[1]}"
