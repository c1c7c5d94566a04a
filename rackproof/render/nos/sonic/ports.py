"""Front panel ports, split or whole, used or not, and the addresses on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rackproof.plan.model.plan import PortIntent
from rackproof.plan.model.port_names import front_panel_port, port_keys
from rackproof.render.nos.sonic.database import ConfigDb, Fields, key, row_fields, rows
from rackproof.types import Fec, split_breakout

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rackproof.hardware.models import NosModel, PortRange, SwitchModel
    from rackproof.plan.model.plan import SwitchIntent

UNUSED_MTU_BYTES = 9100
"""SONiC's default (sonic-buildimage, minigraph.py and port_config): unused ports keep it."""

FECS: dict[str, Fec] = {"rs": "rs", "fc": "fc", "none": "none"}


@dataclass(frozen=True, slots=True)
class Socket:
    """A port as it is split: what its PORT row takes from the hardware."""

    name: str
    key: str
    hardware: Fields
    speed_gbps: int


def sockets(nos: NosModel, model: SwitchModel, breakouts: Mapping[str, str]) -> list[Socket]:
    """Return every port of the switch with these splits, in front panel order."""
    found = []
    for name, port_key in port_keys(nos, model, breakouts).items():
        port, _, child = port_key.partition("/")
        ports = model.port_range(int(port))
        lanes = ports.sonic_lane_numbers(int(port))
        alias = ports.sonic_alias.format(port=port)
        speed_gbps, subport = ports.speed_gbps, "0"
        if child:
            count, speed_gbps = split_breakout(breakouts[port])
            share = len(lanes) // count
            lanes = lanes[(int(child) - 1) * share : int(child) * share]
            alias, subport = (f"{alias}{'abcdefgh'[int(child) - 1]}", child) if count > 1 else (alias, "0")
        hardware = {"lanes": ",".join(map(str, lanes)), "alias": alias, "index": port, "subport": subport}
        found.append(Socket(name, port_key, hardware, speed_gbps))
    return found


def write_ports(nos: NosModel, model: SwitchModel, intent: SwitchIntent) -> ConfigDb:
    """Return PORT, BREAKOUT_CFG and INTERFACE."""
    database: ConfigDb = {"PORT": {}, "BREAKOUT_CFG": {}, "INTERFACE": {}}
    for socket in sockets(nos, model, intent.breakouts):
        port = intent.ports.get(socket.key)
        if port is None:
            database["PORT"][socket.name] = _unused(socket)
            continue
        database["PORT"][socket.name] = _used(socket, port, model.port_range(front_panel_port(socket.key)))
        if port.unnumbered:
            database["INTERFACE"][socket.name] = {"ipv6_use_link_local_only": "enable"}
        if port.address:
            database["INTERFACE"] |= {socket.name: {}, key(socket.name, port.address): {}}
    whole = {key_: name for name, key_ in port_keys(nos, model, {}).items()}
    for port_number, mode in intent.breakouts.items():
        modes = {breakout.mode: breakout.sonic_mode for breakout in model.port_range(int(port_number)).breakouts}
        database["BREAKOUT_CFG"][whole[port_number]] = {"brkout_mode": modes[mode]}
    return database


def _unused(socket: Socket) -> Fields:
    """Return the row of an unused port: shut down."""
    common = {"speed": str(socket.speed_gbps * 1000), "mtu": str(UNUSED_MTU_BYTES), "admin_status": "down"}
    return socket.hardware | common


def _used(socket: Socket, port: PortIntent, ports: PortRange) -> Fields:
    """Return the row of a port in use; twisted pair negotiates its speed (IEEE 802.3 clause 40)."""
    return socket.hardware | {
        "description": port.description,
        "speed": str(port.speed_gbps * 1000),
        "mtu": str(port.mtu_bytes),
        "fec": port.fec,
        "admin_status": "up",
        **({"autoneg": "on"} if ports.cage == "rj45" else {}),
    }


def read_breakouts(nos: NosModel, model: SwitchModel, database: ConfigDb) -> dict[str, str]:
    """Return the splits that the switch model has, as its PORT rows carry them out.

    Two modes may share SONiC's word (4x25G[10G] is 4x25G or 4x10G): the speed of the first child decides.
    """
    whole = port_keys(nos, model, {})
    breakouts = {}
    for name, fields in database.get("BREAKOUT_CFG", {}).items():
        if name not in whole:
            continue
        port = whole[name]
        speed = row_fields(database, "PORT", name).get("speed")
        candidates = [
            breakout.mode
            for breakout in model.port_range(int(port)).breakouts
            if breakout.sonic_mode == fields.get("brkout_mode")
        ]
        chosen = next((mode for mode in candidates if str(split_breakout(mode)[1] * 1000) == speed), None)
        if chosen or candidates:
            breakouts[port] = chosen or candidates[0]
    return breakouts


def read_ports(database: ConfigDb, names: Mapping[str, str]) -> dict[str, PortIntent]:
    """Return the ports in use (the plan describes each), by port key, without what other tables say of them."""
    addresses = {name: address for (name, address), _ in rows(database, "INTERFACE", 2)}
    return {
        names[name]: PortIntent(
            description=fields["description"],
            speed_gbps=_number(fields.get("speed")) // 1000,
            fec=FECS.get(fields.get("fec", "none"), "none"),
            mtu_bytes=_number(fields.get("mtu")),
            address=addresses.get(name),
            unnumbered=row_fields(database, "INTERFACE", name).get("ipv6_use_link_local_only") == "enable",
        )
        for name, fields in database.get("PORT", {}).items()
        if name in names and "description" in fields
    }


def _number(text: str | None) -> int:
    return int(text) if text and text.isdecimal() else 0
