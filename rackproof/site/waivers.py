"""Waivers: failures that are accepted until a date, in ``waivers.yaml`` beside the site file."""

from collections.abc import Collection, Iterator
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rackproof.errors import SiteError, SiteErrors
from rackproof.site.document import read_document
from rackproof.site.load import located, read_text

FILE_NAME: Final = "waivers.yaml"
KEYS: Final = "each waiver has check, subject, who, why and until"

Words = Annotated[str, Field(min_length=1)]


class WaiverEntry(BaseModel):
    """One waiver: closed, frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    check: Words
    """Category and name of the check: ``pcie/link-width``."""
    subject: Words
    """What of the site it is about, as in file names: ``gpu-001:rail*``."""
    who: Words
    """Who accepts it, so that a person can ask."""
    why: Words
    until: date
    """Last day on which it counts."""


class WaiverFile(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    waivers: tuple[WaiverEntry, ...] = ()


def load_waivers(path: Path, checks: Collection[str]) -> tuple[WaiverEntry, ...]:
    """Return the waivers of a file, those that have run out among them; none where there is no file.

    Parameters
    ----------
    path
        The file.
    checks
        IDs of all checks that there are.

    Raises
    ------
    BadInputError
        It is no text.
    SiteErrors
        Everything that is wrong with it, with places.
    """
    if not path.exists():
        return ()
    document = read_document(path, read_text(path))
    if document.errors or document.data is None:
        if document.errors:
            raise SiteErrors(document.errors)
        return ()
    try:
        entries = WaiverFile.model_validate(document.data).waivers
    except ValidationError as error:
        raise SiteErrors(located(document, _schema_errors(error))) from error
    if unknown := tuple(_unknown(entries, checks)):
        raise SiteErrors(located(document, unknown))
    return entries


def _schema_errors(error: ValidationError) -> Iterator[SiteError]:
    for one in error.errors(include_url=False, include_context=False):
        yield SiteError(tuple(one["loc"]), one["msg"][0].lower() + one["msg"][1:], KEYS)


def _unknown(entries: tuple[WaiverEntry, ...], checks: Collection[str]) -> Iterator[SiteError]:
    """Yield waivers of checks that do not exist: a name that was mistyped waives nothing."""
    for number, entry in enumerate(entries):
        if entry.check not in checks:
            near = get_close_matches(entry.check, checks, n=1)
            hint = f"did you mean {near[0]}?" if near else "docs/reference/checks.md lists the checks"
            yield SiteError(("waivers", number, "check"), f"there is no check {entry.check}", hint)
