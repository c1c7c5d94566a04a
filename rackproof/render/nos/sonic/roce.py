"""RoCE: maps, marking, scheduling and the PFC watchdog."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from rackproof.plan.model.plan import LosslessIntent, PfcWatchdogIntent, RoceIntent
from rackproof.render.nos.sonic.database import ConfigDb, Fields, key, row_fields

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rackproof.plan.model.plan import SwitchIntent

OBJECT = "ROCE"
"""Name of every map, as Enterprise SONiC's ``roce enable`` calls them."""

LOSSY_CLASS = 0
"""Class, priority group and queue of all other traffic; SONiC's default maps put it there."""

NUMBERS = range(8)
CODE_POINTS = range(64)
MAPS = {
    "dscp_to_tc_map": OBJECT,
    "tc_to_queue_map": OBJECT,
    "tc_to_pg_map": OBJECT,
    "pfc_to_queue_map": OBJECT,
}


def wred_name(priority: int) -> str:
    """Return the name of a lossless class's marking."""
    return f"{OBJECT}-{priority}"


def scheduler_name(queue: int) -> str:
    """Return the name of a queue's scheduler."""
    return f"scheduler.{queue}"


def write_roce(intent: SwitchIntent, names: Mapping[str, str]) -> ConfigDb:
    """Return the tables of RoCE, buffers excepted; ``names`` is port key to name."""
    roce = intent.roce
    if roce is None:
        return {}
    lossless = sorted(roce.lossless)
    classes: dict[int, int] = {}
    for priority in lossless:
        classes |= dict.fromkeys(roce.lossless[priority].dscp, priority)
    classes[roce.cnp_dscp] = roce.cnp_priority
    identity = {str(number): str(number) for number in NUMBERS}
    ports = sorted(names[port_key] for port_key, port in intent.ports.items() if port.lossless)
    priorities = ",".join(map(str, lossless))
    return {
        "DSCP_TO_TC_MAP": {OBJECT: {str(dscp): str(classes.get(dscp, LOSSY_CLASS)) for dscp in CODE_POINTS}},
        "TC_TO_QUEUE_MAP": {OBJECT: dict(identity)},
        "TC_TO_PRIORITY_GROUP_MAP": {OBJECT: {str(tc): str(tc if tc in lossless else LOSSY_CLASS) for tc in NUMBERS}},
        "MAP_PFC_PRIORITY_TO_QUEUE": {OBJECT: dict(identity)},
        "PORT_QOS_MAP": {port: MAPS | {"pfc_enable": priorities, "pfcwd_sw_enable": priorities} for port in ports},
        "WRED_PROFILE": {wred_name(priority): _wred(roce.lossless[priority]) for priority in lossless},
        "SCHEDULER": _schedulers(roce),
        "QUEUE": {key(port, queue): _queue(roce, queue) for port, queue in product(ports, _queues(roce))},
        "PFC_WD": _watchdog(roce.pfc_watchdog, ports),
    }


def _queues(roce: RoceIntent) -> list[int]:
    """Return the queues in use."""
    return sorted({LOSSY_CLASS, roce.cnp_priority, *roce.lossless})


def _queue(roce: RoceIntent, queue: int) -> Fields:
    """Return how one queue of a port is served and marked."""
    marking = {"wred_profile": wred_name(queue)} if queue in roce.lossless else {}
    return {"scheduler": scheduler_name(queue), **marking}


def _wred(lossless: LosslessIntent) -> Fields:
    """Return the marking of a lossless class."""
    return {
        "ecn": "ecn_green",
        "wred_green_enable": "true",
        "green_min_threshold": str(lossless.ecn_kmin_bytes),
        "green_max_threshold": str(lossless.ecn_kmax_bytes),
        "green_drop_probability": str(lossless.ecn_probability_percent),
    }


def _schedulers(roce: RoceIntent) -> dict[str, Fields]:
    """Return how the queues in use share a port."""
    shares = {priority: lossless.bandwidth_percent for priority, lossless in roce.lossless.items()}
    shares[LOSSY_CLASS] = roce.default_bandwidth_percent
    rows = {scheduler_name(queue): {"type": "DWRR", "weight": str(weight)} for queue, weight in shares.items()}
    return rows | {scheduler_name(roce.cnp_priority): {"type": "STRICT"}}


def _watchdog(watchdog: PfcWatchdogIntent, ports: list[str]) -> dict[str, Fields]:
    """Return the watchdog of the switch and of its lossless ports."""
    fields = {
        "action": watchdog.action,
        "detection_time": str(watchdog.detect_ms),
        "restoration_time": str(watchdog.restore_ms),
    }
    return {"GLOBAL": {"POLL_INTERVAL": str(watchdog.poll_ms)}} | {port: dict(fields) for port in ports}


def read_roce(database: ConfigDb) -> RoceIntent | None:
    """Return RoCE, where there is a map of code points."""
    classes = {int(dscp): int(tc) for dscp, tc in row_fields(database, "DSCP_TO_TC_MAP", OBJECT).items()}
    if not classes:
        return None
    groups = row_fields(database, "TC_TO_PRIORITY_GROUP_MAP", OBJECT)
    lossless = sorted(int(tc) for tc, group in groups.items() if tc == group != str(LOSSY_CLASS))
    schedulers = database.get("SCHEDULER", {})
    strict = [name for name, fields in sorted(schedulers.items()) if fields.get("type") == "STRICT"]
    cnp_priority = int(strict[0].rpartition(".")[2]) if strict else LOSSY_CLASS
    return RoceIntent(
        lossless={priority: _read_lossless(database, priority, classes) for priority in lossless},
        cnp_dscp=next((dscp for dscp, tc in sorted(classes.items()) if tc == cnp_priority), 0),
        cnp_priority=cnp_priority,
        default_bandwidth_percent=_weight(database, LOSSY_CLASS),
        pfc_watchdog=_read_watchdog(database),
        hash_queue_pair=False,
    )


def _weight(database: ConfigDb, queue: int) -> int:
    return int(row_fields(database, "SCHEDULER", scheduler_name(queue)).get("weight", 0))


def _read_lossless(database: ConfigDb, priority: int, classes: Mapping[int, int]) -> LosslessIntent:
    """Return one lossless class."""
    marking = row_fields(database, "WRED_PROFILE", wred_name(priority))
    return LosslessIntent(
        dscp=tuple(sorted(dscp for dscp, tc in classes.items() if tc == priority)),
        ecn_kmin_bytes=int(marking.get("green_min_threshold", 0)),
        ecn_kmax_bytes=int(marking.get("green_max_threshold", 0)),
        ecn_probability_percent=int(marking.get("green_drop_probability", 0)),
        bandwidth_percent=_weight(database, priority),
    )


def _read_watchdog(database: ConfigDb) -> PfcWatchdogIntent:
    """Return the watchdog as the first port that has one sets it; ports that differ show in the comparison."""
    table = database.get("PFC_WD", {})
    port = next((fields for name, fields in table.items() if name != "GLOBAL"), {})
    return PfcWatchdogIntent(
        action=port.get("action", "off"),
        detect_ms=int(port.get("detection_time", 0)),
        restore_ms=int(port.get("restoration_time", 0)),
        poll_ms=int(table.get("GLOBAL", {}).get("POLL_INTERVAL", 0)),
    )
