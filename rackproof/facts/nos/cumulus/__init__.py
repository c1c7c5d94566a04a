"""Cumulus Linux: the commands of each subject, and what they print.

Tables and names are those of the NVUE reference (Show Commands: Interface, QoS, Platform) and of the RoCE page; the
JSON of a table is taken to be keyed by the table's first column, as that of queues and PFC is in public collectors.
Counters of queues, PFC and its watchdog are asked of each port in use. Routes and learned addresses are the kernel's:
iproute2's JSON. BGP and EVPN are FRR's, which NVUE configures: one command answers for all VRFs, or for all VNIs, where
NVUE has one a VRF and VNI (Troubleshooting EVPN; the same commands as in the open collector suzieq). Only the VLAN of a
VNI is NVUE's, since the FRR of these releases does not tell it in JSON.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rackproof.facts.fact import Answers, FactError, output_of
from rackproof.facts.models import (
    BgpSession,
    EcnThresholds,
    EthernetSegment,
    LldpNeighbour,
    Optic,
    PfcWatchdog,
    PortCounters,
    PortLink,
    PortRoce,
    PortStatus,
    QueueBuffer,
    Route,
    SwitchIdentity,
    Vni,
)
from rackproof.facts.nos.cumulus import frr
from rackproof.facts.nos.cumulus import nv_show as read_outs
from rackproof.facts.nos.cumulus.nv_show import objects, part
from rackproof.facts.nos.cumulus.values import numbers_of, size_of
from rackproof.facts.switches import Subject

SYSTEM: Final = "nv show system -o json"
PLATFORM: Final = "nv show platform -o json"
RUNNING: Final = "nv config show"
INTERFACES: Final = "nv show interface -o json"
LLDP: Final = "nv show interface --view lldp-detail -o json"
MACS: Final = "bridge -j fdb show"
BGP: Final = "sudo -n vtysh -c 'show bgp vrf all summary json'"
VNIS: Final = "sudo -n vtysh -c 'show evpn vni detail json'"
VNI_VLANS: Final = "nv show evpn vni -o json"
ROUTERS: Final = "sudo -n vtysh -c 'show evpn rmac vni all json'"
SEGMENTS: Final = "sudo -n vtysh -c 'show evpn es detail json'"
ROUTES: Final = "ip -j route show"
COUNTERS: Final = "nv show interface --view counters -o json"
OPTICS: Final = "nv show platform transceiver -o json"
ECN: Final = "nv show qos congestion-control default-global -o json"
WATCHDOGS: Final = "nv show qos pfc-watchdog -o json"
QOS_COUNTERS: Final = "counters qos"
WATCHDOG: Final = "qos pfc-watchdog"
ROCE: Final = "qos roce status"
BUFFER: Final = "qos buffer"

OF_SWITCH: Final[Mapping[Subject, tuple[str, ...]]] = {
    "identity": (SYSTEM, PLATFORM),
    "running": (RUNNING,),
    "ports": (INTERFACES,),
    "links": (INTERFACES,),
    "neighbours": (LLDP,),
    "macs": (MACS,),
    "sessions": (BGP,),
    "vrf-sessions": (BGP,),
    "vnis": (VNIS, VNI_VLANS, ROUTERS),
    "segments": (SEGMENTS,),
    "routes": (ROUTES,),
    "traffic": (COUNTERS,),
    "roce": (ECN, WATCHDOGS),
    "optics": (OPTICS,),
}
OF_PORT: Final[Mapping[Subject, tuple[str, ...]]] = {
    "traffic": (QOS_COUNTERS,),
    "pauses": (QOS_COUNTERS, WATCHDOG),
    "roce": (ROCE, WATCHDOG),
    "buffers": (BUFFER,),
}
SET: Final = "- set:"
"""Every configuration has this line."""
ABSENT: Final = "does not exist"
"""What NVUE says of something that is not configured."""
FEC: Final = {"rs": "rs", "baser": "fc", "fc": "fc", "off": "none", "none": "none"}
PROTOCOLS: Final = {"kernel": "connected"}
PORT: Final = re.compile(r"(swp\d+(s\d+)?|bond\S+)\Z")
YES: Final = frozenset({"yes", "on", "enabled", "enable"})


def of_port(port: str, words: str) -> str:
    """Return the command that asks something of one port."""
    return f"nv show interface {port} {words} -o json"


def commands(subject: Subject, ports: Sequence[str]) -> tuple[str, ...]:
    """Return the commands that answer a subject for these ports."""
    asked = (of_port(port, words) for port in ports for words in OF_PORT.get(subject, ()))
    return (*OF_SWITCH.get(subject, ()), *asked)


def each_port(answers: Answers, words: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield what every port that was asked says."""
    start, end = of_port("|", words).split("|")
    for command in answers:
        if command.startswith(start) and command.endswith(end) and command != INTERFACES:
            port = command.removeprefix(start).removesuffix(end)
            if PORT.match(port):
                yield port, objects_and_values(answers, command)


