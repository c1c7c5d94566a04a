"""Cumulus Linux: NVUE's JSON, the kernel's tables through iproute2, and FRR through vtysh.

Tables and names are those of the NVUE reference (Show Commands: Interface, QoS, Platform) and of the RoCE page; the
JSON of a table is taken to be keyed by the table's first column, as that of queues and PFC is in public collectors.
Each module holds the commands and readers of related subjects; `nvue.py` runs through NVUE's JSON, `values.py` through
its numbers. Start with `interfaces.py`.
"""

from rackproof.facts.nos.cumulus import counters, interfaces, overlay, qos, routing, system
from rackproof.facts.nos.readers import SwitchReaders

READERS = SwitchReaders(
    identity=system.IDENTITY,
    running=system.RUNNING,
    ports=interfaces.PORTS,
    links=interfaces.LINKS,
    neighbours=interfaces.NEIGHBORS,
    macs=interfaces.MACS,
    sessions=routing.SESSIONS,
    vnis=overlay.VNIS,
    segments=overlay.SEGMENTS,
    routes=routing.ROUTES,
    traffic=counters.TRAFFIC,
    pauses=counters.PAUSES,
    roce=qos.ROCE,
    optics=interfaces.OPTICS,
    buffers=qos.BUFFERS,
)
