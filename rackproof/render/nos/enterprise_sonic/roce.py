"""RoCE as Enterprise SONiC has it: ``roce enable`` makes objects named ROCE, which are then set to the intent.

Sources: HLD "QoS buffer and RoCE" of Broadcom's SONiC 4.1, section 2.2.7 (what ``roce enable`` makes); running
configuration of a Z9664F-ON in AMD's cluster networking guide (how it is printed).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rackproof.render.ranges import compress

if TYPE_CHECKING:
    from rackproof.plan.model.plan import RoceIntent

OBJECT = "ROCE"
"""Name of every map and policy that ``roce enable`` makes."""

CLASSES = range(8)
CODE_POINTS = range(64)
LOSSY_CLASS = 0
"""Traffic class, and queue, of everything that is neither lossless nor a congestion notification."""

LOSSY_PRIORITY_GROUP = 7
"""Where ``roce enable`` puts lossy traffic at ingress; hence class 7 is never lossless."""

COMPANIONS = (3, 4)
"""``roce enable`` always reserves buffers for two priorities; with one lossless class the other is one of these."""


@dataclass(frozen=True, slots=True)
class WredPolicy:
    """When a queue marks; thresholds in units of 1000 bytes, as sonic-cli takes them."""

    name: str
    queue: int
    minimum_kb: int
    maximum_kb: int
    probability_percent: int


@dataclass(frozen=True, slots=True)
class QueueShare:
    """How a queue is served; no weight: strictly before the others."""

    queue: int
    weight: int | None


@dataclass(frozen=True, slots=True)
class RoceBlock:
    """The objects of ``roce enable`` set to an intent."""

    roce: RoceIntent
    reserved: str
    """The two priorities after ``pfc-priority``."""
    lossless: tuple[int, ...]
    wred: tuple[WredPolicy, ...]
    queues: tuple[QueueShare, ...]
    code_points: tuple[tuple[str, int], ...]
    """Code points and their traffic class."""
    dot1p: tuple[tuple[str, int], ...]
    priority_groups: tuple[tuple[str, int], ...]


def reserved_priorities(lossless: tuple[int, ...]) -> tuple[int, ...]:
    """Return the two priorities that get lossless buffers: the lossless ones, filled up from 3 and 4."""
    missing = 2 - len(lossless)
    return tuple(sorted((*lossless, *[other for other in COMPANIONS if other not in lossless][:missing])))


def wred_name(priority: int, lossless: tuple[int, ...]) -> str:
    """Return the name of a class's policy: the first lossless class keeps the one that ``roce enable`` made."""
    return OBJECT if priority == min(lossless) else f"{OBJECT}-{priority}"


def roce_block(roce: RoceIntent) -> RoceBlock:
    """Return the objects for ``roce``."""
    lossless = tuple(sorted(roce.lossless))
    classes: dict[int, int] = {}
    for priority in lossless:
        classes |= dict.fromkeys(roce.lossless[priority].dscp, priority)
    classes[roce.cnp_dscp] = roce.cnp_priority
    return RoceBlock(
        roce=roce,
        reserved=compress_pair(reserved_priorities(lossless)),
        lossless=lossless,
        wred=tuple(_wred_policy(roce, priority, lossless) for priority in lossless),
        queues=_queues(roce, lossless),
        code_points=grouped({dscp: classes.get(dscp, LOSSY_CLASS) for dscp in CODE_POINTS}),
        dot1p=grouped({dot1p: dot1p if dot1p in lossless else LOSSY_CLASS for dot1p in CLASSES}),
        priority_groups=grouped({tc: tc if tc in lossless else LOSSY_PRIORITY_GROUP for tc in CLASSES}),
    )


def compress_pair(priorities: tuple[int, ...]) -> str:
    """Return priorities joined by commas: this list knows no dash."""
    return ",".join(map(str, priorities))


def grouped(targets: dict[int, int]) -> tuple[tuple[str, int], ...]:
    """Return the numbers that share a target as one list, by target."""
    groups: dict[int, list[int]] = {}
    for number, target in targets.items():
        groups.setdefault(target, []).append(number)
    return tuple((compress(groups[target]), target) for target in sorted(groups))


def _wred_policy(roce: RoceIntent, priority: int, lossless: tuple[int, ...]) -> WredPolicy:
    """Return the marking of one lossless class."""
    lossless_class = roce.lossless[priority]
    return WredPolicy(
        name=wred_name(priority, lossless),
        queue=priority,
        minimum_kb=lossless_class.ecn_kmin_bytes // 1000,
        maximum_kb=lossless_class.ecn_kmax_bytes // 1000,
        probability_percent=lossless_class.ecn_probability_percent,
    )


def _queues(roce: RoceIntent, lossless: tuple[int, ...]) -> tuple[QueueShare, ...]:
    """Return how the queues in use share a port."""
    shares = {priority: QueueShare(priority, roce.lossless[priority].bandwidth_percent) for priority in lossless}
    shares[LOSSY_CLASS] = QueueShare(LOSSY_CLASS, roce.default_bandwidth_percent)
    shares[roce.cnp_priority] = QueueShare(roce.cnp_priority, None)
    return tuple(shares[queue] for queue in sorted(shares))
