"""Interfaces: status, neighbours, counters, transceivers."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from lab.switches.device_state import PortState
from lab.switches.nos.cumulus.configured_state import addresses
from lab.switches.nos.cumulus.names import natural
from lab.switches.nos.cumulus.nv.show_output.tables import table
from lab.switches.nos.cumulus.system import Cumulus
from lab.switches.nos.cumulus.tree import at, value

_MANAGEMENT = "eth0"
_TYPES = {"eth": "eth", "bond": "bond", "vlan": "svi", "lo": "loopback"}


def speed_text(speed_mbps: int) -> str:
    """Return a speed as NVUE writes it."""
    return f"{speed_mbps // 1000}G" if speed_mbps >= 1000 else f"{speed_mbps}M"


def interfaces(system: Cumulus) -> dict[str, Any]:
    """Every interface with its link, its addresses and who is at its other end."""
    return {name: interface(system, name) for name in _names(system)}


def _names(system: Cumulus) -> list[str]:
    others = (name for name in at(system.applied, "interface") if not name.startswith("swp"))
    return sorted({*system.state.ports, *others, _MANAGEMENT, "lo"}, key=natural)


def interface(system: Cumulus, name: str) -> dict[str, Any] | None:
    """One interface."""
    port = system.state.ports.get(name)
    if port is None and name not in {*at(system.applied, "interface"), _MANAGEMENT, "lo"}:
        return None
    block = at(system.applied, "interface", name)
    found: dict[str, Any] = {"type": _type(name), "link": _link(system, name, port)}
    if port is not None and port.description:
        found["description"] = port.description
    held = list(addresses(block))
    if held:
        found["ip"] = {"address": {address: {} for address in held}}
    neighbors = _neighbors(system, name)
    if neighbors:
        found["lldp"] = {"neighbor": neighbors}
    return found


def _type(name: str) -> str:
    return next((kind for start, kind in _TYPES.items() if name.startswith(start)), "swp")


def _link(system: Cumulus, name: str, port: PortState | None) -> dict[str, Any]:
    if port is None:
        up = _is_up(system, name)
        mtu = int(value(at(system.applied, "interface", name), "link", "mtu") or 9216)
        return {"admin-status": "up", "oper-status": "up" if up else "down", "mtu": mtu}
    up = system.switch.links.is_up(system.spec.name, name)
    return {
        "admin-status": "up" if port.admin_up else "down",
        "oper-status": "up" if up else "down",
        "state": {"up" if port.admin_up else "down": {}},
        "mtu": port.mtu_bytes,
        **({"speed": speed_text(port.speed_mbps)} if up else {}),
        **({"fec": port.fec if port.fec != "fc" else "baser"} if up else {}),
    }


def _is_up(system: Cumulus, name: str) -> bool:
    """Bonds are up with a member; the rest has no cable."""
    members = at(system.applied, "interface", name, "bond", "member")
    if _type(name) != "bond":
        return True
    return any(system.switch.links.is_up(system.spec.name, member) for member in members)


def _neighbors(system: Cumulus, name: str) -> dict[str, Any]:
    found = system.switch.links.neighbor(system.spec.name, name)
    if found is None:
        return {}
    chassis: dict[str, Any] = {
        "chassis-id": found.chassis_mac,
        "system-name": found.device,
        "system-description": found.description,
        "capability": {"is-router": "off" if found.is_host else "on", "is-bridge": "off" if found.is_host else "on"},
    }
    if found.management_address:
        chassis["management-address-ipv4"] = found.management_address
    port = {"name": found.port, "type": "interface-name", "description": found.port_description, "ttl": 120}
    return {found.device: {"chassis": chassis, "port": port}}


def lldp(system: Cumulus) -> dict[str, Any]:
    """LLDP neighbors of every port."""
    heard = ((name, _neighbors(system, name)) for name in sorted(system.state.ports, key=natural))
    return {name: {"lldp": {"neighbor": found}} for name, found in heard if found}


def lldp_neighbor(system: Cumulus, name: str) -> dict[str, Any] | None:
    """LLDP neighbors of one port."""
    return _neighbors(system, name) if name in system.state.ports else None


def counters(system: Cumulus) -> dict[str, Any]:
    """Counters of every port."""
    return {name: {"counters": port_counters(system, name)} for name in sorted(system.state.ports, key=natural)}


def port_counters(system: Cumulus, name: str) -> dict[str, Any] | None:
    """Counters of one port; packets are none in a lab whose links are computed."""
    if name not in system.state.ports:
        return None
    held = system.switch.links.counters(system.spec.name, name)
    return {
        "in-bytes": held.in_bytes,
        "in-pkts": held.in_packets,
        "in-drops": held.in_drops,
        "in-errors": 0,
        "out-bytes": held.out_bytes,
        "out-pkts": held.out_packets,
        "out-drops": held.out_drops,
        "out-errors": 0,
        "carrier-transitions": 2 * system.resets,
    }


def roce_counters(system: Cumulus, name: str) -> dict[str, Any] | None:
    """Counters of RoCE of one port (RDMA-over-Converged-Ethernet-RoCE)."""
    if name not in system.state.ports:
        return None
    held = system.switch.links.counters(system.spec.name, name)
    lossless = sorted(system.forwarding.ports[name].qos.lossless)
    drops = sum(held.queues[one].drop_packets for one in lossless if one in held.queues)
    return {
        "rx-stats": {"rx-roce-stats": {"pg-usage": 0, "no-buffer-discard": 0}, "rx-pfc-stats": {"pause-packets": 0}},
        "tx-stats": {
            "tx-ecn-stats": {"ecn-marked-packets": held.ecn_marked},
            "tx-roce-stats": {"unicast-no-buffer-discard": drops},
        },
    }


def transceivers(system: Cumulus) -> dict[str, Any]:
    """Transceivers of all ports."""
    found = ((port, _transceiver(system, port)) for port in _cages(system))
    return {name: data for name, data in found if data}


def _cages(system: Cumulus) -> Iterator[str]:
    return (f"swp{number}" for number in system.spec.ports)


def transceiver(system: Cumulus, name: str) -> dict[str, Any] | None:
    """Transceiver of one port."""
    return _transceiver(system, name) if name in set(_cages(system)) else None


def _transceiver(system: Cumulus, cage: str) -> dict[str, Any]:
    names = [cage, *(f"{cage}s{child}" for child in range(8))]
    cables = (system.switch.links.cable(system.spec.name, name) for name in names)
    cable = next((cable for cable in cables if cable is not None), None)
    if cable is None:
        return {}
    digest = sha256(f"{cable.a}{cable.b}".encode()).hexdigest().upper()
    return {
        "status": "plugged_enabled",
        "vendor-name": "NVIDIA",
        "vendor-pn": cable.part_at(system.spec.name) or digest[:12],
        "vendor-sn": f"MT{digest[12:24]}",
        "cable-type": cable.cable,
    }


def _interface_table(data: dict[str, Any]) -> str:
    titles = ("Interface", "Admin Status", "Oper Status", "Speed", "MTU", "Type", "Remote Host", "Remote Port")
    rows = []
    for name, found in data.items():
        link = found["link"]
        remote = next(iter(found.get("lldp", {}).get("neighbor", {}).items()), ("", {"port": {"name": ""}}))
        status = (link["admin-status"], link["oper-status"], link.get("speed", ""), link["mtu"])
        rows.append((name, *status, found["type"], remote[0], remote[1]["port"]["name"]))
    return table(titles, rows)


def _lldp_table(data: dict[str, Any]) -> str:
    titles = ("Interface", "Remote Host", "Remote Port")
    rows: list[tuple[str, str, str]] = []
    for name, found in data.items():
        neighbors = found["lldp"]["neighbor"].items()
        rows.extend((name, device, neighbor["port"]["name"]) for device, neighbor in neighbors)
    return table(titles, rows)


SHOWS = (
    ("interface", interfaces, _interface_table),
    ("interface lldp", lldp, _lldp_table),
    ("interface lldp-detail", lldp, _lldp_table),
    ("interface counters", counters, None),
    ("interface <name>", interface, None),
    ("interface <name> lldp neighbor", lldp_neighbor, None),
    ("interface <name> counters", port_counters, None),
    ("interface <name> qos roce counters", roce_counters, None),
    ("interface <name> transceiver", transceiver, None),
    ("platform transceiver", transceivers, None),
)
