"""Reads a site file: everything that is wrong with it at once, each with its place."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from rackproof.errors import BadInputError, Place, SiteError, SiteErrors, ValuePath
from rackproof.paths import INVENTORY, site_file
from rackproof.site.document import Document, located, read_document
from rackproof.site.models import Site
from rackproof.site.schema_errors import schema_error
from rackproof.site.shape import SITE
from rackproof.site.text_file import read_text
from rackproof.site.yaml_recovery import recover_site, validate

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


@dataclass(frozen=True, slots=True)
class LoadedSite:
    """A site and the file it came from."""

    site: Site
    path: Path
    document: Document

    @property
    def text(self) -> str:
        """The file's text, with line breaks as on Unix."""
        return "\n".join(self.document.lines)

    def place(self, path: ValuePath) -> Place:
        """Return where a value stands in the file, or the nearest thing around it that does."""
        return self.document.place(path)

    def located(self, errors: Iterable[SiteError]) -> tuple[SiteError, ...]:
        """Return the errors with their places, from the top of the file down, each said once."""
        return located(self.document, errors)


@dataclass(frozen=True, slots=True)
class SiteReading:
    """What came of reading a site file, whether or not it can be used."""

    document: Document
    errors: tuple[SiteError, ...]
    site: Site | None
    """The site; with stand-ins at ``stand_ins`` where there are errors, None where too little could be read."""
    stand_ins: frozenset[ValuePath]


def find_site(name: str) -> Path:
    """Return the site file that a person means by a name in ``inventory/``, a site file or a folder with one.

    Raises
    ------
    BadInputError
        There is no such site.
    """
    path = Path(name)
    if path.is_dir() and (path / "site.yaml").exists():
        return path / "site.yaml"
    if path.exists() or path.suffix in {".yaml", ".yml"}:
        return path
    if site_file(name).exists():
        return site_file(name)
    known = site_names()
    near = get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"sites of inventory/: {', '.join(known)}; or give a path"
    raise BadInputError(f"there is no site {name}", hint)


def site_names() -> list[str]:
    """Return the names of the sites in ``inventory/``."""
    return sorted(file.parent.name for file in INVENTORY.glob("*/site.yaml"))


def load_site(path: Path) -> LoadedSite:
    """Return the site of a file.

    Raises
    ------
    BadInputError
        There is no such file, or it is no text.
    SiteErrors
        Everything that is wrong with it, with places.
    """
    reading = read_site(path)
    if reading.site is None or reading.errors:
        raise SiteErrors(reading.errors)
    return LoadedSite(reading.site, path, reading.document)


def read_site(path: Path) -> SiteReading:
    """Return what came of reading a site file, its errors among it.

    Raises
    ------
    BadInputError
        There is no such file, or it is no text.
    """
    document = read_document(path, read_text(path))
    if document.data is None:
        errors = document.errors or [_empty(document)]
        return SiteReading(document, tuple(errors), None, frozenset())
    try:
        site = validate(document.data)
    except ValidationError as refusal:
        known = {error.path for error in document.errors}
        details = [detail for detail in refusal.errors(include_url=False) if not _is_said(detail, known)]
        errors = [*document.errors, *(schema_error(detail, SITE) for detail in details)]
        recovered_site, stand_ins = recover_site(document.data)
        return SiteReading(document, located(document, errors), recovered_site, stand_ins)
    return SiteReading(document, located(document, document.errors), site, frozenset())


def _empty(document: Document) -> SiteError:
    hint = "begin with 'site: <name>'; the reference is docs/reference/site-file.md"
    return SiteError((), "the file is empty", hint, document.place_at(1, 1))


def _is_said(detail: "ErrorDetails", known: set[ValuePath]) -> bool:
    """A value that YAML refused is also reported as missing, and a list whose members were all refused as too short."""
    return detail["loc"] in known or (detail["type"] == "too_short" and bool(detail["input"]))
