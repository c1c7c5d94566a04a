"""The plan of the stack's site, and the switches and hosts of it that belong to the stack."""

from pathlib import Path

import pulumi

from rackproof.connect.access import access_file, load_access, site_in_use
from rackproof.deploy.nodes.build_steps import NodeOrder, node_orders
from rackproof.deploy.nodes.firmware_settings import left_alone
from rackproof.deploy.switch.build_steps import selected, selected_servers
from rackproof.errors import RackproofError, SiteError, SiteErrors
from rackproof.plan.from_file import PlannedSite, host_sources, plan_site
from rackproof.plan.model.plan import Plan
from rackproof.site.as_built import FILE_NAME, load_as_built


def stack_plan() -> PlannedSite:
    """Return the site with its plan that the stack's configuration names: ``rackproof:site``, or the stack's own name.

    Raises
    ------
    pulumi.RunError
        There is no such site, or its file is wrong; the message lists every error.
    """
    site = pulumi.Config().get("site") or pulumi.get_stack()
    try:
        planned = plan_site(site_in_use(site))
    except SiteErrors as errors:
        raise pulumi.RunError("\n".join(map(site_error_text, errors.errors))) from errors
    except RackproofError as error:
        raise pulumi.RunError(f"{error.message}\n{error.hint}") from error
    if names := planned.plan.export_only():
        pulumi.log.warn(f"export only, not in the stack: {', '.join(names)}")
    return planned.for_devices()


def stack_switches(plan: Plan) -> frozenset[str]:
    """Return the switches of the stack: those that its configuration ``rackproof:only`` names, by default all.

    Raises
    ------
    pulumi.RunError
        A name is neither a switch nor a fabric nor a redundancy group of the plan.
    """
    only: list[str] = pulumi.Config().get_object("only") or []
    try:
        return frozenset(selected(plan, only))
    except RackproofError as error:
        raise pulumi.RunError(f"rackproof:only: {error.message}\n{error.hint}") from error


def stack_nodes(planned: PlannedSite) -> dict[str, NodeOrder]:
    """Return the hosts of the stack: those that access.yaml names and, where it is set, ``rackproof:only`` selects.

    Raises
    ------
    pulumi.RunError
        access.yaml, or the as-built record beside it, cannot be used.
    """
    config, plan = pulumi.Config(), planned.plan
    given = config.get("access")
    path = access_file(plan.site, Path(given) if given else None)
    if not path.is_file():
        return {}
    try:
        loaded = load_access(path)
        names = selected_servers(plan, config.get_object("only") or [], loaded.access.devices)
        if text := left_alone(planned, names, loaded):
            pulumi.log.info(text)
        return node_orders(host_sources(planned, load_as_built(path.parent / FILE_NAME)), names) if names else {}
    except RackproofError as error:
        raise pulumi.RunError(f"{error.message}\n{error.hint}") from error


def site_error_text(error: SiteError) -> str:
    """Return one error or warning of a site file, with its place and hint."""
    kind = "warning" if error.warning else "error"
    place = f"{error.place.file}:{error.place.line}:{error.place.column}: " if error.place else ""
    return f"{place}{kind}: {error.message}" + (f" ({error.hint})" if error.hint else "")
