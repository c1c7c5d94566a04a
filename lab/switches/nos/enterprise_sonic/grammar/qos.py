"""QoS maps, WRED policies, scheduler policies, buffers, PFC."""

from lab.switches.nos.enterprise_sonic import checks
from lab.switches.nos.enterprise_sonic.rule import Entry, Mode, Rule, Spread

_MAPS = (
    # kind, prompt, first word of an entry, its numbers, second word, place among the blocks
    ("dscp-tc", "dscp-tc", "dscp", "list 0..63", "traffic-class", 30),
    ("dot1p-tc", "dot1p-tc", "dot1p", "list 0..7", "traffic-class", 31),
    ("tc-queue", "tc-queue", "traffic-class", "list 0..7", "queue", 32),
    ("tc-pg", "tc-pg", "traffic-class", "list 0..7", "priority-group", 33),
    ("pfc-priority-queue", "pfc-priority-queue", "pfc-priority", "list 0..7", "queue", 34),
    ("pfc-priority-pg", "pfc-priority-pg", "pfc-priority", "list 0..7", "pg", 35),
)


def _map_mode(kind: str, word: str, numbers: str, target: str, rank: int) -> Mode:
    entry = Rule(
        f"{word} <values:{numbers}> {target} <target:0..7>",
        f"X qos_map_{kind.replace('-', '_')}; pg: A",
        slot=word,
        no=(f"no {word} <values:{numbers}>",),
        spread=Spread("values", "target"),
    )
    return Mode(f"map-{kind}", f"(config-{kind}-map-{{name}})", (entry,), rank=rank)


def _map_rule(kind: str) -> Rule:
    return Rule(
        f"qos map {kind} <name:name>",
        f"X qos_map_{kind.replace('-', '_')}; pfc-priority-pg: A, D qos_maps",
        no=(f"no qos map {kind} <name:name>",),
        enters=Entry(f"map-{kind}", f"qos map {kind} {{name}}"),
        check=checks.unused("ethernet", f"qos-map {kind}"),
    )


_WRED = Mode(
    "wred",
    "(config-wred-{name})",
    (
        Rule(
            "green minimum-threshold <least:1..12480> maximum-threshold <most:1..12480> "
            "drop-probability <percent:0..100>",
            "X wred",
            check=checks.thresholds_ascend,
        ),
        Rule("ecn (none|green|all)", "X wred"),
    ),
    rank=20,
)
_SCHEDULER = Mode(
    "scheduler",
    "(config-sched-policy-{name})",
    (
        Rule(
            "queue <queue:0..7>",
            "X qos_scheduler",
            slot="queue {queue}",
            no=("no queue <queue:0..7>",),
            enters=Entry("scheduler-queue", "queue {queue}"),
        ),
    ),
    rank=21,
)
_SCHEDULER_QUEUE = Mode(
    "scheduler-queue",
    "(config-scheduler-{name}-queue-{queue})",
    (
        Rule("type (dwrr|wrr|strict)", "X qos_scheduler"),
        Rule("weight <weight:1..100>", "X qos_scheduler"),
        Rule("meter-type (packets|bytes)", "X qos_scheduler"),
        *(Rule(f"{word} <rate:0..400000000>", "X qos_scheduler") for word in ("cir", "pir")),
        *(Rule(f"{word} <burst:0..125000000>", "X qos_scheduler") for word in ("cbs", "pbs")),
    ),
)

MODES = (
    _WRED,
    _SCHEDULER,
    _SCHEDULER_QUEUE,
    *(_map_mode(kind, word, numbers, target, rank) for kind, _, word, numbers, target, rank in _MAPS),
)

_POOLS = "ingress_lossless_pool|egress_lossless_pool|egress_lossy_pool"

RULES = {
    "config": (
        Rule(
            "qos wred-policy <name:name>",
            "X wred",
            no=("no qos wred-policy <name:name>",),
            enters=Entry("wred", "qos wred-policy {name}"),
            check=checks.unused("ethernet", "queue "),
        ),
        Rule(
            "qos scheduler-policy <name:name>",
            "X qos_scheduler",
            no=("no qos scheduler-policy <name:name>",),
            enters=Entry("scheduler", "qos scheduler-policy {name}"),
            check=checks.unused("ethernet", "scheduler-policy"),
        ),
        *(_map_rule(kind) for kind, *_ in _MAPS),
        Rule("priority-flow-control watchdog polling-interval <ms:100..3000>", "X qos_pfc"),
        Rule(
            "no priority-flow-control watchdog counter-poll",
            "X qos_pfc: on unless switched off",
            slot="counter-poll",
            no=("priority-flow-control watchdog counter-poll",),
        ),
        Rule(
            "buffer pool ingress_lossless_pool shared-headroom-size <bytes:0..2147483647>",
            "D qos_buffer",
            no=(),
            check=checks.lossless_mode,
        ),
        Rule(
            f"buffer profile <name:name> <pool:{_POOLS}> <bytes:0..2147483647> "
            "(static-threshold <static:0..2147483647>|dynamic-threshold <dynamic:-6..3>) "
            "[pause pause-threshold <xoff:46080..8388608> [resume-threshold <xon:0..8388608>] "
            "[resume-offset-threshold <offset:0..8388608>]]",
            "D qos_buffer; H 3.6.2.2.5",
            slot="buffer profile {name}",
            no=("no buffer profile <name:name>",),
            check=checks.lossless_mode,
        ),
        Rule("dcbx enable", "D dcbx"),
    ),
}
