"""RoCE: ``qos roce`` in lossless mode, and only those keys besides that differ from what it sets up.

What it sets up stands on the page RDMA-over-Converged-Ethernet-RoCE: switch priority 3 is lossless and goes to traffic
class 3, congestion notifications are priority and class 6 (strict), the rest goes to class 0; classes 0 and 3 get half
each and mark from 150000 to 1501500 bytes; code points 8k to 8k+7 are priority k; a cable is 100 m long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rackproof.errors import BadInputError
from rackproof.plan.model.plan import LosslessIntent, PfcWatchdogIntent, RoceIntent
from rackproof.render.nos.cumulus.tree import below, is_on, put, whole, word

if TYPE_CHECKING:
    from rackproof.plan.model.plan import PortIntent, SwitchIntent
    from rackproof.render.config_tree import ConfigTree

LOSSLESS: Final = 3
NOTIFICATIONS: Final = 6
OTHERS: Final = 0
BLOCK: Final = 8
CODE_POINTS: Final = range(64)
SHARE_PERCENT: Final = 50
CABLE_LENGTH_M: Final = 100
KMIN_BYTES: Final = 150000
KMAX_BYTES: Final = 1501500
PROBABILITY_PERCENT: Final = 100
POLL_MS: Final = 100
POLLS: Final = 3
"""What the watchdog counts by default (Quality-of-Service)."""

MAPPING: Final = ("qos", "mapping", "default-global", "dscp")
MARKING: Final = ("qos", "congestion-control", "default-global", "traffic-class", str(LOSSLESS))
SCHEDULER: Final = ("qos", "egress-scheduler", "default-global", "traffic-class")
WATCHDOG: Final = ("qos", "pfc-watchdog")
POOL: Final = ("qos", "traffic-pool")


def profile_name(cable_length_m: int) -> str:
    """Return the name of the PFC profile of ports with so long a cable."""
    return f"cable-{cable_length_m}m"


def write_qos(tree: ConfigTree, intent: SwitchIntent) -> None:
    """Add RoCE.

    Raises
    ------
    BadInputError
        It asks for other priorities than those of the lossless mode.
    """
    roce = intent.roce
    if roce is None:
        return
    if set(roce.lossless) != {LOSSLESS} or roce.cnp_priority != NOTIFICATIONS:
        raise BadInputError(
            f"RoCE of {intent.hostname} needs other priorities than {LOSSLESS} and {NOTIFICATIONS}",
            "the lossless mode of Cumulus Linux has these; ask for them in the site file",
        )
    put(tree, "qos", "roce", "enable", "on")
    put(tree, "qos", "roce", "mode", "lossless")
    _pools(tree, roce)
    _code_points(tree, roce)
    _marking(tree, roce.lossless[LOSSLESS])
    _shares(tree, roce)
    _watchdog(tree, roce.pfc_watchdog)
    _cable_profiles(tree, intent)


def _pools(tree: ConfigTree, roce: RoceIntent) -> None:
    """Add how the buffer is divided."""
    if roce.lossless_buffer_percent is not None:
        put(tree, *POOL, "roce-lossless", "memory-percent", str(roce.lossless_buffer_percent))
        put(tree, *POOL, "default-lossy", "memory-percent", str(100 - roce.lossless_buffer_percent))


def _code_points(tree: ConfigTree, roce: RoceIntent) -> None:
    """Add the code points whose priority is not the one of their block."""
    asked = dict.fromkeys(roce.lossless[LOSSLESS].dscp, LOSSLESS)
    asked[roce.cnp_dscp] = NOTIFICATIONS
    kept = {LOSSLESS, *([] if roce.cnp_dscp == NOTIFICATIONS * BLOCK else [NOTIFICATIONS])}
    for dscp in CODE_POINTS:
        block = dscp // BLOCK
        priority = asked.get(dscp, OTHERS if block in kept else block)
        if priority != block:
            put(tree, *MAPPING, str(dscp), "switch-priority", str(priority))


def _marking(tree: ConfigTree, lossless: LosslessIntent) -> None:
    """Add when the lossless class marks."""
    values = (lossless.ecn_kmin_bytes, lossless.ecn_kmax_bytes, lossless.ecn_probability_percent)
    if values != (KMIN_BYTES, KMAX_BYTES, PROBABILITY_PERCENT):
        put(tree, *MARKING, "ecn", "enable")
        put(tree, *MARKING, "min-threshold", str(lossless.ecn_kmin_bytes))
        put(tree, *MARKING, "max-threshold", str(lossless.ecn_kmax_bytes))
        put(tree, *MARKING, "probability", str(lossless.ecn_probability_percent))


def _shares(tree: ConfigTree, roce: RoceIntent) -> None:
    """Add how a port is shared."""
    shares = {OTHERS: roce.default_bandwidth_percent, LOSSLESS: roce.lossless[LOSSLESS].bandwidth_percent}
    if set(shares.values()) == {SHARE_PERCENT}:
        return
    put(tree, *SCHEDULER, str(NOTIFICATIONS), "mode", "strict")
    for traffic_class, percent in shares.items():
        put(tree, *SCHEDULER, str(traffic_class), "mode", "dwrr")
        put(tree, *SCHEDULER, str(traffic_class), "bw-percent", str(percent))


def _watchdog(tree: ConfigTree, watchdog: PfcWatchdogIntent) -> None:
    """Add how the watchdog counts."""
    polls = watchdog.detect_ms // watchdog.poll_ms
    if watchdog.poll_ms != POLL_MS:
        put(tree, *WATCHDOG, "polling-interval", str(watchdog.poll_ms))
    if polls != POLLS:
        put(tree, *WATCHDOG, "robustness", str(polls))


def _cable_profiles(tree: ConfigTree, intent: SwitchIntent) -> None:
    """Add a PFC profile for each cable length that is not the usual one."""
    lengths = {port.cable_length_m for port in intent.ports.values() if port.lossless}
    for length_m in lengths - {None, CABLE_LENGTH_M}:
        at = ("qos", "pfc", profile_name(length_m or 0))
        put(tree, *at, "cable-length", str(length_m))
        put(tree, *at, "rx", "enable")
        put(tree, *at, "tx", "enable")
        put(tree, *at, "switch-priority", str(LOSSLESS))


def write_port(interface: ConfigTree, port: PortIntent) -> None:
    """Add what a lossless port needs besides: the watchdog, and the profile of its cable.

    The links between switches have the watchdog too: a pause that spreads over them stops every host behind them.
    """
    if not port.lossless:
        return
    put(interface, "qos", "pfc-watchdog", "state", "enable")
    if port.cable_length_m not in {None, CABLE_LENGTH_M}:
        put(interface, "qos", "pfc", "profile", profile_name(port.cable_length_m or 0))


# --- Back to the intent -------------------------------------------------------------------------------------------


def read_roce(tree: ConfigTree) -> RoceIntent | None:
    """Return RoCE, where the lossless mode is on."""
    if not is_on(tree, "qos", "roce", "enable"):
        return None
    priorities = {dscp: whole(tree, *MAPPING, str(dscp), "switch-priority") for dscp in CODE_POINTS}
    effective = {dscp: dscp // BLOCK if found is None else found for dscp, found in priorities.items()}
    notifications = [dscp for dscp, priority in effective.items() if priority == NOTIFICATIONS]
    lossless = LosslessIntent(
        dscp=tuple(dscp for dscp, priority in effective.items() if priority == LOSSLESS),
        ecn_kmin_bytes=_value(tree, KMIN_BYTES, *MARKING, "min-threshold"),
        ecn_kmax_bytes=_value(tree, KMAX_BYTES, *MARKING, "max-threshold"),
        ecn_probability_percent=_value(tree, PROBABILITY_PERCENT, *MARKING, "probability"),
        bandwidth_percent=_value(tree, SHARE_PERCENT, *SCHEDULER, str(LOSSLESS), "bw-percent"),
    )
    return RoceIntent(
        lossless={LOSSLESS: lossless},
        cnp_dscp=min(notifications, default=NOTIFICATIONS * BLOCK),
        cnp_priority=NOTIFICATIONS,
        default_bandwidth_percent=_value(tree, SHARE_PERCENT, *SCHEDULER, str(OTHERS), "bw-percent"),
        pfc_watchdog=_read_watchdog(tree),
        hash_queue_pair=False,
        lossless_buffer_percent=whole(tree, *POOL, "roce-lossless", "memory-percent"),
    )


def _value(tree: ConfigTree, otherwise: int, *words: str) -> int:
    found = whole(tree, *words)
    return otherwise if found is None else found


def _read_watchdog(tree: ConfigTree) -> PfcWatchdogIntent:
    """Return the watchdog: it drops, and a queue returns by itself."""
    poll_ms = _value(tree, POLL_MS, *WATCHDOG, "polling-interval")
    detect_ms = poll_ms * _value(tree, POLLS, *WATCHDOG, "robustness")
    return PfcWatchdogIntent("drop", detect_ms, detect_ms, poll_ms)


def is_lossless(interface: ConfigTree) -> bool:
    """Return whether a port carries RoCE: it has the watchdog then."""
    return word(interface, "qos", "pfc-watchdog", "state") == "enable"


def read_cable_length_m(tree: ConfigTree, interface: ConfigTree) -> int:
    """Return the length of a lossless port's cable."""
    profile = word(interface, "qos", "pfc", "profile")
    return _value(below(tree, "qos", "pfc", profile or ""), CABLE_LENGTH_M, "cable-length")
