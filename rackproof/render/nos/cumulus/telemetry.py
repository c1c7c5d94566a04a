"""What a collector may read: gNMI, and histograms of how full buffers are.

The values are those of NVIDIA's enterprise-ras 3.0.0; the keys stand in ASIC-Monitoring and gNMI-Streaming.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rackproof.plan.model.plan import TelemetryIntent
from rackproof.render.nos.cumulus.tree import below, put, whole, word

if TYPE_CHECKING:
    from rackproof.plan.model.plan import SwitchIntent
    from rackproof.render.config_tree import ConfigTree

GNMI: Final = ("system", "gnmi-server")
TELEMETRY: Final = ("system", "telemetry")
OWN_GNMI_PORT: Final = 9339
"""Where the server listens by default (gNMI-Streaming)."""

HISTOGRAMS: Final = {
    "counter": {"bin-min-boundary": 3552, "histogram-size": 55008, "sample-interval": 1024},
    "egress-buffer": {"bin-min-boundary": 960, "histogram-size": 9830400, "sample-interval": 1024},
    "ingress-buffer": {"bin-min-boundary": 960, "histogram-size": 2457600, "sample-interval": 1024},
}
"""Boundaries and sizes in bytes (of counters: in packets a sample), intervals in microseconds."""

PORT_HISTOGRAMS: Final = (
    ("counter", "counter-type", "rx-packet"),
    ("counter", "counter-type", "tx-packet"),
    ("egress-buffer", "traffic-class", "0"),
    ("ingress-buffer", "priority-group", "0"),
    ("ingress-buffer", "priority-group", "1"),
)
SNAPSHOTS: Final = (
    ("snapshot-file", "count", "120"),
    ("snapshot-file", "name", "/var/run/cumulus/histogram_stats"),
    ("snapshot-interval", "10"),
)


def write_telemetry(tree: ConfigTree, intent: SwitchIntent) -> None:
    """Add the gNMI server, and the histograms where they are asked for."""
    if intent.telemetry is None:
        return
    if intent.telemetry.gnmi_port is not None:
        _write_gnmi(tree, intent.telemetry.gnmi_port, intent.management.address)
    if intent.telemetry.histograms:
        put(tree, *TELEMETRY, "enable", "on")
        for kind, values in HISTOGRAMS.items():
            for name, value in values.items():
                put(tree, *TELEMETRY, "histogram", kind, name, str(value))
        for words in SNAPSHOTS:
            put(tree, *TELEMETRY, *words)


def _write_gnmi(tree: ConfigTree, port: int, management_address: str) -> None:
    """Add the gNMI server; it listens on the management address, where that is known."""
    put(tree, *GNMI, "state", "enabled")
    address, _, length = management_address.partition("/")
    if length:
        put(tree, *GNMI, "listening-address", address)
    if port != OWN_GNMI_PORT:
        put(tree, *GNMI, "port", str(port))


def write_port(interface: ConfigTree) -> None:
    """Add the histograms of one port."""
    for words in PORT_HISTOGRAMS:
        put(interface, "telemetry", "histogram", *words)


def read_telemetry(tree: ConfigTree) -> TelemetryIntent | None:
    """Return what a collector may read."""
    histograms = bool(below(tree, *TELEMETRY, "histogram"))
    if word(tree, *GNMI, "state") != "enabled":
        return TelemetryIntent(gnmi_port=None, histograms=True) if histograms else None
    port = whole(tree, *GNMI, "port")
    return TelemetryIntent(gnmi_port=OWN_GNMI_PORT if port is None else port, histograms=histograms)
