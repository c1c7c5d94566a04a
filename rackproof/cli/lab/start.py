"""The lab that `rackproof lab up` starts: all switches without hosts, or a part of the site with virtual machines."""

from dataclasses import dataclass
from pathlib import Path

import yaml12

from lab.daemon import client
from lab.daemon.client import HostPlan, LabState
from lab.errors import LabError
from lab.hosts.from_plan import lab_hosts
from lab.hosts.image import cached, image
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
class LabParts:
    """The part of a site that a lab builds."""

    site: LabSite
    hosts: HostPlan | None
    text: str | None
    """The site file of a scaled-down lab."""


def host_count(asked: int | None, output: Output) -> int:
    """Return the number of virtual machines for each group of servers: as asked, else two, or none without QEMU.

    Raises
    ------
    LabError
        Hosts were asked for, and this machine cannot run them.
    """
    reasons = why_not() if asked != 0 else ()
    if asked and reasons:
        raise LabError(f"this machine cannot run hosts: {'; '.join(reasons)}", "--hosts 0 starts the switches alone")
    if not reasons:
        return DEFAULT_HOSTS if asked is None else asked
    output.note(f"switches only: {'; '.join(reasons)}", "yellow")
    for claim in NOT_PROVEN:
        output.note(f"not proven: {claim}", "yellow")
    return 0


def current_disk() -> Path | None:
    """Return the disk of the hosts in the cache; None when it has none of the present recipe."""
    found = cached()
    return None if found is None else found.disk


def build_disk(output: Output) -> Path:
    """Build the disk of the hosts unless the cache has it, and return it.

    Raises
    ------
    LabError
        This machine cannot run hosts, or the disk could not be built.
    """
    if reasons := why_not():
        raise LabError(f"this machine cannot run hosts: {'; '.join(reasons)}", "--hosts 0 starts the switches alone")
    return image(output.note).disk


def start(planned: PlannedSite, hosts: int, output: Output, storage_nodes: int = STORAGE_NODES) -> LabState:
    """Start the lab of a site and return it.

    Raises
    ------
    LabError
        The lab did not start.
    """
    refuse_export_only(planned.plan)
    folder = lab_folder(planned.plan.site)
    if client.status(folder).running:
        return client.up(lab_site(planned.plan, planned.catalogue), folder)
    parts = lab_parts(planned, hosts, output, storage_nodes)
    label = f"starting {len(parts.site.switches)} switches"
    if parts.hosts is not None:
        label += f" and {len(parts.hosts.hosts)} hosts"
    with output.progress(label):
        return client.up(parts.site, folder, parts.text, parts.hosts, output.note)


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
        raise LabError(message, "copy the site file with nos: enterprise-sonic or nos: cumulus, and start that site")


def lab_parts(planned: PlannedSite, hosts: int, output: Output, storage_nodes: int = STORAGE_NODES) -> LabParts:
    """Return the parts of a lab: with hosts, those of the scaled-down site."""
    if not hosts or planned.loaded.site.hosted:
        return LabParts(lab_site(planned.plan, planned.catalogue), None, None)
    smaller = scaled(planned.loaded.site, planned.catalogue, hosts)
    plan = build_plan(smaller, planned.catalogue)
    site = lab_site(plan, planned.catalogue)
    made = lab_hosts(plan, site, planned.catalogue)
    if not made:
        return LabParts(lab_site(planned.plan, planned.catalogue), None, None)
    made += lab_storage(smaller, plan, site, planned.catalogue, storage_nodes)
    scale = rule(hosts, storage_nodes=storage_nodes)
    output.note(f"scaled down: {scale}")
    document = yaml12.format_yaml(smaller.model_dump(mode="json", exclude_unset=True))
    text = f"# The part of {planned.loaded.path.name} that the lab runs: {scale}.\n{document}\n"
    return LabParts(site, HostPlan(image(output.note), made), text)
