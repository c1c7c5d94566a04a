"""The stages of a change on Enterprise SONiC: leave lossless mode, break out ports, enter lossless mode, the rest.

Ports are broken out before the switch enters lossless mode, and a port that is made in lossless mode can be used after
a restart only; ``roce enable`` saves, restarts, and refuses while other QoS objects are applied (HLD "QoS buffer and
RoCE", 2.2.8 and 2.2.9). After each stage the switch is read again, because a breakout or a mode adds lines of its
own.
"""

import re
from typing import Final

from rackproof.deploy.switch.nos.enterprise_sonic.edits import Edit, edits, removals, typed
from rackproof.deploy.switch.nos.enterprise_sonic.negation import negated
from rackproof.deploy.switch.stage import Stage
from rackproof.render.config_tree import ConfigTree

BREAKOUT: Final = re.compile(r"interface breakout port 1/(?P<port>\d+) mode \S+$")
MODE: Final = re.compile(r"(roce enable|buffer init)\b")
QOS_OBJECT: Final = re.compile(r"(qos |buffer |priority-flow-control )")
PORT_QOS: Final = re.compile(r"(queue |scheduler-policy |qos-map |priority-flow-control |buffer |cable-length )")
PORT_REFERENCE: Final = re.compile(r"(channel-group |switchport |ip |ipv6 )")


def next_stage(running: ConfigTree, intended: ConfigTree, _printed: str = "") -> Stage | None:
    """Return the next stage from one configuration to another; None: they are equal.

    Parameters
    ----------
    running, intended
        Trees of the lines that Rackproof manages.
    """
    if running == intended:
        return None
    return (
        leaving_a_mode(running, intended)
        or breaking_out(running, intended)
        or entering_a_mode(running, intended)
        or Stage("configuration", typed(edits(running, intended)))
    )


def leaving_a_mode(running: ConfigTree, intended: ConfigTree) -> Stage | None:
    """Return the stage that ends a buffer mode other than the intended one."""
    mode = next((line for line in running if MODE.match(line) and line not in intended), None)
    return None if mode is None else Stage(f"end of `{mode}`", (), restarting_line=negated(mode))


def entering_a_mode(running: ConfigTree, intended: ConfigTree) -> Stage | None:
    """Return the stage that begins the intended buffer mode, after the QoS objects that prevent it are removed."""
    mode = next((line for line in intended if MODE.match(line) and line not in running), None)
    if mode is None:
        return None
    return Stage("lossless mode", typed(removals(running, without_qos(running), ())), restarting_line=mode)


def without_qos(running: ConfigTree) -> ConfigTree:
    """Return a configuration without QoS objects and what refers to them."""
    return {
        line: {inner: block[inner] for inner in block if not PORT_QOS.match(inner)}
        if line.startswith("interface ")
        else block
        for line, block in running.items()
        if not QOS_OBJECT.match(line)
    }


def breaking_out(running: ConfigTree, intended: ConfigTree) -> Stage | None:
    """Return the stage that breaks out and joins ports, after everything that refers to their old ports is removed."""
    going, coming = breakouts(running, intended), breakouts(intended, running)
    if not going and not coming:
        return None
    joined = [negated(line) for port, line in going.items() if port not in coming]
    breakout_edits = (Edit((), line) for line in (*joined, *coming.values()))
    lines = typed([*references(running, {*going, *coming}), *breakout_edits])
    return Stage("breakout of ports", lines, restart=any(MODE.match(line) for line in running))


def breakouts(tree: ConfigTree, other: ConfigTree) -> dict[str, str]:
    """Return the breakout lines that only ``tree`` has, by their port."""
    matches = (BREAKOUT.match(line) for line in tree if line not in other)
    return {match["port"]: match[0] for match in matches if match}


def references(running: ConfigTree, ports: set[str]) -> tuple[Edit, ...]:
    """Return the edits that remove everything that refers to the ports in these cages."""
    names = {line.partition(" ")[2] for line in running if in_cage(line, ports)}
    kept: ConfigTree = {}
    for line, block in running.items():
        if in_cage(line, ports):
            kept[line] = {inner: block[inner] for inner in block if not PORT_REFERENCE.match(inner)}
        elif line.startswith("router bgp"):
            kept[line] = {
                inner: block[inner] for inner in block if inner.removeprefix("neighbor interface ") not in names
            }
        else:
            kept[line] = block
    return tuple(removals(running, kept, ()))


def in_cage(line: str, ports: set[str]) -> bool:
    """Whether a line opens the block of a port in one of these cages: of Eth1/3 or of its children."""
    name = line.removeprefix("interface Eth1/")
    return name != line and name.partition("/")[0] in ports
