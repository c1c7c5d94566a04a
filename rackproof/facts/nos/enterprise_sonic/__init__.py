"""Dell Enterprise SONiC: the commands of each subject, and what they print.

How ports treat RoCE is read from the running configuration, which prints every map and every port's own lines: one
command, where ``show qos interface`` would be two for each port. The tables are those of the management framework's
renderer; where it has none that is public, of the parsers of AMD's node-scraper (fec, watchdog) and of Broadcom's
spytest (``show queue wred-ecn counters``, whose titles are taken to be those of SONiC's ``show queue wredcounters``).
Sessions are those of the default VRF: others are not configured on this NOS (render/extensions.py refuses them).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rackproof.facts.fact import Answers, FactError, output_of
from rackproof.facts.models import (
    BgpSession,
    EthernetSegment,
    LldpNeighbour,
    Optic,
    PortCounters,
    PortLink,
    PortRoce,
    PortStatus,
    QueueBuffer,
    Route,
    SwitchIdentity,
    Vni,
)
from rackproof.facts.nos.columns import table_rows
from rackproof.facts.nos.enterprise_sonic import overlay, qos
from rackproof.facts.nos.enterprise_sonic import sonic_cli as tables
from rackproof.facts.switches import DEFAULT_VRF, Subject

VERSION: Final = "show version"
EEPROM: Final = "show platform syseeprom"
RUNNING: Final = "show running-configuration"
STATUS: Final = "show interface status"
FEC: Final = "show interface fec status"
LLDP: Final = "show lldp neighbor"
MACS: Final = "show mac address-table"
BGP: Final = "show bgp ipv4 unicast summary"
EVPN: Final = "show bgp l2vpn evpn summary"
VNIS: Final = "show evpn vni detail"
VNI_VLANS: Final = "show vxlan vlanvnimap"
SEGMENTS: Final = "show evpn es detail"
ROUTES: Final = "show ip route"
COUNTERS: Final = "show interface counters"
QUEUES: Final = "show queue counters"
MARKS: Final = "show queue wred-ecn counters"
PFC: Final = "show priority-flow-control statistics"
WATCHDOG: Final = "show qos interface Eth all queue all priority-flow-control watchdog-statistics"
OPTICS: Final = "show interface transceiver summary"
WATERMARKS: Final = "show queue watermark unicast"

SHOWS: Final[Mapping[Subject, tuple[str, ...]]] = {
    "identity": (VERSION, EEPROM),
    "running": (RUNNING,),
    "ports": (STATUS,),
    "links": (STATUS, FEC),
    "neighbours": (LLDP,),
    "macs": (MACS,),
    "sessions": (BGP, EVPN),
    "vrf-sessions": (BGP, EVPN),
    "vnis": (VNIS, VNI_VLANS),
    "segments": (SEGMENTS,),
    "routes": (ROUTES,),
    "traffic": (COUNTERS, QUEUES, MARKS),
    "pauses": (PFC, WATCHDOG),
    "roce": (RUNNING,),
    "optics": (OPTICS,),
    "buffers": (WATERMARKS,),
}
REFUSED: Final = re.compile(r"^\s*%?\s?Error:?\s*(?P<why>.*)$", re.MULTILINE)
OPTIC_TITLES: Final = ("Interface", "Name", "Vendor", "Part No.", "Serial No.", "QSA Adapter", "Qualified")
NOTHING: Final = "N/A"
PORT: Final = re.compile(r"Eth\d\S*\Z")
FIELD: Final = re.compile(r"^[ ]*(?P<name>[A-Za-z][A-Za-z ]*?)[ ]*:[ ]+(?P<value>\S.*?)[ ]*$", re.MULTILINE)
HEARD_ON: Final = re.compile(r"^Interface:\s+(?P<port>[^,\s]+)", re.MULTILINE)
QUEUE: Final = re.compile(r"UC(?P<number>\d+)\Z")
LEARNED: Final = re.compile(
    r"^\s*\d+\s+(?P<mac>(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2})\s+\S+\s+(?P<port>Eth\S+)", re.MULTILINE
)
ROUTE: Final = re.compile(
    r"^\s*(?P<code>[A-Z]\S*)\s+(?P<prefix>\d+\.\d+\.\d+\.\d+/\d+)\s+(?:via\s+\S+|Direct)\s+(?P<port>\S+)"
)
ANOTHER_WAY: Final = re.compile(r"^\s*\S*\s+via\s+\S+\s+(?P<port>\S+)")
PROTOCOLS: Final = {"B": "bgp", "C": "connected", "S": "static"}


def shell(show: str) -> str:
    """Return the command of the switch's shell for a command of ``sonic-cli``."""
    return f"sonic-cli -c '{show}'"


