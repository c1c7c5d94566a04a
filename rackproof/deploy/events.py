"""Progress: what happens to which device, as it happens."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from rackproof.deploy.protocol import Outcome


@dataclass(frozen=True, slots=True)
class Progressed:
    """A step does something now."""

    step: str
    doing: str
    """Such as ``lossless mode: waiting for the restart``."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A step ended."""

    step: str
    outcome: Outcome
    text: str
    """Why, in one sentence; empty where the outcome says all."""


Event: TypeAlias = Progressed | Ended
Report: TypeAlias = Callable[[Event], None]


def unreported(_event: Event) -> None:
    """Tell nobody."""
