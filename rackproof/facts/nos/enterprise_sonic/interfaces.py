"""Ports of a switch with Enterprise SONiC: state, link, LLDP neighbors, learned MAC addresses and optics."""

import re
from typing import Final

from rackproof.facts.fact import Answers
from rackproof.facts.models import LldpNeighbour, Optic, PortLink, PortStatus
from rackproof.facts.nos.columns import table_rows
from rackproof.facts.nos.enterprise_sonic.shows import PORT, fields, show_output, show_reader
from rackproof.facts.nos.enterprise_sonic.sonic_cli import parse_interface_status

STATUS: Final = "show interface status"
FEC: Final = "show interface fec status"
LLDP: Final = "show lldp neighbor"
MAC_TABLE: Final = "show mac address-table"
TRANSCEIVERS: Final = "show interface transceiver summary"
OPTIC_TITLES: Final = ("Interface", "Name", "Vendor", "Part No.", "Serial No.", "QSA Adapter", "Qualified")
NOTHING: Final = "N/A"
LLDP_PORT: Final = re.compile(r"^Interface:\s+(?P<port>[^,\s]+)", re.MULTILINE)
LEARNED: Final = re.compile(
    r"^\s*\d+\s+(?P<mac>(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2})\s+\S+\s+(?P<port>Eth\S+)", re.MULTILINE
)
FEC_NAMES: Final = {"rs": "rs", "fc": "fc", "none": "none", "off": "none", "disabled": "none"}


def ports(answers: Answers) -> dict[str, PortStatus]:
    """Parse ``show interface status``."""
    return {one.port: one for one in parse_interface_status(show_output(answers, STATUS))}


def links(answers: Answers) -> dict[str, PortLink]:
    """Parse speeds and ``show interface fec status``: interface, type, oper, admin, state; the type may hold blanks."""
    cells = (line.split() for line in show_output(answers, FEC).splitlines())
    fec = {row[0]: fec_name(row[-3]) for row in cells if len(row) >= 4 and PORT.match(row[0])}
    return {
        name: PortLink(name, one.speed_mbps if one.up else None, fec.get(name) if one.up else None)
        for name, one in ports(answers).items()
    }


def fec_name(word: str) -> str | None:
    """Return a FEC as the plan names it; None where the plan has no name for it."""
    return FEC_NAMES.get(word.lower().removeprefix("fec_").removeprefix("fec-"))


def neighbors(answers: Answers) -> dict[str, LldpNeighbour]:
    """Parse ``show lldp neighbor``, which cuts no name off."""
    found: dict[str, LldpNeighbour] = {}
    _, *parts = LLDP_PORT.split(show_output(answers, LLDP))
    for port, text in zip(parts[::2], parts[1::2], strict=True):
        heard = fields(text)
        found[port] = LldpNeighbour(
            port, heard.get("SysName", ""), heard.get("PortID", ""), heard.get("ChassisID", "").lower()
        )
    return found


def macs(answers: Answers) -> dict[str, tuple[str, ...]]:
    """Parse ``show mac address-table``: VLAN, address, type, interface."""
    found: dict[str, tuple[str, ...]] = {}
    for row in LEARNED.finditer(show_output(answers, MAC_TABLE)):
        found[row["port"]] = (*found.get(row["port"], ()), row["mac"].lower())
    return found


def optics(answers: Answers) -> dict[str, Optic]:
    """Parse ``show interface transceiver summary``."""
    return {
        port: Optic(port, kind != NOTHING, *("" if cell == NOTHING else cell for cell in (kind, vendor, part, serial)))
        for port, kind, vendor, part, serial, *_ in table_rows(show_output(answers, TRANSCEIVERS), OPTIC_TITLES)
        if PORT.match(port)
    }


PORTS: Final = show_reader(ports, STATUS)
LINKS: Final = show_reader(links, STATUS, FEC)
NEIGHBORS: Final = show_reader(neighbors, LLDP)
MACS: Final = show_reader(macs, MAC_TABLE)
OPTICS: Final = show_reader(optics, TRANSCEIVERS)