def commands(subject: Subject, _ports: Sequence[str]) -> tuple[str, ...]:
    """Return the commands that answer a subject; each answers for all ports."""
    return tuple(map(shell, SHOWS[subject]))


def said(answers: Answers, show: str) -> str:
    """Return what a command of ``sonic-cli`` printed.

    Raises
    ------
    FactError
        It was not run, or the switch refuses it: its exit status does not tell.
    """
    text = output_of(answers, shell(show))
    head = "\n".join(text.splitlines()[:3])
    if refused := REFUSED.search(head):
        raise FactError(f"the switch refuses `{show}`: {refused['why'] or 'no reason given'}")
    return text


def identity(answers: Answers) -> SwitchIdentity:
    """Read ``show version`` and ``show platform syseeprom``."""
    found = {match["name"]: match["value"] for match in FIELD.finditer(said(answers, VERSION))}
    board = {match["name"]: match["value"] for match in FIELD.finditer(said(answers, EEPROM))}
    return SwitchIdentity(
        board.get("Product Name", ""),
        found.get("Serial Number") or board.get("Serial Number", ""),
        board.get("Base MAC Address", ""),
        found.get("Software Version", ""),
    )


def running(answers: Answers) -> str:
    """Return the running configuration."""
    return said(answers, RUNNING)


def ports(answers: Answers) -> dict[str, PortStatus]:
    """Read ``show interface status``."""
    return {one.port: one for one in tables.parse_interface_status(said(answers, STATUS))}


def links(answers: Answers) -> dict[str, PortLink]:
    """Read speeds and ``show interface fec status``: interface, type, oper, admin, state; the type may hold blanks."""
    cells = (line.split() for line in said(answers, FEC).splitlines())
    fec = {row[0]: fec_of(row[-3]) for row in cells if len(row) >= 4 and PORT.match(row[0])}
    return {
        name: PortLink(name, one.speed_mbps if one.up else None, fec.get(name) if one.up else None)
        for name, one in ports(answers).items()
    }


def fec_of(word: str) -> str | None:
    """Return a FEC as the plan names it."""
    name = word.lower().removeprefix("fec_").removeprefix("fec-")
    return {"rs": "rs", "fc": "fc", "none": "none", "off": "none", "disabled": "none"}.get(name)


def neighbours(answers: Answers) -> dict[str, LldpNeighbour]:
    """Read ``show lldp neighbor``, which cuts no name off."""
    found: dict[str, LldpNeighbour] = {}
    _, *parts = HEARD_ON.split(said(answers, LLDP))
    for port, text in zip(parts[::2], parts[1::2], strict=True):
        fields = {match["name"]: match["value"] for match in FIELD.finditer(text)}
        found[port] = LldpNeighbour(
            port, fields.get("SysName", ""), fields.get("PortID", ""), fields.get("ChassisID", "").lower()
        )
    return found


def macs(answers: Answers) -> dict[str, tuple[str, ...]]:
    """Read ``show mac address-table``: VLAN, address, type, interface."""
    found: dict[str, tuple[str, ...]] = {}
    for row in LEARNED.finditer(said(answers, MACS)):
        found[row["port"]] = (*found.get(row["port"], ()), row["mac"].lower())
    return found


def sessions(answers: Answers) -> dict[str, dict[str, BgpSession]]:
    """Read the summaries of both families; a session of both is established when it is in each."""
    found = {one.neighbour: one for one in tables.parse_bgp_summary(said(answers, BGP))}
    for one in tables.parse_bgp_summary(said(answers, EVPN), "evpn"):
        before = found.get(one.neighbour)
        up = one.established and (before is None or before.established)
        families = (*one.families, *(before.families if before else ()))
        found[one.neighbour] = (before or one)._replace(established=up, families=families)
    return {DEFAULT_VRF: found}


def vnis(answers: Answers) -> dict[int, Vni]:
    """Read the VNIs of VLANs."""
    return overlay.vnis(said(answers, VNIS), said(answers, VNI_VLANS))


def segments(answers: Answers) -> dict[str, EthernetSegment]:
    """Read the Ethernet segments."""
    return overlay.segments(said(answers, SEGMENTS))


def routes(answers: Answers) -> dict[str, Route]:
    """Read ``show ip route``: a line a route, then one for each further way; only selected routes are told."""
    found: dict[str, Route] = {}
    last = ""
    for line in said(answers, ROUTES).splitlines():
        if match := ROUTE.match(line):
            last = match["prefix"] if ">" in match["code"] else ""
            if last:
                protocol = PROTOCOLS.get(match["code"][0], match["code"][0])
                found[last] = Route(last, protocol, (match["port"],))
        elif last and (further := ANOTHER_WAY.match(line)):
            found[last] = found[last]._replace(next_hops=(*found[last].next_hops, further["port"]))
    return found


