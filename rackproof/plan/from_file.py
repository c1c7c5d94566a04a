"""From a site file to its plan; everything that is wrong is reported at once."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from rackproof.errors import SiteError, SiteErrors, ValuePath
from rackproof.hardware.load import Catalogue
from rackproof.plan.build import build_plan
from rackproof.plan.hosts.sources import HostSources
from rackproof.plan.model.plan import Plan
from rackproof.plan.site_check import check_site_file
from rackproof.releases.load import load_release
from rackproof.site.as_built import AsBuilt
from rackproof.site.load import LoadedSite


@dataclass(frozen=True, slots=True)
class PlannedSite:
    """A site, its plan and the warnings."""

    loaded: LoadedSite
    plan: Plan
    catalogue: Catalogue
    warnings: tuple[SiteError, ...]

    def for_devices(self) -> "PlannedSite":
        """Return the site for verbs that connect to devices: without the intents of export-only switches."""
        return replace(self, plan=self.plan.without_export_only())


def plan_site(path: Path, catalogue: Catalogue | None = None) -> PlannedSite:
    """Return the plan of a site file.

    The plan is built as soon as it can be, even where rules are broken, so that one run reports its findings too.

    Raises
    ------
    BadInputError
        There is no such file, or it is no text.
    SiteErrors
        Everything that is wrong with it, and the warnings, with places.
    """
    hardware = Catalogue() if catalogue is None else catalogue
    check = check_site_file(path, hardware)
    plan, problems = None, check.problems
    if check.plannable and check.reading.site is not None:
        try:
            plan = build_plan(check.reading.site, hardware)
        except SiteErrors as found:
            problems = check.with_more(found.errors)
    if plan is None or check.loaded is None or check.fatal:
        raise SiteErrors(problems)
    return PlannedSite(check.loaded, plan, hardware, check.with_more(tuple(_warnings(plan))))


def host_sources(planned: PlannedSite, as_built: AsBuilt) -> HostSources:
    """Return what the hosts of a planned site are derived from."""
    release = load_release(planned.plan.release)
    return HostSources(planned.loaded.site, planned.plan, planned.catalogue, release, as_built)


def _warnings(plan: Plan) -> Iterator[SiteError]:
    """Yield what the plan warns of; a notice's subject is the path in the site file, with dots between."""
    for notice in plan.notices:
        if notice.kind == "warning":
            path: ValuePath = tuple(int(step) if step.isdigit() else step for step in notice.subject.split("."))
            yield SiteError(path, notice.text, warning=True)
