"""Waivers: failures that are accepted until a date, in ``waivers.yaml`` beside the site file."""

from collections.abc import Collection, Iterator
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from rackproof.errors import SiteError
from rackproof.site.model_file import load_model
from rackproof.site.shape import Schema
from rackproof.site.text_file import AbsentFileError

FILE_NAME: Final = "waivers.yaml"

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

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    waivers: tuple[WaiverEntry, ...] = ()


SCHEMA: Final = Schema(WaiverFile, "waivers.yaml")


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
    try:
        loaded = load_model(path, SCHEMA, WaiverFile)
    except AbsentFileError:
        return ()
    entries = loaded.model.waivers
    loaded.refuse(tuple(_unknown(entries, checks)))
    return entries


def _unknown(entries: tuple[WaiverEntry, ...], checks: Collection[str]) -> Iterator[SiteError]:
    """Yield waivers of checks that do not exist: a name that was mistyped waives nothing."""
    for number, entry in enumerate(entries):
        if entry.check not in checks:
            near = get_close_matches(entry.check, checks, n=1)
            hint = f"did you mean {near[0]}?" if near else "docs/reference/checks.md lists the checks"
            yield SiteError(("waivers", number, "check"), f"there is no check {entry.check}", hint)
