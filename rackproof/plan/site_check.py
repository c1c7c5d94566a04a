"""A site file against its schema and its rules, in one go."""

from dataclasses import dataclass
from pathlib import Path

from rackproof.errors import SiteError
from rackproof.hardware.load import Catalogue
from rackproof.site.document import located
from rackproof.site.load import LoadedSite, SiteReading, read_site
from rackproof.site.rules import can_be_planned, check_rules
from rackproof.site.yaml_recovery import INVENTED


@dataclass(frozen=True, slots=True)
class SiteCheck:
    """What schema and rules say of a site file."""

    reading: SiteReading
    problems: tuple[SiteError, ...]
    """Errors and warnings with their places, from the top of the file down."""
    plannable: bool
    """Whether a plan can be built; where there are errors, only to report what it finds too."""

    @property
    def loaded(self) -> LoadedSite | None:
        """The site, where nothing is wrong with the file itself."""
        reading = self.reading
        return None if reading.site is None or reading.errors else LoadedSite(reading.site, self.path, reading.document)

    @property
    def path(self) -> Path:
        """The site file."""
        return self.reading.document.file

    @property
    def fatal(self) -> bool:
        """Whether there is anything but warnings."""
        return any(not problem.warning for problem in self.problems)

    def with_more(self, errors: tuple[SiteError, ...]) -> tuple[SiteError, ...]:
        """Return the problems with further ones, placed; a value that was found wrong is not found wrong twice."""
        known = {problem.path for problem in self.problems if not problem.warning}
        fresh = [error for error in errors if error.path not in known]
        return located(self.reading.document, [*self.problems, *fresh])


def check_site_file(path: Path, catalogue: Catalogue) -> SiteCheck:
    """Check a site file against schema and rules.

    Raises
    ------
    BadInputError
        There is no such file, or it is no text.
    """
    reading = read_site(path)
    if reading.site is None:
        return SiteCheck(reading, reading.errors, plannable=False)
    found = (error for error in check_rules(reading.site, catalogue).errors if _is_sure(error, reading))
    problems = located(reading.document, [*reading.errors, *found])
    plannable = not reading.errors and can_be_planned(reading.site, catalogue)
    return SiteCheck(reading, problems, plannable)


def _is_sure(error: SiteError, reading: SiteReading) -> bool:
    """Return whether a rule is broken by what the file says, not by a stand-in for what could not be read."""
    if not reading.stand_ins:
        return True
    follows = any(error.path[: len(wrong)] == wrong for wrong in reading.stand_ins)
    return not (follows or error.warning or INVENTED in error.message or INVENTED in error.hint)
