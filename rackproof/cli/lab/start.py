"""What `rackproof lab up` starts: the whole site without hosts, or a part of it with hosts that are machines."""

from dataclasses import dataclass

import yaml12

from lab.daemon import client
from lab.daemon.client import HostPlan, LabState
from lab.errors import LabError
from lab.hosts.from_plan import lab_hosts
from lab.hosts.image import image
from lab.hosts.requirements import NOT_PROVEN, why_not
from lab.spec.from_plan import lab_site
from lab.spec.models import LabSite
from lab.spec.scale import STORAGE_NODES, rule, scaled
from lab.storage.from_plan import lab_storage
from rackproof.cli.output import Output
from rackproof.paths import lab_folder
from rackproof.plan.build import build_plan
from rackproof.plan.from_file import PlannedSite
from rackproof.plan.model.plan import Plan

DEFAULT_HOSTS = 2


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What a lab builds of a site."""

    site: LabSite
    hosts: HostPlan | None
    text: str | None
    """The site file of a lab that was scaled down."""


def machines(asked: int | None, output: Output) -> int:
    """Return how many hosts of a group are machines: as asked, else as many as this machine can have.

    Raises
    ------
    LabError
        It was asked for what this machine cannot have.
    """
    reasons = why_not() if asked != 0 else ()
    if asked and reasons:
        raise LabError(f"hosts cannot be machines here: {'; '.join(reasons)}", "--hosts 0 starts the switches alone")
    if not reasons:
        return DEFAULT_HOSTS if asked is None else asked
    output.note(f"switches only: {'; '.join(reasons)}", "yellow")
    for claim in NOT_PROVEN:
        output.note(f"not proven: {claim}", "yellow")
    return 0


def start(planned: PlannedSite, hosts: int, output: Output, storage_nodes: int = STORAGE_NODES) -> LabState:
    """Start the lab of a site and return it.

    Raises
    ------
    LabError
        It did not start.
    """
    refuse_export_only(planned.plan)
    folder = lab_folder(planned.plan.site)
    if client.status(folder).running:
        return client.up(lab_site(planned.plan, planned.catalogue), folder)
    rehearsal = rehearsed(planned, hosts, output, storage_nodes)
    label = f"starting {len(rehearsal.site.switches)} switches"
    if rehearsal.hosts is not None:
        label += f" and {len(rehearsal.hosts.hosts)} hosts"
    with output.progress(label):
        return client.up(rehearsal.site, folder, rehearsal.text, rehearsal.hosts, output.note)


def refuse_export_only(plan: Plan) -> None:
    """Refuse a site with switches whose NOS is an export format.

    Raises
    ------
    LabError
        The lab has no such NOS.
    """
    if names := plan.export_only():
        nos = plan.switches[names[0]].nos
        message = f"the lab has no switch that runs {nos}, which is export only: {', '.join(names)}"
        raise LabError(message, "rehearse a copy of the site file with nos: enterprise-sonic or nos: cumulus there")


def rehearsed(planned: PlannedSite, hosts: int, output: Output, storage_nodes: int = STORAGE_NODES) -> Rehearsal:
    """Return what the lab builds: with hosts, of the site as it is scaled down."""
    if not hosts or planned.loaded.site.hosted:
        return Rehearsal(lab_site(planned.plan, planned.catalogue), None, None)
    smaller = scaled(planned.loaded.site, planned.catalogue, hosts)
    plan = build_plan(smaller, planned.catalogue)
    site = lab_site(plan, planned.catalogue)
    made = lab_hosts(plan, site, planned.catalogue)
    if not made:
        return Rehearsal(lab_site(planned.plan, planned.catalogue), None, None)
    made += lab_storage(smaller, plan, site, planned.catalogue, storage_nodes)
    words = rule(hosts, storage_nodes=storage_nodes)
    output.note(f"scaled down: {words}")
    document = yaml12.format_yaml(smaller.model_dump(mode="json", exclude_unset=True))
    text = f"# What the lab's hosts carry of {planned.loaded.path.name}: {words}.\n{document}\n"
    return Rehearsal(site, HostPlan(image(output.note), made), text)
