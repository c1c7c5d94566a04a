"""``ip -j route show`` of iproute2: a switch with Cumulus Linux has its routes in the kernel."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from lab.routes import LabRoute
from lab.shell.call import Call, Program

if TYPE_CHECKING:
    from lab.nos.cumulus.system import Cumulus

_SHOWN: Final = ("-j", "route", "show")


async def ip(call: Call) -> int:
    """Print the main table's routes; nothing else of ``ip`` is here."""
    if call.arguments[1:] != _SHOWN:
        return call.fail(f'Object "{" ".join(call.arguments[1:])}" is unknown, try "ip help".', 255)
    system = cast("Cumulus", call.switch.nos)
    await system.switch.wiring.refresh(system.spec.name)
    router = system.forwarding.router
    paths = 1 if router is None else router.paths
    call.print(json.dumps([_row(route, paths) for route in system.switch.wiring.routes(system.spec.name)]))
    return 0


def _row(route: LabRoute, paths: int) -> dict[str, Any]:
    prefix = route.prefix.removesuffix("/32") if route.prefix != "0.0.0.0/0" else "default"
    head: dict[str, Any] = {"dst": prefix, "protocol": route.protocol, "metric": 20, "flags": []}
    ways = [{"dev": port, "flags": []} for port in route.ports[:paths]]
    return {**head, **ways[0]} if len(ways) == 1 else {**head, "nexthops": [{**way, "weight": 1} for way in ways]}


PROGRAMS: Mapping[str, Program] = {"ip": ip}
