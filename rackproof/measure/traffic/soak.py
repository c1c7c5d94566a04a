"""A soak: all rails busy for hours, and the error counters that grew meanwhile."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from rackproof.facts.models import PortCounters
from rackproof.measure.counters.host_health import Health
from rackproof.measure.counters.nic_counters import NicCounters
from rackproof.measure.traffic.results import PairRun

HOUR_S: Final = 3600.0


class Soak(NamedTuple):
    """The results of a soak."""

    runs: tuple[PairRun, ...]
    """One run of each pair: its first unhealthy one, or its last."""
    healths: Mapping[str, Health]
    """By host."""


def grown_counters(run: PairRun) -> dict[str, int]:
    """Return every counter of errors, losses and flaps that grew in a run, by port and counter."""
    found: dict[str, int] = {}
    for end in run.pair:
        if end in run.nics:
            found.update({f"{end} {name}": count for name, count in _nic_errors(run.nics[end]).items() if count})
    for at, counted in run.ports.items():
        found.update({f"{at} {name}": count for name, count in _port_errors(counted).items() if count})
    return found


def _nic_errors(nic: NicCounters) -> dict[str, int]:
    own = {"sent again": nic.sent_again, "discarded": nic.discarded, "carrier changes": nic.carrier_changes}
    return {**{name: count or 0 for name, count in own.items()}, **nic.link_errors}


def _port_errors(counted: PortCounters) -> dict[str, int]:
    own = {"rx errors": counted.rx_errors, "tx errors": counted.tx_errors, "flaps": counted.flaps}
    return {
        **{name: count or 0 for name, count in own.items()},
        **{f"drops in queue {queue}": count for queue, count in counted.class_drops.items()},
        **{f"storms in queue {queue}": count for queue, count in counted.watchdog.items()},
    }
