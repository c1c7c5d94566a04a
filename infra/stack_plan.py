"""The plan of the stack's site, and which of its switches the stack has."""

import pulumi

from rackproof.deploy.access import site_in_use
from rackproof.deploy.steps import selected
from rackproof.errors import RackproofError, SiteError, SiteErrors
from rackproof.plan.from_file import plan_site
from rackproof.plan.models import Plan


def stack_plan() -> Plan:
    """Return the plan of the site that the stack's configuration names: ``rackproof:site``, or the stack's own name.

    Raises
    ------
    pulumi.RunError
        There is no such site, or its file is wrong; the text says everything that is.
    """
    site = pulumi.Config().get("site") or pulumi.get_stack()
    try:
        return plan_site(site_in_use(site)).plan
    except SiteErrors as errors:
        raise pulumi.RunError("\n".join(map(error_text, errors.errors))) from errors
    except RackproofError as error:
        raise pulumi.RunError(f"{error.message}\n{error.hint}") from error


def stack_switches(plan: Plan) -> frozenset[str]:
    """Return the switches that the stack has: those its configuration ``rackproof:only`` names, or all.

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


def error_text(error: SiteError) -> str:
    """Return one thing that is wrong with a site file, with its place and hint."""
    kind = "warning" if error.warning else "error"
    place = f"{error.place.file}:{error.place.line}:{error.place.column}: " if error.place else ""
    return f"{place}{kind}: {error.message}" + (f" ({error.hint})" if error.hint else "")
