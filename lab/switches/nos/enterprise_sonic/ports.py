"""Front panel ports: which interfaces there are in which breakout, and what they are called."""

from collections.abc import Iterator
from itertools import chain

from lab.spec.models import PortSpec, SwitchSpec
from lab.switches.nos.enterprise_sonic.tree import Block, Configuration


def port_name(number: int, child: int | None = None) -> str:
    """Return the name of a port in standard naming: Eth1/3, or Eth1/3/2 when it is split."""
    return f"Eth1/{number}" if child is None else f"Eth1/{number}/{child}"


def interfaces(port: PortSpec, mode: str | None) -> Iterator[tuple[str, Block]]:
    """Yield key and block of each interface a port makes in a breakout mode; None is the unsplit port."""
    if mode is None:
        yield _interface(port_name(port.number), port.native_index, port.speed_mbps)
        return
    breakout = port.modes[mode]
    step = max(1, port.lanes // breakout.children)
    for child in range(breakout.children):
        name = port_name(port.number, child + 1)
        yield _interface(name, port.native_index + child * step, breakout.speed_mbps)


def _interface(name: str, native_index: int, speed_mbps: int) -> tuple[str, Block]:
    facts = {"name": name, "native": f"Ethernet{native_index}", "native-speed": str(speed_mbps), "usable": "yes"}
    return f"interface {name}", Block("ethernet", facts)


def breakout_mode(configuration: Configuration, number: int) -> str | None:
    """Return the breakout mode in force on a port, or None."""
    return configuration.root.argument(f"interface breakout 1/{number}")


def interface_keys(configuration: Configuration, number: int) -> list[str]:
    """Return the keys of the interfaces that a port is now."""
    own = f"interface Eth1/{number}"
    return [key for key, _ in configuration.blocks("ethernet") if key == own or key.startswith(f"{own}/")]


def factory_ports(spec: SwitchSpec) -> dict[str, Block]:
    """Return the interfaces of a switch nothing was split on yet."""
    return dict(chain.from_iterable(interfaces(port, None) for port in spec.ports.values()))
