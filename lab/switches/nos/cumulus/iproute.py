"""``ip`` and ``bridge`` of iproute2: a switch with Cumulus Linux has its routes and addresses in the kernel."""

import json
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any, Final

from lab.switches.links import LabRoute
from lab.switches.nos.cumulus.system import Cumulus
from lab.switches.shell.call import Call, Program

_SHOWN: Final = ("-j", "route", "show")
_LEARNED: Final = ("-j", "fdb", "show")


async def _ip(system: Cumulus, call: Call) -> int:
    """Print the main table's routes; nothing else of ``ip`` is here."""
    if call.arguments[1:] != _SHOWN:
        return call.fail(f'Object "{" ".join(call.arguments[1:])}" is unknown, try "ip help".', 255)
    await system.switch.links.refresh(system.spec.name)
    router = system.forwarding.router
    paths = 1 if router is None else router.paths
    call.print(json.dumps([_row(route, paths) for route in system.switch.links.routes(system.spec.name)]))
    return 0


def _row(route: LabRoute, paths: int) -> dict[str, Any]:
    prefix = route.prefix.removesuffix("/32") if route.prefix != "0.0.0.0/0" else "default"
    head: dict[str, Any] = {"dst": prefix, "protocol": route.protocol, "metric": 20, "flags": []}
    ways = [{"dev": port, "flags": []} for port in route.ports[:paths]]
    return {**head, **ways[0]} if len(ways) == 1 else {**head, "nexthops": [{**way, "weight": 1} for way in ways]}


async def _bridge(system: Cumulus, call: Call) -> int:
    """``bridge -j fdb show``; nothing else of ``bridge`` is here."""
    if call.arguments[1:] != _LEARNED:
        return call.fail(f'Object "{" ".join(call.arguments[1:])}" is unknown, try "bridge help".', 255)
    await system.switch.links.refresh(system.spec.name)
    call.print(json.dumps(list(chain.from_iterable(_learned(system, name) for name in sorted(system.state.ports)))))
    return 0


def _learned(system: Cumulus, name: str) -> Iterator[dict[str, Any]]:
    vlan = system.forwarding.ports[name].access_vlan
    head = {"ifname": name, "master": "br_default", "flags": [], "state": ""}
    for mac in () if vlan is None else system.switch.links.macs(system.spec.name, name):
        yield {"mac": mac, "vlan": vlan, **head}


def programs(system: Cumulus) -> Mapping[str, Program]:
    """Return ``ip`` and ``bridge`` of a switch."""
    return {"ip": partial(_ip, system), "bridge": partial(_bridge, system)}
