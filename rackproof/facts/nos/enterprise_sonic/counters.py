"""Counters of ports, queues, PFC and its watchdog on Enterprise SONiC."""

import re
from collections.abc import Iterator
from typing import Final

from rackproof.facts.fact import Answers
from rackproof.facts.models import PortCounters
from rackproof.facts.nos.enterprise_sonic.shows import PORT, show_output, show_reader

PORT_COUNTERS: Final = "show interface counters"
QUEUE_COUNTERS: Final = "show queue counters"
ECN_COUNTERS: Final = "show queue wred-ecn counters"
PFC: Final = "show priority-flow-control statistics"
WATCHDOG: Final = "show qos interface Eth all queue all priority-flow-control watchdog-statistics"
QUEUE: Final = re.compile(r"UC(?P<number>\d+)\Z")

QueueCounts = dict[str, dict[int, int]]
"""Port to queue, or priority, to a count."""


def traffic(answers: Answers) -> dict[str, PortCounters]:
    """Return the counters of ports and queues; Enterprise SONiC has no counter of flaps."""
    queues = show_output(answers, QUEUE_COUNTERS)
    sent, dropped = queue_counters(queues, 0), queue_counters(queues, -2)
    marked = ecn_marked(show_output(answers, ECN_COUNTERS))
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
        for port, numbers in port_counters(show_output(answers, PORT_COUNTERS))
    }


def port_counters(text: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield each port and its eight numbers: packets, errors, drops, oversize received; the same transmitted."""
    for line in text.splitlines():
        port, *cells = line.split() or [""]
        if PORT.match(port) and len(cells) == 9 and all(cell.isdigit() for cell in cells[1:]):
            yield port, tuple(map(int, cells[1:]))


def queue_counters(text: str, column: int) -> QueueCounts:
    """Return port to unicast queue to the count in a column behind the queue's name."""
    found: QueueCounts = {}
    for line in text.splitlines():
        port, queue, *cells = (*line.split(), "", "")
        if PORT.match(port) and (match := QUEUE.match(queue)):
            values = cells[:-2]
            found.setdefault(port, {})[int(match["number"])] = int(values[column])
    return found


def ecn_marked(text: str) -> QueueCounts:
    """Return port to queue to packets marked; the column is found by its title."""
    for line in text.splitlines():
        titles = [title.lower() for title in line.split()]
        column = next((at for at, title in enumerate(titles) if "ecn" in title and "pkts" in title), None)
        if column is not None:
            return queue_counters(text, column - 2)
    return {}


def pauses(answers: Answers) -> dict[str, PortCounters]:
    """Return the counters of PFC, and the storms that its watchdog detected."""
    received, _, sent = show_output(answers, PFC).partition("frames transmitted")
    rx, tx = priority_counters(received), priority_counters(sent)
    storms = storm_counters(show_output(answers, WATCHDOG))
    return {
        port: PortCounters(port, pfc_rx=rx.get(port, {}), pfc_tx=tx.get(port, {}), watchdog=storms.get(port, {}))
        for port in {**rx, **tx, **storms}
    }


def priority_counters(text: str) -> QueueCounts:
    """Return port to priority to pause frames."""
    rows = (line.split() for line in text.splitlines())
    return {row[0]: dict(enumerate(map(int, row[1:9]))) for row in rows if len(row) == 9 and PORT.match(row[0])}


def storm_counters(text: str) -> QueueCounts:
    """Return port to queue to storms that the PFC watchdog detected."""
    found: QueueCounts = {}
    for cells in map(str.split, text.splitlines()):
        if len(cells) >= 5 and PORT.match(cells[0]) and cells[1].isdigit() and cells[3].isdigit():
            found.setdefault(cells[0], {})[int(cells[1])] = int(cells[3])
    return found


TRAFFIC: Final = show_reader(traffic, PORT_COUNTERS, QUEUE_COUNTERS, ECN_COUNTERS)
PAUSES: Final = show_reader(pauses, PFC, WATCHDOG)
