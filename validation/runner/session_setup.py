"""Everything a process of a run needs before the first check: site, access, rules, folder."""

import hashlib
import shutil
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from lab.daemon import client
from rackproof.connect.access import FILE_NAME as ACCESS_FILE
from rackproof.connect.access import LoadedAccess, access_file, load_access, site_in_use
from rackproof.deploy.switch.build_steps import selected, selected_servers
from rackproof.paths import lab_folder
from rackproof.plan.from_file import host_sources, plan_site
from rackproof.plan.model.plan import Plan
from rackproof.render.plan_json import plan_json
from rackproof.site.access import Access
from rackproof.site.as_built import FILE_NAME as AS_BUILT_FILE
from rackproof.site.as_built import load_as_built
from rackproof.site.load import find_site
from rackproof.site.waivers import FILE_NAME as WAIVERS_FILE
from rackproof.site.waivers import load_waivers
from validation.expected.subjects import SiteUnderTest
from validation.runner.catalogue import all_checks
from validation.runner.options import RunOptions, refuse_contradictions
from validation.verdict.baseline import FILE_NAME as BASELINE_FILE
from validation.verdict.baseline import load_baseline
from validation.verdict.evidence import EvidenceBook, lab_evidence, replay_evidence, site_evidence
from validation.verdict.judge import Rules
from validation.verdict.run_folder import RunFolder

NO_ACCESS: Final = LoadedAccess(Access(devices={}), Path("nowhere"))
"""What a replay has."""


@dataclass(frozen=True, slots=True)
class PreparedRun:
    """A run that can begin."""

    options: RunOptions
    site: SiteUnderTest
    rules: Rules
    devices: tuple[str, ...]
    """Names of the switches and servers that are looked at, in the plan's order."""
    files: dict[str, Path]
    """Files that the run is held against and that exist, by name."""

    def in_folder(self, run: RunFolder) -> "PreparedRun":
        """Return it with the folder of a run that begins, which keeps what it is held against: a lab may go away."""
        for name, path in self.files.items():
            shutil.copyfile(path, run.inputs / name)
        return replace(self, site=replace(self.site, run=run))

    @property
    def baseline_file(self) -> Path:
        """Where the site's baseline is, or will be."""
        return file_beside_site(self.options, BASELINE_FILE)


def prepare_run(asked: RunOptions, run: RunFolder) -> PreparedRun:
    """Read everything that a run is held against.

    Raises
    ------
    BadInputError
        Something of it is missing or wrong; SiteErrors where a site file or the waivers are.
    """
    refuse_contradictions(asked)
    planned = plan_site(site_in_use(asked.site, asked.access))
    plan = planned.plan.without_export_only()
    path = access_file(plan.site, asked.access)
    access = NO_ACCESS if asked.replay else load_access(path)
    as_built = path.parent / AS_BUILT_FILE
    waivers, baseline = file_beside_site(asked, WAIVERS_FILE), file_beside_site(asked, BASELINE_FILE)
    book = evidence_book(plan, path, asked)
    return PreparedRun(
        options=asked,
        site=SiteUnderTest(planned, access, host_sources(planned, load_as_built(as_built)), run, book),
        rules=Rules(load_waivers(waivers, all_checks()), load_baseline(baseline), subject_names(plan)),
        devices=selected_devices(plan, asked.only),
        files={
            name: file
            for name, file in {
                "site.yaml": planned.loaded.path,
                WAIVERS_FILE: waivers,
                BASELINE_FILE: baseline,
                AS_BUILT_FILE: as_built,
            }.items()
            if file.is_file()
        },
    )


def file_beside_site(asked: RunOptions, name: str) -> Path:
    """Return a file beside the site file that a person keeps, also where a lab has a site scaled down from it."""
    return find_site(asked.site).parent / name


def subject_names(plan: Plan) -> frozenset[str]:
    """Return the names of everything that a result may be about."""
    return frozenset((*plan.switches, *plan.hosts()))


def selected_devices(plan: Plan, only: Collection[str]) -> tuple[str, ...]:
    """Return the switches and servers that were chosen; nothing chosen: all."""
    return (*selected(plan, only), *selected_servers(plan, only, plan.servers))


def evidence_book(plan: Plan, access: Path, asked: RunOptions) -> EvidenceBook:
    """Return what facts rest on: a replay, a lab that is up, or the site itself."""
    if asked.replay:
        return replay_evidence()
    folder = lab_folder(plan.site)
    if access.resolve() != (folder / ACCESS_FILE).resolve():
        return site_evidence()
    return lab_evidence(client.status(folder), frozenset((*plan.intents(), *plan.hosts())))


def input_hashes(prepared: PreparedRun) -> dict[str, str]:
    """Return file to SHA-256, in hex, of everything that a run is held against."""
    plan = hashlib.sha256()
    for piece in plan_json(prepared.site.planned.plan):
        plan.update(piece)
    files = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in prepared.files.items()}
    return {**files, "plan.json": plan.hexdigest()}
