"""Counters of ports, queues, PFC and its watchdog on Cumulus Linux; those of queues and PFC are asked for each port."""

from collections.abc import Mapping
from typing import Any, Final

from rackproof.facts.fact import Answers, command_output
from rackproof.facts.models import PortCounters
from rackproof.facts.nos.cumulus.nv_show import objects, part
from rackproof.facts.nos.cumulus.nvue import PORT, port_outputs, port_view
from rackproof.facts.nos.cumulus.values import parse_size
from rackproof.facts.nos.readers import Reader

PORT_COUNTERS: Final = "nv show interface --view counters -o json"
QOS_COUNTERS: Final = port_view("counters qos")
WATCHDOG: Final = port_view("qos pfc-watchdog")


def traffic(answers: Answers) -> dict[str, PortCounters]:
    """Return the counters of all ports, with those of queues for the ports in use."""
    queues = dict(port_outputs(answers, QOS_COUNTERS))
    counted = {
        port: part(found, "counters") or part(found, "link", "stats")
        for port, found in objects(command_output(answers, PORT_COUNTERS)).items()
        if PORT.match(port)
    }
    return {port: port_counters(port, found, queues.get(port, {})) for port, found in counted.items()}


def port_counters(port: str, found: Mapping[str, Any], qos: Mapping[str, Any]) -> PortCounters:
    """Return the counters of one port."""
    queues = part(qos, "egress-queue-stats")
    marked = part(qos, "port-stats", "tx-stats").get("ecn-marked-packets")
    return PortCounters(
        port,
        rx_packets=parse_size(found.get("in-pkts")),
        tx_packets=parse_size(found.get("out-pkts")),
        rx_errors=parse_size(found.get("in-errors")),
        tx_errors=parse_size(found.get("out-errors")),
        rx_drops=parse_size(found.get("in-drops")),
        tx_drops=parse_size(found.get("out-drops")),
        class_packets=column(queues, "tx-frames"),
        class_drops=column_sums(column(queues, "tx-uc-buffer-discards"), column(queues, "wred-discards")),
        ecn_marked=parse_size(marked),
        class_ecn_marked=column(queues, "ecn-marked-frames"),
        flaps=parse_size(found.get("carrier-transitions")),
    )


def column(table: Mapping[str, Any], name: str) -> dict[int, int]:
    """Return row number to the count in one column of a table; rows without it are left out."""
    cells = ((row, parse_size(part(table, row).get(name))) for row in table if row.isdigit())
    return {int(row): cell for row, cell in cells if cell is not None}


def column_sums(first: Mapping[int, int], second: Mapping[int, int]) -> dict[int, int]:
    """Return the sums of two columns."""
    return {row: first.get(row, 0) + second.get(row, 0) for row in {**first, **second}}


def pauses(answers: Answers) -> dict[str, PortCounters]:
    """Return the counters of PFC and of its watchdog."""
    watched = dict(port_outputs(answers, WATCHDOG))
    return {
        port: PortCounters(
            port,
            pfc_rx=column(part(found, "pfc-stats"), "rx-pause-frames"),
            pfc_tx=column(part(found, "pfc-stats"), "tx-pause-frames"),
            watchdog=deadlock_counts(watched.get(port, {})),
        )
        for port, found in port_outputs(answers, QOS_COUNTERS)
    }


def deadlock_counts(watched: Mapping[str, Any]) -> dict[int, int]:
    """Return traffic class to deadlocks, from whichever table of the watchdog holds them."""
    found: dict[int, int] = {}
    for table in watched.values():
        if isinstance(table, Mapping):
            found.update(column(table, "deadlock-count"))
    return found


TRAFFIC: Final = Reader(traffic, (PORT_COUNTERS,), (QOS_COUNTERS,))
PAUSES: Final = Reader(pauses, (), (QOS_COUNTERS, WATCHDOG))
