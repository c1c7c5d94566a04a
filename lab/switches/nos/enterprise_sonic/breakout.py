"""Splitting ports: dynamic port breakout (sonic_cli_breakout.py of the management framework; RoCE design, 2.2.9)."""

from lab.switches.nos.enterprise_sonic import ports
from lab.switches.nos.enterprise_sonic.rule import Context

_STARTED = "Dynamic Port Breakout in-progress, use 'show interface breakout port {}' to check status."
_LOSSLESS = 'Warning: Switch in "lossless" mode, Ports created can be used only after reboot'
_UNCHANGED = "%Error: No change in port breakout mode"


async def split(context: Context) -> str:
    """``interface breakout port 1/3 mode 2x400G``."""
    slot_port, mode = context.arguments["port"], context.arguments["mode"]
    number = int(slot_port.partition("/")[2])
    port = context.system.spec.ports.get(number)
    if port is None or mode not in port.modes:
        return f"%Error: Port {slot_port} does not support breakout mode {mode}"
    wanted = None if port.modes[mode].children == 1 and port.modes[mode].speed_mbps == port.speed_mbps else mode
    return _change(context, number, wanted)


async def join(context: Context) -> str:
    """``no interface breakout port 1/3``."""
    number = int(context.arguments["port"].partition("/")[2])
    if number not in context.system.spec.ports:
        return "%Error: Invalid port"
    return _change(context, number, None)


def _change(context: Context, number: int, mode: str | None) -> str:
    configuration = context.configuration
    if ports.breakout_mode(configuration, number) == mode:
        return _UNCHANGED
    gone = [key.removeprefix("interface ") for key in ports.interface_keys(configuration, number)]
    for name in gone:
        del configuration.root.children[f"interface {name}"]
        _forget(context, name)
    for key, block in ports.interfaces(context.system.spec.ports[number], mode):
        block.facts["usable"] = "no" if context.system.lossless else "yes"
        configuration.root.children[key] = block
    slot = f"interface breakout 1/{number}"
    configuration.root.lines.pop(slot, None)
    if mode is not None:
        configuration.root.lines[slot] = (_RANK, f"interface breakout port 1/{number} mode {mode}")
    configuration.touch()
    answer = _STARTED.format(f"1/{number}")
    return f"{_LOSSLESS}\n{answer}" if context.system.lossless else answer


_RANK = 900
"""Breakouts are shown after the other global lines."""


def _forget(context: Context, name: str) -> None:
    """Configuration that depends on a port goes with it (show interface breakout dependencies)."""
    for _, router in context.configuration.blocks("bgp"):
        router.children.pop(f"neighbor interface {name}", None)
