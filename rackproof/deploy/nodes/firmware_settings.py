"""BIOS settings of a host: what differs, as its management controller says, and which hosts are left alone."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from rackproof.connect.access import LoadedAccess
from rackproof.connect.errors import DeviceError
from rackproof.connect.redfish import asked
from rackproof.deploy.nodes.job import NodeTask
from rackproof.errors import RackproofError
from rackproof.facts.controllers import BIOS_SETTINGS, unlike
from rackproof.plan.from_file import PlannedSite
from rackproof.plural import listed
from rackproof.site.access import CONTROLLER

PLANNED: Final = "server_settings_bios"
"""Variable with the planned settings, of the role that brings them about."""
KIND: Final = "bios"
MOST_NAMED: Final = 5
"""Hosts that a sentence names; more are counted."""


async def settings_that_differ(task: NodeTask) -> tuple[Mapping[str, Any], ...]:
    """Return the BIOS settings of a host that are not as planned, as its script tells what differs.

    A controller that does not answer is a difference too: what it does not say may differ. Nothing is asked where
    nothing is planned, or nobody said how the controller is reached.
    """
    if task.controller is None or not task.variables.get(PLANNED):
        return ()
    found = await asked(task.controller, BIOS_SETTINGS.commands)
    try:
        if isinstance(found, DeviceError):
            return (_untold(f"{task.controller.device}: {found.cause}"),)
        held = BIOS_SETTINGS.parse(found)
    except (RackproofError, ValueError) as error:
        return (_untold(f"{task.controller.device}: {error}"),)
    return tuple(_differences(unlike(task.variables[PLANNED], held), task.variables[PLANNED]))


def _differences(
    unlike_planned: Iterable[tuple[str, str | None, bool]], planned: Mapping[str, str]
) -> Iterator[Mapping[str, Any]]:
    for name, value, waits in unlike_planned:
        key = "waiting" if waits else "value"
        yield {"kind": KIND, "name": name, "key": key, "found": value, "expected": planned[name]}


def _untold(reason: str) -> Mapping[str, Any]:
    return {"kind": KIND, "name": "settings", "key": "told", "error": reason}


def left_alone(site: PlannedSite, hosts: Iterable[str], access: LoadedAccess) -> str:
    """Return of which hosts the BIOS is left alone, and why, in one sentence; empty: of none.

    Parameters
    ----------
    site
        The site, for the BIOS settings that its models have.
    hosts
        Names of its hosts.
    access
        How devices are reached.
    """
    planned = (name for name in hosts if site.catalogue.server(site.plan.servers[name].model).bios)
    alone = [name for name in planned if access.access.controller(name) is None]
    if not alone:
        return ""
    return (
        f"{listed(alone, MOST_NAMED)}: the BIOS is left alone and not looked at, because {access.path.name} "
        f"does not say how the management controller is reached (`{alone[0]}{CONTROLLER}`)"
    )
