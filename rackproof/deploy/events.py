"""Progress events of a deployment."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from rackproof.deploy.protocol import Outcome


@dataclass(frozen=True, slots=True)
class Progressed:
    """A step reports its current activity."""

    step: str
    doing: str
    """Such as ``lossless mode: waiting for the restart``."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A step ended."""

    step: str
    outcome: Outcome
    text: str
    """Cause in one sentence; empty: the outcome suffices."""


Event: TypeAlias = Progressed | Ended
Report: TypeAlias = Callable[[Event], None]


def unreported(_event: Event) -> None:
    """Ignore the event."""