def objects_and_values(answers: Answers, command: str) -> Mapping[str, Any]:
    """Return the one object that a command prints; nothing where nothing is configured."""
    answer = answers.get(command)
    if answer is not None and answer.status and ABSENT in answer.error + answer.output:
        return {}
    text = output_of(answers, command)
    found = json.loads(text) if text.strip() else {}
    return found if isinstance(found, Mapping) else {}


def identity(answers: Answers) -> SwitchIdentity:
    """Read ``nv show system`` and ``nv show platform``."""
    system, platform = objects_and_values(answers, SYSTEM), objects_and_values(answers, PLATFORM)
    return SwitchIdentity(
        str(platform.get("product-name", "")),
        str(platform.get("serial-number", "")),
        str(platform.get("system-mac", "")),
        str(system.get("product-release", "")),
    )


def running(answers: Answers) -> str:
    """Return the applied configuration.

    Raises
    ------
    FactError
        The switch answers something else.
    """
    text = output_of(answers, RUNNING)
    if SET not in text.splitlines():
        raise FactError(f"`{RUNNING}` answers no configuration")
    return text


def ports(answers: Answers) -> dict[str, PortStatus]:
    """Read ``nv show interface``."""
    return {one.port: one for one in read_outs.parse_interfaces(output_of(answers, INTERFACES))}


def links(answers: Answers) -> dict[str, PortLink]:
    """Read speed and FEC of every port that is up."""
    found = objects(output_of(answers, INTERFACES))
    return {
        name: PortLink(name, one.speed_mbps, FEC.get(str(part(found[name], "link").get("fec"))))
        for name, one in ports(answers).items()
    }


def neighbours(answers: Answers) -> dict[str, LldpNeighbour]:
    """Read what ports hear."""
    return {one.port: one for one in read_outs.parse_lldp(output_of(answers, LLDP))}


def macs(answers: Answers) -> dict[str, tuple[str, ...]]:
    """Read the bridge's table; its own addresses are permanent."""
    found: dict[str, tuple[str, ...]] = {}
    for row in json.loads(output_of(answers, MACS) or "[]"):
        port, mac = str(row.get("ifname", "")), str(row.get("mac", "")).lower()
        if PORT.match(port) and row.get("state") != "permanent" and mac not in found.get(port, ()):
            found[port] = (*found.get(port, ()), mac)
    return found


def sessions(answers: Answers) -> dict[str, dict[str, BgpSession]]:
    """Read the sessions of every VRF."""
    return frr.sessions(output_of(answers, BGP))


def vnis(answers: Answers) -> dict[int, Vni]:
    """Read the VNIs: a VRF's other ends are the routers that were heard of for it."""
    stretched = objects(json.dumps(objects_and_values(answers, VNI_VLANS)))
    routers = frr.routers(output_of(answers, ROUTERS))
    return {
        number: one._replace(vlan=size_of(stretched.get(str(number), {}).get("vlan")))
        if one.vrf is None
        else one._replace(remote=routers.get(number, ()))
        for number, one in frr.vnis(output_of(answers, VNIS)).items()
    }


def segments(answers: Answers) -> dict[str, EthernetSegment]:
    """Read the Ethernet segments."""
    return frr.segments(output_of(answers, SEGMENTS))


def routes(answers: Answers) -> dict[str, Route]:
    """Read the kernel's routes: one next hop in the route itself, or several below it."""
    found: dict[str, Route] = {}
    for route in json.loads(output_of(answers, ROUTES) or "[]"):
        prefix, protocol = str(route["dst"]), str(route.get("protocol", ""))
        ways = tuple(str(way["dev"]) for way in route.get("nexthops", [route]) if "dev" in way)
        whole = "0.0.0.0/0" if prefix == "default" else prefix if "/" in prefix else f"{prefix}/32"
        found[whole] = Route(whole, PROTOCOLS.get(protocol, protocol), ways)
    return found


def traffic(answers: Answers) -> dict[str, PortCounters]:
    """Read the counters of ports, and those of queues of the ports in use."""
    queues = dict(each_port(answers, QOS_COUNTERS))
    counted = {
        port: part(found, "counters") or part(found, "link", "stats")
        for port, found in objects(output_of(answers, COUNTERS)).items()
        if PORT.match(port)
    }
    return {port: port_counters(port, found, queues.get(port, {})) for port, found in counted.items()}


def port_counters(port: str, found: Mapping[str, Any], qos: Mapping[str, Any]) -> PortCounters:
    """Return the counters of one port."""
    queues = part(qos, "egress-queue-stats")
    marked = part(qos, "port-stats", "tx-stats").get("ecn-marked-packets")
    return PortCounters(
        port,
        rx_packets=size_of(found.get("in-pkts")),
        tx_packets=size_of(found.get("out-pkts")),
        rx_errors=size_of(found.get("in-errors")),
        tx_errors=size_of(found.get("out-errors")),
        rx_drops=size_of(found.get("in-drops")),
        tx_drops=size_of(found.get("out-drops")),
        class_packets=column(queues, "tx-frames"),
        class_drops=sums(column(queues, "tx-uc-buffer-discards"), column(queues, "wred-discards")),
        ecn_marked=size_of(marked),
        class_ecn_marked=column(queues, "ecn-marked-frames"),
        flaps=size_of(found.get("carrier-transitions")),
    )


