"""LLDP of a switch: the configuration of lldpd, and its neighbors."""

import asyncio
import json
from collections.abc import Container, Iterator, Mapping
from itertools import chain
from typing import Any

from lab.fabric.command import run
from lab.fabric.daemons import Lldp
from lab.spec.kernel_names import kernel_name
from lab.switches.device_state import DeviceState
from lab.switches.forwarding import Forwarding
from lab.switches.links import Neighbor

TX_INTERVAL_S = 2
"""The lab's own interval: a moved cable shows within seconds."""
_TRIES = 20
_RETRY_S = 0.1
"""lldpd drops settings of a port that it has not found yet, so they are sent again."""


def commands(state: DeviceState, forwarding: Forwarding, carried: Container[str]) -> Iterator[str]:
    """Yield the lldpcli commands that make lldpd announce what the NOS announces."""
    yield f"configure system hostname {state.name}"
    yield f'configure system description "{state.description}"'
    yield f"configure system chassisid {state.chassis_mac}"
    if state.management_address:
        yield f"configure system ip management pattern {state.management_address}"
    yield f"configure lldp tx-interval {TX_INTERVAL_S}"
    for name, port in forwarding.ports.items():
        kernel = kernel_name(name)
        if kernel not in carried:
            continue
        shown = port.description or state.ports[name].native_name
        yield f"configure ports {kernel} lldp portidsubtype local {name}"
        yield f'configure ports {kernel} lldp portdescription "{shown}"'
        yield f"configure ports {kernel} lldp status {'rx-and-tx' if port.lldp else 'disabled'}"


async def configure(daemon: Lldp, lines: tuple[str, ...]) -> None:
    """Configure lldpd; only changed lines are sent.

    Raises
    ------
    FabricError
        It refused a line.
    """
    for _ in range(_TRIES):
        fresh = [line for line in lines if line not in daemon.configured]
        if not fresh:
            return
        # lldpd looks for new ports once a second or on `update`, and is paused until its own lldpcli has run.
        text = "".join(f"{line}\n" for line in ("update", *fresh, "resume", "update"))
        await run("lldpcli", "-u", str(daemon.socket), text=text)
        known, named = await asyncio.gather(_ports(daemon), _host_name(daemon))
        general = None if lines[0].endswith(f" {named}") else ""
        daemon.configured = tuple(line for line in lines if _configured_port(line) in {*known, general})
        if daemon.configured != lines:
            await asyncio.sleep(_RETRY_S)


def _configured_port(line: str) -> str | None:
    words = line.split()
    return words[2] if words[1] == "ports" else None


async def _host_name(daemon: Lldp) -> str:
    """Return the system name in lldpd."""
    data = json.loads(await run("lldpcli", "-u", str(daemon.socket), "-f", "json0", "show", "chassis") or "{}")
    chassis = chain.from_iterable(row["chassis"] for row in data.get("local-chassis", []))
    return next((_first(one, "name") for one in chassis), "")


async def _ports(daemon: Lldp) -> frozenset[str]:
    """Return the ports that lldpd has found."""
    data = json.loads(await run("lldpcli", "-u", str(daemon.socket), "-f", "json0", "show", "interfaces") or "{}")
    interfaces = chain.from_iterable(row.get("interface", []) for row in data.get("lldp", []))
    return frozenset(one["name"] for one in interfaces)


async def read_neighbors(daemon: Lldp) -> dict[str, Neighbor]:
    """Return the LLDP neighbor of each port, by the kernel's name of the port."""
    if not daemon.up:
        return {}
    text = await run("lldpcli", "-u", str(daemon.socket), "-f", "json0", "show", "neighbors", "details", tolerant=True)
    return neighbors(json.loads(text or "{}"))


def neighbors(data: Mapping[str, Any]) -> dict[str, Neighbor]:
    """Return the neighbors in lldpcli's ``json0`` output, by the kernel's name of the port."""
    found: dict[str, Neighbor] = {}
    for row in data.get("lldp", []):
        for interface in row.get("interface", []):
            chassis, port = interface["chassis"][0], interface["port"][0]
            roles = {one["type"]: one["enabled"] for one in chassis.get("capability", [])}
            found[interface["name"]] = Neighbor(
                device=_first(chassis, "name"),
                port=_first(port, "id"),
                port_description=_first(port, "descr"),
                chassis_mac=_first(chassis, "id"),
                description=_first(chassis, "descr"),
                management_address=next(
                    (one["value"] for one in chassis.get("mgmt-ip", []) if "." in one["value"]), None
                ),
                is_host=not roles.get("Bridge", False),
            )
    return found


def _first(block: Mapping[str, Any], key: str) -> str:
    return next((str(one.get("value", "")) for one in block.get(key, [])), "")
