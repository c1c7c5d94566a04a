"""The plan of the site that a verb was given."""

from typing import TYPE_CHECKING

from rackproof.cli.output import Output

if TYPE_CHECKING:
    from pathlib import Path

    from rackproof.plan.from_file import PlannedSite


def planned_for_access(name: str, access: "Path | None", output: Output) -> "PlannedSite":
    """Return the plan for the devices of access.yaml; in a lab with hosts that is the plan of the scaled-down site.

    Export-only switches have no intent in it: no verb connects to them.

    Raises
    ------
    BadInputError
        There is no such site.
    SiteErrors
        Everything that is wrong with it, with places.
    """
    from rackproof.cli.excerpt import shown_path  # noqa: PLC0415 not needed to start
    from rackproof.connect.access import site_in_use  # noqa: PLC0415 likewise
    from rackproof.site.load import find_site  # noqa: PLC0415 likewise

    used = site_in_use(name, access)
    if used != find_site(name):
        output.note(f"the lab has a part of the site: {shown_path(used)}")
    return planned_site(str(used), output).for_devices()


def planned_site(name: str, output: Output) -> "PlannedSite":
    """Return the plan of a site given by name or path; warnings are shown.

    Raises
    ------
    BadInputError
        There is no such site.
    SiteErrors
        Everything that is wrong with it, with places.
    """
    from rackproof.plan.from_file import plan_site  # noqa: PLC0415 not needed to start
    from rackproof.site.load import find_site  # noqa: PLC0415 likewise

    planned = plan_site(find_site(name))
    output.problems(planned.warnings)
    for notice in planned.plan.notices:
        if notice.kind == "left-out":
            output.note(f"left out: {notice.text}")
        elif notice.kind == "export-only":
            output.note(f"export only: {notice.subject}: {notice.text}")
    return planned
