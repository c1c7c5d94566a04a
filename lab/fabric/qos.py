"""Classes, marks, drops and counters of a switch's ports, as nftables rules on its ingress and egress hooks.

A packet's class is its DSCP's by the map of the port it came in on, and travels with it as its mark: inside the
switch it survives bridging and routing; the kernel removes it on the way to another switch. The egress port counts the
packet in the queue of its class. The kernel has no PFC, pause frames or buffers for this.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.switches.forwarding import CLASSES, QosState
from lab.switches.links import QueueCounters

TABLE = "rackproof"
_MARKED = 0x100
"""Bit in the mark of every packet received on a port: class 0 is a class too."""
_ECT = "{ ect0, ect1 }"


@dataclass(frozen=True, slots=True)
class Congestion:
    """How a congested port treats packets."""

    drop_percent: int
    """Percentage of dropped packets in lossy queues."""
    mark_percent: int
    """Percentage of marked packets in queues with ECN."""


def port_text(port: str, qos: QosState, congestion: Congestion | None) -> str:
    """Return nftables' text for one port; counters stay what they are when it is read again.

    Parameters
    ----------
    port
        The kernel's name of the port.
    qos
        Its configuration.
    congestion
        Its congestion, or None.
    """
    table = f"netdev {TABLE}"
    lines = [f"add table {table}"]
    lines.extend(f"add counter {table} {name}" for name in counter_names(port))
    for hook in ("ingress", "egress"):
        chain = _chain(port, hook)
        lines.append(
            f"add chain {table} {chain} {{ type filter hook {hook} device {port} priority 0; policy accept; }}"
        )
        lines.append(f"flush chain {table} {chain}")
    classes = ", ".join(f"{dscp} : {_MARKED + qos.class_of.get(dscp, 0):#x}" for dscp in range(64))
    lines.append(f"add rule {table} {_chain(port, 'ingress')} meta mark set {_MARKED:#x}")
    lines.append(f"add rule {table} {_chain(port, 'ingress')} meta mark set ip dscp map {{ {classes} }}")
    lines.extend(f"add rule {table} {_chain(port, 'egress')} {rule}" for rule in _egress(port, qos, congestion))
    return "\n".join((*lines, ""))


def removal_text(port: str) -> str:
    """Return nftables' text that removes the rules and counters of a port."""
    table = f"netdev {TABLE}"
    chains = (_chain(port, hook) for hook in ("ingress", "egress"))
    lines = [f"add table {table}"]
    for chain in chains:
        lines.extend((f"add chain {table} {chain}", f"delete chain {table} {chain}"))
    for name in counter_names(port):
        lines.extend((f"add counter {table} {name}", f"delete counter {table} {name}"))
    return "\n".join((*lines, ""))


def _chain(port: str, hook: str) -> str:
    return f'"{port}-{hook}"' if not port.replace("-", "").isalnum() else f"{port}-{hook}"


def counter_names(port: str) -> tuple[str, ...]:
    """Return the names of a port's counters."""
    sent = (f"{port}-tx{queue}" for queue in CLASSES)
    dropped = (f"{port}-drop{queue}" for queue in CLASSES)
    return (*sent, *dropped, f"{port}-ce")


def _egress(port: str, qos: QosState, congestion: Congestion | None) -> list[str]:
    """Return the egress rules: drops first, then marks, then the count of what is sent."""
    rules = []
    lossless = {qos.queue_of.get(one, one) for one in qos.lossless}
    for queue in CLASSES if congestion is not None else ():
        marks = ", ".join(f"{mark:#x}" for mark in _marks(qos, queue))
        if not marks or congestion is None:
            continue
        if queue in qos.ecn:
            often = f"numgen random mod 100 < {congestion.mark_percent}"
            rules.append(f"meta mark {{ {marks} }} ip ecn {_ECT} {often} ip ecn set ce")
        if queue not in lossless:
            kept = "ip ecn not-ect " if queue in qos.ecn else ""
            often = f"numgen random mod 100 < {congestion.drop_percent}"
            rules.append(f"meta mark {{ {marks} }} {kept}{often} counter name {port}-drop{queue} drop")
    rules.append(f"ip ecn ce counter name {port}-ce")
    queues = [f'0x0 : "{port}-tx0"']  # packets of the switch itself have no mark
    for queue in CLASSES:
        queues.extend(f'{mark:#x} : "{port}-tx{queue}"' for mark in _marks(qos, queue))
    rules.append(f"counter name meta mark map {{ {', '.join(queues)} }}")
    return rules


def _marks(qos: QosState, queue: int) -> tuple[int, ...]:
    """Return the marks of the classes that are sent in a queue."""
    return tuple(_MARKED + one for one in CLASSES if qos.queue_of.get(one, one) == queue)


@dataclass(frozen=True, slots=True)
class PortQos:
    """Counters of one port in nftables."""

    queues: Mapping[int, QueueCounters]
    ecn_marked: int


def counted(data: Mapping[str, Any], port: str) -> PortQos:
    """Return a port's counters from the output of ``nft -j list counters``."""
    rows = (row["counter"] for row in data.get("nftables", []) if "counter" in row)
    held = {row["name"]: (row["packets"], row["bytes"]) for row in rows}
    none = (0, 0)
    queues = {
        queue: QueueCounters(*held.get(f"{port}-tx{queue}", none), *held.get(f"{port}-drop{queue}", none))
        for queue in CLASSES
    }
    return PortQos(queues, held.get(f"{port}-ce", none)[0])