def traffic(answers: Answers) -> dict[str, PortCounters]:
    """Read the counters of ports and queues; Enterprise SONiC has no counter of flaps."""
    sent, dropped = queue_counters(said(answers, QUEUES), 0), queue_counters(said(answers, QUEUES), -2)
    marked = marks(said(answers, MARKS))
    return {
        port: PortCounters(
            port,
            rx_packets=numbers[0],
            rx_errors=numbers[1] + numbers[3],
            rx_drops=numbers[2],
            tx_packets=numbers[4],
            tx_errors=numbers[5] + numbers[7],
            tx_drops=numbers[6],
            class_packets=sent.get(port, {}),
            class_drops=dropped.get(port, {}),
            ecn_marked=sum(marked[port].values()) if port in marked else None,
            class_ecn_marked=marked.get(port, {}),
        )
        for port, numbers in port_counters(said(answers, COUNTERS))
    }


def port_counters(text: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield each port and its eight numbers: received, broken, dropped, too long; the same of what it sent."""
    for line in text.splitlines():
        port, *cells = line.split() or [""]
        if PORT.match(port) and len(cells) == 9 and all(cell.isdigit() for cell in cells[1:]):
            yield port, tuple(map(int, cells[1:]))


def queue_counters(text: str, column: int) -> dict[str, dict[int, int]]:
    """Return port to unicast queue to what stands in a column behind the queue's name."""
    found: dict[str, dict[int, int]] = {}
    for line in text.splitlines():
        port, queue, *cells = (*line.split(), "", "")
        if PORT.match(port) and (match := QUEUE.match(queue)):
            values = cells[:-2]
            found.setdefault(port, {})[int(match["number"])] = int(values[column])
    return found


def marks(text: str) -> dict[str, dict[int, int]]:
    """Return port to queue to packets marked, from the column that is titled so."""
    for line in text.splitlines():
        titles = [title.lower() for title in line.split()]
        column = next((at for at, title in enumerate(titles) if "ecn" in title and "pkts" in title), None)
        if column is not None:
            return queue_counters(text, column - 2)
    return {}


def pauses(answers: Answers) -> dict[str, PortCounters]:
    """Read the counters of PFC, and the storms that its watchdog has found."""
    received, _, sent = said(answers, PFC).partition("frames transmitted")
    rx, tx = priority_counters(received), priority_counters(sent)
    storms = dict[str, dict[int, int]]()
    for line in said(answers, WATCHDOG).splitlines():
        cells = line.split()
        if len(cells) >= 5 and PORT.match(cells[0]) and cells[1].isdigit() and cells[3].isdigit():
            storms.setdefault(cells[0], {})[int(cells[1])] = int(cells[3])
    return {
        port: PortCounters(port, pfc_rx=rx.get(port, {}), pfc_tx=tx.get(port, {}), watchdog=storms.get(port, {}))
        for port in {**rx, **tx, **storms}
    }


def priority_counters(text: str) -> dict[str, dict[int, int]]:
    """Return port to priority to frames."""
    rows = (line.split() for line in text.splitlines())
    return {row[0]: dict(enumerate(map(int, row[1:9]))) for row in rows if len(row) == 9 and PORT.match(row[0])}


def roce(answers: Answers) -> dict[str, PortRoce]:
    """Read how ports treat RoCE from the running configuration."""
    return qos.port_roce(running(answers))


def optics(answers: Answers) -> dict[str, Optic]:
    """Read ``show interface transceiver summary``."""
    return {
        port: Optic(port, kind != NOTHING, *(told(cell) for cell in (kind, vendor, part, serial)))
        for port, kind, vendor, part, serial, *_ in table_rows(said(answers, OPTICS), OPTIC_TITLES)
        if PORT.match(port)
    }


def told(cell: str) -> str:
    """Return a cell, empty where it says that there is nothing to say."""
    return "" if cell == NOTHING else cell


def buffers(answers: Answers) -> tuple[QueueBuffer, ...]:
    """Read ``show queue watermark unicast``: a row a port, a column a queue, in bytes."""
    rows = (line.split() for line in said(answers, WATERMARKS).splitlines())
    return tuple(
        QueueBuffer(row[0], queue, int(peak))
        for row in rows
        if row and PORT.match(row[0])
        for queue, peak in enumerate(row[1:])
        if peak.isdigit()
    )
