"""Lossless mode: ``roce enable`` and ``buffer init lossless`` (RoCE design document, 2.2.7 and 2.2.8).

What ``roce enable`` generates is what a Dell Z9664F-ON shows afterwards, as printed in AMD's cluster networking guide.
"""

from collections.abc import Iterator

from lab.switches.nos.enterprise_sonic.rule import Context
from lab.switches.nos.enterprise_sonic.tree import Configuration

NAME = "ROCE"
PROMPT = "This operation will save the running configuration and reboot the switch. Proceed [y/N]:"
"""That it asks, saves and reboots is sourced; the wording before ``[y/N]:`` is not."""
ROCE, BUFFER = "roce enable", "buffer init lossless"
_RANK = 800
_KINDS = ("dscp-tc", "dot1p-tc", "tc-queue", "tc-pg", "pfc-priority-queue", "pfc-priority-pg")


async def enable_roce(context: Context) -> str:
    """``roce enable [force-defaults] [pfc-priority 3,4]``."""
    system = context.system
    root = context.configuration.root
    if BUFFER in root.lines:
        return "%Error: Buffer is already initialized to lossless mode"
    if ROCE in root.lines and root.text(ROCE) == _line(context):
        return ""
    conflicts = _conflicts(context.configuration)
    if conflicts and "force-defaults" not in context.text:
        return f"%Error: Conflicting QoS configuration exists: {', '.join(conflicts)}"
    if (await context.ask(PROMPT)).strip().lower() != "y":
        return ""
    _remove(context.configuration)
    priorities = [int(text) for text in context.arguments.get("priorities", "3,4").split(",")]
    system.type_block(_objects(priorities))
    for key, _ in tuple(context.configuration.blocks("ethernet")):
        system.type_block([key, *port_lines(priorities)])
    root.lines[ROCE] = (_RANK, _line(context))
    return system.save_and_reboot()


async def disable_roce(context: Context) -> str:
    """``no roce enable``."""
    if ROCE not in context.configuration.root.lines:
        return ""
    if (await context.ask(PROMPT)).strip().lower() != "y":
        return ""
    _remove(context.configuration)
    del context.configuration.root.lines[ROCE]
    return context.system.save_and_reboot()


async def init_buffers(context: Context) -> str:
    """``buffer init lossless``."""
    root = context.configuration.root
    if ROCE in root.lines:
        return "%Error: RoCE is already enabled"
    if BUFFER in root.lines:
        return ""
    if (await context.ask(PROMPT)).strip().lower() != "y":
        return ""
    root.lines[BUFFER] = (_RANK, BUFFER)
    return context.system.save_and_reboot()


async def clear_buffers(context: Context) -> str:
    """``no buffer init``."""
    root = context.configuration.root
    if ROCE in root.lines:
        return "%Error: RoCE is enabled, buffer cannot be cleared"
    if BUFFER not in root.lines:
        return ""
    if (await context.ask(PROMPT)).strip().lower() != "y":
        return ""
    for slot in [slot for slot in root.lines if slot.startswith("buffer ")]:
        del root.lines[slot]
    return context.system.save_and_reboot()


def _line(context: Context) -> str:
    chosen = context.arguments.get("priorities")
    return ROCE if chosen is None else f"{ROCE} pfc-priority {chosen}"


def _conflicts(configuration: Configuration) -> list[str]:
    """QoS settings of ports that the defaults would replace (RoCE design, 2.2.8.2)."""
    words = ("qos-map", "queue ", "scheduler-policy", "priority-flow-control priority", "buffer ")
    return [
        block.facts["name"]
        for _, block in configuration.blocks("ethernet")
        if any(slot.startswith(words) and NAME not in line for slot, (_, line) in block.lines.items())
    ]


def _remove(configuration: Configuration) -> None:
    """Take away the ROCE objects and every reference to them."""
    root = configuration.root
    for _, block in configuration.blocks("ethernet"):
        roce = [slot for slot, (_, line) in block.lines.items() if line.endswith(f" {NAME}")]
        flow = [slot for slot in block.lines if slot.startswith("priority-flow-control")] if roce else []
        for slot in (*roce, *flow):
            del block.lines[slot]
    for key in [key for key in root.children if key.startswith("qos ") and key.endswith(f" {NAME}")]:
        del root.children[key]
    configuration.touch()


def _objects(priorities: list[int]) -> Iterator[str]:
    first, second = priorities
    others = ",".join(str(number) for number in range(8) if number not in priorities)
    yield from (f"qos wred-policy {NAME}", "green minimum-threshold 1048 maximum-threshold 2097 drop-probability 5")
    yield from ("ecn green", f"qos scheduler-policy {NAME}")
    for queue in (0, first, second):
        yield from (f"queue {queue}", "type dwrr", "weight 50", "exit")
    yield from ("queue 6", "type strict", "exit")
    yield from (f"qos map dscp-tc {NAME}", "dscp 0-63 traffic-class 0", f"dscp 24,26 traffic-class {first}")
    yield from (f"dscp 4 traffic-class {second}", "dscp 48 traffic-class 6")
    yield from (f"qos map dot1p-tc {NAME}", f"dot1p {others} traffic-class 0")
    yield from (f"dot1p {number} traffic-class {number}" for number in priorities)
    yield f"qos map tc-queue {NAME}"
    yield from (f"traffic-class {number} queue {number}" for number in range(8))
    yield from (f"qos map tc-pg {NAME}", f"traffic-class {others} priority-group 7")
    yield from (f"traffic-class {number} priority-group {number}" for number in priorities)
    for kind, word in (("pfc-priority-queue", "queue"), ("pfc-priority-pg", "pg")):
        yield f"qos map {kind} {NAME}"
        yield from (f"pfc-priority {number} {word} {number}" for number in range(8))


def port_lines(priorities: list[int]) -> Iterator[str]:
    """Yield what ``roce enable`` sets on every port."""
    yield from (f"queue {number} wred-policy {NAME}" for number in priorities)
    yield f"scheduler-policy {NAME}"
    yield from (f"qos-map {kind} {NAME}" for kind in _KINDS)
    yield from (f"priority-flow-control priority {number}" for number in priorities)
    yield "priority-flow-control watchdog action drop"
    yield "priority-flow-control watchdog on detect-time 200"
    yield "priority-flow-control watchdog restore-time 400"