def column(table: Mapping[str, Any], name: str) -> dict[int, int]:
    """Return row number to what stands in one column of a table, where it stands there."""
    cells = ((row, size_of(part(table, row).get(name))) for row in table if row.isdigit())
    return {int(row): cell for row, cell in cells if cell is not None}


def sums(first: Mapping[int, int], second: Mapping[int, int]) -> dict[int, int]:
    """Return the sums of two columns."""
    return {row: first.get(row, 0) + second.get(row, 0) for row in {**first, **second}}


def pauses(answers: Answers) -> dict[str, PortCounters]:
    """Read the counters of PFC and of its watchdog."""
    watched = dict(each_port(answers, WATCHDOG))
    return {
        port: PortCounters(
            port,
            pfc_rx=column(part(found, "pfc-stats"), "rx-pause-frames"),
            pfc_tx=column(part(found, "pfc-stats"), "tx-pause-frames"),
            watchdog=storms(watched.get(port, {})),
        )
        for port, found in each_port(answers, QOS_COUNTERS)
    }


def storms(watched: Mapping[str, Any]) -> dict[int, int]:
    """Return traffic class to deadlocks, from whatever table of the watchdog has them."""
    tables = (below for below in watched.values() if isinstance(below, Mapping))
    return {row: count for table in tables for row, count in column(table, "deadlock-count").items()}


def roce(answers: Answers) -> dict[str, PortRoce]:
    """Read how each port in use treats RoCE; what a port does not say of its own is the switch's."""
    thresholds = dict(marking(part(objects_and_values(answers, ECN), "traffic-class")))
    settings = objects_and_values(answers, WATCHDOGS)
    watched = dict(each_port(answers, WATCHDOG))
    return {
        port: PortRoce(
            class_of={code: to for row in rows(found, "prio-map", "dscp", "switch-prio") for code, to in row},
            queue_of={sp: to for row in rows(found, "tc-map", "switch-prio", "traffic-class") for sp, to in row},
            pfc=paused(part(found, "pfc")),
            ecn=of_queues(thresholds, numbers_of(part(found, "congestion-control").get("enabled-tc"))),
            watchdog=watchdog(settings, watched.get(port, {})),
        )
        for port, found in each_port(answers, ROCE)
    }


def rows(found: Mapping[str, Any], table: str, key: str, value: str) -> Iterator[list[tuple[int, int]]]:
    """Yield, of each row of a map, every number that it is about with the number that it leads to."""
    for row in objects(json.dumps(part(found, table))).values():
        to = size_of(row.get(value))
        if to is not None:
            yield [(number, to) for number in numbers_of(row.get(key))]


def paused(pfc: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the priorities with PFC in both directions: one alone stops nobody, or is stopped by nobody."""
    both = all(str(pfc.get(name, "")).lower() in YES for name in ("rx-enabled", "tx-enabled"))
    return numbers_of(pfc.get("pfc-priority")) if both else ()


def marking(classes: Mapping[str, Any]) -> Iterator[tuple[int, EcnThresholds]]:
    """Yield each traffic class that marks, with its thresholds, which NVUE rounds to two decimals of KB or MB."""
    for words, found in classes.items():
        least, most = size_of(found.get("min-threshold")), size_of(found.get("max-threshold"))
        if str(found.get("ecn", "")).lower() in YES and least is not None and most is not None:
            for number in numbers_of(words):
                yield number, EcnThresholds(least, most, size_of(found.get("probability")) or 0)


def of_queues(thresholds: Mapping[int, EcnThresholds], queues: Sequence[int]) -> dict[int, EcnThresholds]:
    """Return the thresholds of the queues that mark on a port."""
    return {queue: thresholds[queue] for queue in queues if queue in thresholds}


def watchdog(settings: Mapping[str, Any], port: Mapping[str, Any]) -> PfcWatchdog | None:
    """Return what a port does about storms: its detection is as many polls as the switch is patient."""
    if str(port.get("state", "")).lower() not in YES:
        return None
    poll, patience = size_of(settings.get("polling-interval")), size_of(settings.get("robustness"))
    return PfcWatchdog(None, None if poll is None or patience is None else poll * patience, None)


def optics(answers: Answers) -> dict[str, Optic]:
    """Read what is plugged into cages."""
    found = objects(output_of(answers, OPTICS))
    return {
        cage: Optic(
            cage,
            "plugged" in str(one.get("status", "")),
            *(str(one.get(name, "")) for name in ("cable-type", "vendor-name", "vendor-pn", "vendor-sn")),
        )
        for cage, one in found.items()
    }


def buffers(answers: Answers) -> tuple[QueueBuffer, ...]:
    """Read what the egress queues of the ports in use have held at most."""
    return tuple(
        QueueBuffer(port, int(queue), peak)
        for port, found in each_port(answers, BUFFER)
        for queue, row in objects(json.dumps(part(found, "egress-traffic-class"))).items()
        if queue.isdigit() and (peak := size_of(row.get("max-usage"))) is not None
    )
