"""BIOS settings of a host: differences that its management controller reports, and hosts that are left alone."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from rackproof.connect.access import LoadedAccess
from rackproof.connect.errors import DeviceError
from rackproof.connect.redfish import ask_controller
from rackproof.deploy.nodes.job import NodeTask
from rackproof.errors import RackproofError
from rackproof.facts.controllers import BIOS_SETTINGS, unlike
from rackproof.plan.from_file import PlannedSite
from rackproof.plural import listed
from rackproof.site.access import CONTROLLER

PLANNED: Final = "server_settings_bios"
"""Variable of the role with the planned settings."""
KIND: Final = "bios"
MOST_NAMED: Final = 5
"""Hosts that a sentence names; more are counted."""


async def settings_that_differ(task: NodeTask) -> tuple[Mapping[str, Any], ...]:
    """Return the BIOS settings that differ from the plan, in the form of the state script.

    A controller that does not answer is a difference too, because its settings may differ. It is not asked where no
    settings are planned, or access.yaml does not name it.
    """
    if task.controller is None or not task.variables.get(PLANNED):
        return ()
    found = await ask_controller(task.controller, BIOS_SETTINGS.commands)
    try:
        if isinstance(found, DeviceError):
            return (_unread(f"{task.controller.device}: {found.cause}"),)
        held = BIOS_SETTINGS.parse(found)
    except (RackproofError, ValueError) as error:
        return (_unread(f"{task.controller.device}: {error}"),)
    return tuple(_differences(unlike(task.variables[PLANNED], held), task.variables[PLANNED]))


def _differences(
    unlike_planned: Iterable[tuple[str, str | None, bool]], planned: Mapping[str, str]
) -> Iterator[Mapping[str, Any]]:
    for name, value, waits in unlike_planned:
        key = "waiting" if waits else "value"
        yield {"kind": KIND, "name": name, "key": key, "found": value, "expected": planned[name]}


def _unread(reason: str) -> Mapping[str, Any]:
    return {"kind": KIND, "name": "settings", "key": "told", "error": reason}


def left_alone(site: PlannedSite, hosts: Iterable[str], access: LoadedAccess) -> str:
    """Return one sentence on the hosts whose BIOS is left alone, and why; empty: there are none.

    Parameters
    ----------
    site
        The site, for the BIOS settings that its models have.
    hosts
        Names of its hosts.
    access
        The access.yaml.
    """
    planned = (name for name in hosts if site.catalogue.server(site.plan.servers[name].model).bios)
    alone = [name for name in planned if access.access.controller(name) is None]
    if not alone:
        return ""
    return (
        f"{listed(alone, MOST_NAMED)}: the BIOS is neither read nor changed, because {access.path.name} "
        f"does not say how the management controller is reached (`{alone[0]}{CONTROLLER}`)"
    )
