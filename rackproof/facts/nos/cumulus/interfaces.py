"""Ports of a switch with Cumulus Linux: state, link, LLDP neighbors, learned MAC addresses and optics."""

import json
from typing import Final

from rackproof.facts.fact import Answers, command_output
from rackproof.facts.models import LldpNeighbour, Optic, PortLink, PortStatus
from rackproof.facts.nos.cumulus.nv_show import objects, parse_interfaces, parse_lldp, part
from rackproof.facts.nos.cumulus.nvue import PORT
from rackproof.facts.nos.readers import Reader

INTERFACES: Final = "nv show interface -o json"
LLDP: Final = "nv show interface --view lldp-detail -o json"
FDB: Final = "bridge -j fdb show"
TRANSCEIVERS: Final = "nv show platform transceiver -o json"
FEC: Final = {"rs": "rs", "baser": "fc", "fc": "fc", "off": "none", "none": "none"}
OPTIC_FIELDS: Final = ("cable-type", "vendor-name", "vendor-pn", "vendor-sn")


def ports(answers: Answers) -> dict[str, PortStatus]:
    """Parse ``nv show interface``."""
    return {one.port: one for one in parse_interfaces(command_output(answers, INTERFACES))}


def links(answers: Answers) -> dict[str, PortLink]:
    """Return speed and FEC of every port that is up."""
    found = objects(command_output(answers, INTERFACES))
    return {
        name: PortLink(name, one.speed_mbps, FEC.get(str(part(found[name], "link").get("fec"))))
        for name, one in ports(answers).items()
    }


def neighbors(answers: Answers) -> dict[str, LldpNeighbour]:
    """Return the LLDP neighbor of each port."""
    return {one.port: one for one in parse_lldp(command_output(answers, LLDP))}


def macs(answers: Answers) -> dict[str, tuple[str, ...]]:
    """Return the MAC addresses learned on each port; the bridge's own addresses are permanent and left out."""
    found: dict[str, tuple[str, ...]] = {}
    for row in json.loads(command_output(answers, FDB) or "[]"):
        port, mac = str(row.get("ifname", "")), str(row.get("mac", "")).lower()
        if PORT.match(port) and row.get("state") != "permanent" and mac not in found.get(port, ()):
            found[port] = (*found.get(port, ()), mac)
    return found


def optics(answers: Answers) -> dict[str, Optic]:
    """Return the optic in each cage."""
    found = objects(command_output(answers, TRANSCEIVERS))
    return {
        cage: Optic(cage, "plugged" in str(one.get("status", "")), *(str(one.get(name, "")) for name in OPTIC_FIELDS))
        for cage, one in found.items()
    }


PORTS: Final = Reader(ports, (INTERFACES,))
LINKS: Final = Reader(links, (INTERFACES,))
NEIGHBORS: Final = Reader(neighbors, (LLDP,))
MACS: Final = Reader(macs, (FDB,))
OPTICS: Final = Reader(optics, (TRANSCEIVERS,))
