"""Errors that a user can act on: place in the site file, message and hint."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

ValuePath = tuple[str | int, ...]
"""Keys and list positions from the top of a YAML document to one value."""


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a file; line and column count from 1."""

    file: Path
    line: int
    column: int
    text: str
    """The line itself, for the caret."""


@dataclass(frozen=True, slots=True)
class SiteError:
    """One thing that is wrong with what was asked.

    ``path`` leads to the value in the site file; ``place`` is filled by the loader, which knows the file.
    """

    path: ValuePath
    message: str
    hint: str = ""
    place: Place | None = None
    warning: bool = False
    """A warning is shown and does not fail the check."""


class RackproofError(Exception):
    """Base of every error that Rackproof raises on purpose: one sentence and a hint."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class BadInputError(RackproofError):
    """Input of the user cannot be used (exit status 3)."""


class SiteErrors(BadInputError):  # noqa: N818 - it is several
    """All that is wrong with one file: the site file, or the one that ``file`` names."""

    def __init__(self, errors: Iterable[SiteError], file: str = "the site file", hint: str = "") -> None:
        self.errors = tuple(errors)
        count = sum(not error.warning for error in self.errors)
        super().__init__(f"{count} error{'s' if count != 1 else ''} in {file}", hint)


@dataclass(slots=True)
class Problems:
    """Collects errors so that a person sees all of them at once."""

    errors: list[SiteError] = field(default_factory=list)

    def add(self, path: ValuePath, message: str, hint: str = "") -> None:
        """Record one error at ``path``."""
        self.errors.append(SiteError(path, message, hint))

    def warn(self, path: ValuePath, message: str, hint: str = "") -> None:
        """Record a warning, which stops nothing."""
        self.errors.append(SiteError(path, message, hint, warning=True))

    def extend(self, errors: Iterable[SiteError]) -> None:
        """Record what a rule yielded."""
        self.errors.extend(errors)

    @property
    def fatal(self) -> bool:
        """Whether anything but warnings was recorded."""
        return any(not error.warning for error in self.errors)

    @property
    def warnings(self) -> Iterator[SiteError]:
        """The warnings, which stop nothing."""
        return (error for error in self.errors if error.warning)

    def raise_if_fatal(self) -> None:
        """Raise everything at once if anything is wrong.

        Raises
        ------
        SiteErrors
            At least one error is not a warning.
        """
        if self.fatal:
            raise SiteErrors(self.errors)
