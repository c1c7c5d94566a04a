"""RoCE of a configuration tree: the objects named ROCE and what the ports say."""

from __future__ import annotations

from rackproof.plan.model.plan import LosslessIntent, PfcWatchdogIntent, RoceIntent
from rackproof.render.config_tree import ConfigTree, blocks, value, values
from rackproof.render.nos.enterprise_sonic.canonical import is_unused_port
from rackproof.render.nos.enterprise_sonic.parse_interfaces import VLAN_LIST, number
from rackproof.render.nos.enterprise_sonic.roce import LOSSY_CLASS, LOSSY_PRIORITY_GROUP, OBJECT, wred_name
from rackproof.render.ranges import expand

WATCHDOG = "priority-flow-control watchdog"


def roce_intent(tree: ConfigTree) -> RoceIntent | None:
    """Return RoCE, where ``roce enable`` is on."""
    if value(tree, "roce enable pfc-priority") is None:
        return None
    classes = _targets(tree.get(f"qos map dscp-tc {OBJECT}", {}), "dscp", " traffic-class ")
    groups = _targets(tree.get(f"qos map tc-pg {OBJECT}", {}), "traffic-class", " priority-group ")
    queues = {number(name): block for name, block in blocks(tree.get(f"qos scheduler-policy {OBJECT}", {}), "queue")}
    lossless = tuple(sorted(tc for tc, group in groups.items() if group == tc != LOSSY_PRIORITY_GROUP))
    cnp_priority = next((queue for queue, block in sorted(queues.items()) if "type strict" in block), LOSSY_CLASS)
    return RoceIntent(
        lossless={
            priority: _lossless(tree, priority, lossless, _members(classes, priority), queues.get(priority, {}))
            for priority in lossless
        },
        cnp_dscp=next(iter(_members(classes, cnp_priority)), 0),
        cnp_priority=cnp_priority,
        default_bandwidth_percent=number(value(queues.get(LOSSY_CLASS, {}), "weight")),
        pfc_watchdog=_watchdog(tree),
        hash_queue_pair="ip load-share hash roce qpn" in tree,
    )


def _targets(block: ConfigTree, words: str, arrow: str) -> dict[int, int]:
    """Return the numbers of a map and what each maps to."""
    targets: dict[int, int] = {}
    for text in values(block, words):
        sources, target = text.partition(arrow)[::2]
        if VLAN_LIST.fullmatch(sources):
            targets |= dict.fromkeys(expand(sources), number(target))
    return targets


def _members(targets: dict[int, int], target: int) -> tuple[int, ...]:
    """Return the numbers that map to ``target``, sorted."""
    return tuple(sorted(source for source, of in targets.items() if of == target))


def _lossless(
    tree: ConfigTree, priority: int, lossless: tuple[int, ...], dscp: tuple[int, ...], queue: ConfigTree
) -> LosslessIntent:
    """Return one lossless class."""
    policy = tree.get(f"qos wred-policy {wred_name(priority, lossless)}", {})
    minimum, _, rest = (value(policy, "green minimum-threshold") or "").partition(" maximum-threshold ")
    maximum, _, probability = rest.partition(" drop-probability ")
    return LosslessIntent(
        dscp=dscp,
        ecn_kmin_bytes=number(minimum) * 1000,
        ecn_kmax_bytes=number(maximum) * 1000,
        ecn_probability_percent=number(probability),
        bandwidth_percent=number(value(queue, "weight")),
    )


def _watchdog(tree: ConfigTree) -> PfcWatchdogIntent:
    """Return the watchdog as the first port in use sets it; ports that differ show in the comparison."""
    port = next(
        (block for _, block in blocks(tree, "interface") if value(block, WATCHDOG) and not is_unused_port(block)), {}
    )
    return PfcWatchdogIntent(
        action=value(port, f"{WATCHDOG} action") or "off",
        detect_ms=number(value(port, f"{WATCHDOG} on detect-time")),
        restore_ms=number(value(port, f"{WATCHDOG} restore-time")),
        poll_ms=number(value(tree, f"{WATCHDOG} polling-interval")),
    )
