"""RoCE settings and buffer watermarks of ports on Cumulus Linux."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rackproof.facts.fact import Answers
from rackproof.facts.models import EcnThresholds, PfcWatchdog, PortRoce, QueueBuffer
from rackproof.facts.nos.cumulus.counters import WATCHDOG
from rackproof.facts.nos.cumulus.nv_show import objects, part
from rackproof.facts.nos.cumulus.nvue import YES, json_object, port_outputs, port_view
from rackproof.facts.nos.cumulus.values import parse_numbers, parse_size
from rackproof.facts.nos.readers import Reader

ECN: Final = "nv show qos congestion-control default-global -o json"
WATCHDOG_SETTINGS: Final = "nv show qos pfc-watchdog -o json"
ROCE_STATUS: Final = port_view("qos roce status")
BUFFER: Final = port_view("qos buffer")


def roce(answers: Answers) -> dict[str, PortRoce]:
    """Return the RoCE settings of each port in use; what a port does not state itself is the switch's."""
    thresholds = dict(ecn_thresholds(part(json_object(answers, ECN), "traffic-class")))
    settings = json_object(answers, WATCHDOG_SETTINGS)
    watched = dict(port_outputs(answers, WATCHDOG))
    return {
        port: PortRoce(
            class_of=dict(map_entries(found, "prio-map", "dscp", "switch-prio")),
            queue_of=dict(map_entries(found, "tc-map", "switch-prio", "traffic-class")),
            pfc=pfc_priorities(part(found, "pfc")),
            ecn=queue_thresholds(thresholds, parse_numbers(part(found, "congestion-control").get("enabled-tc"))),
            watchdog=pfc_watchdog(settings, watched.get(port, {})),
        )
        for port, found in port_outputs(answers, ROCE_STATUS)
    }


def map_entries(found: Mapping[str, Any], table: str, key: str, value: str) -> Iterator[tuple[int, int]]:
    """Yield each number of a map's key column with the number that the map leads to."""
    for row in objects(json.dumps(part(found, table))).values():
        to = parse_size(row.get(value))
        if to is not None:
            yield from ((number, to) for number in parse_numbers(row.get(key)))


def pfc_priorities(pfc: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the priorities with PFC in both directions: with one direction alone PFC protects nothing."""
    both = all(str(pfc.get(name, "")).lower() in YES for name in ("rx-enabled", "tx-enabled"))
    return parse_numbers(pfc.get("pfc-priority")) if both else ()


def ecn_thresholds(classes: Mapping[str, Any]) -> Iterator[tuple[int, EcnThresholds]]:
    """Yield each traffic class that marks, with its thresholds, which NVUE rounds to two decimals of KB or MB."""
    for names, found in classes.items():
        least, most = parse_size(found.get("min-threshold")), parse_size(found.get("max-threshold"))
        if str(found.get("ecn", "")).lower() in YES and least is not None and most is not None:
            for number in parse_numbers(names):
                yield number, EcnThresholds(least, most, parse_size(found.get("probability")) or 0)


def queue_thresholds(thresholds: Mapping[int, EcnThresholds], queues: Sequence[int]) -> dict[int, EcnThresholds]:
    """Return the thresholds of the queues that mark on a port."""
    return {queue: thresholds[queue] for queue in queues if queue in thresholds}


def pfc_watchdog(settings: Mapping[str, Any], port: Mapping[str, Any]) -> PfcWatchdog | None:
    """Return the PFC watchdog of a port; its detection time is the polling interval times the robustness."""
    if str(port.get("state", "")).lower() not in YES:
        return None
    poll, robustness = parse_size(settings.get("polling-interval")), parse_size(settings.get("robustness"))
    return PfcWatchdog(None, None if poll is None or robustness is None else poll * robustness, None)


def buffers(answers: Answers) -> tuple[QueueBuffer, ...]:
    """Return the highest fill of each egress queue of the ports in use."""
    found: list[QueueBuffer] = []
    for port, row in port_outputs(answers, BUFFER):
        found += queue_peaks(port, objects(json.dumps(part(row, "egress-traffic-class"))))
    return tuple(found)


def queue_peaks(port: str, queues: Mapping[str, Any]) -> Iterator[QueueBuffer]:
    """Yield the highest fill of each queue of a port."""
    for queue, row in queues.items():
        peak = parse_size(row.get("max-usage"))
        if queue.isdigit() and peak is not None:
            yield QueueBuffer(port, int(queue), peak)


ROCE: Final = Reader(roce, (ECN, WATCHDOG_SETTINGS), (ROCE_STATUS, WATCHDOG))
BUFFERS: Final = Reader(buffers, (), (BUFFER,))
