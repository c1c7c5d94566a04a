"""Port keys and port names: "3" and "3/2" in the plan, Eth1/3/2 or Ethernet18 on the switch."""

from collections.abc import Mapping
from functools import lru_cache

from rackproof.hardware.models import NosModel, PortRange, SwitchModel
from rackproof.types import split_breakout


@lru_cache(maxsize=1 << 10)
def front_panel_port(key: str) -> int:
    """Return the front panel port number of a key such as "3" or "3/2"."""
    return int(key.partition("/")[0])


@lru_cache(maxsize=1 << 12)
def child_keys(port: int, mode: str | None) -> tuple[str, ...]:
    """Return the port keys of a cage: its child ports where it is split."""
    children = range(1, split_breakout(mode)[0] + 1) if mode else ()
    return tuple(f"{port}/{child}" for child in children) or (str(port),)


@lru_cache(maxsize=1 << 10)
def key_order(key: str) -> tuple[int, int]:
    """Sort key that puts "2" before "10" and "3/2" after "3/1"."""
    port, _, child = key.partition("/")
    return int(port), int(child or 0)


@lru_cache(maxsize=1 << 10)
def in_panel_order(keys: tuple[str, ...]) -> tuple[str, ...]:
    """Return port keys sorted; switches that are alike have the same."""
    return tuple(sorted(keys, key=key_order))


def nos_port_name(nos: NosModel, switch: SwitchModel, key: str, breakouts: Mapping[str, str]) -> str:
    """Return what ``nos`` calls the port ``key`` on ``switch``.

    Parameters
    ----------
    breakouts
        Port key to breakout mode of every split port of the switch.

    Raises
    ------
    KeyError
        The switch has no such port, or the port is not split.
    """
    port, _, child = key.partition("/")
    children = split_breakout(breakouts[port])[0] if child else 0
    return _name(nos, switch.port_range(int(port)), int(port), int(child or 0), children)


def _name(nos: NosModel, ports: PortRange, port: int, child: int, children: int) -> str:
    """Return what ``nos`` calls a port, or the ``child``-th of ``children`` that it is split into."""
    number = ports.sonic_first + (port - ports.first) * ports.sonic_step
    if not child:
        return nos.port_format.format(port=port, number=number)
    number += (child - 1) * (ports.sonic_step // children)
    return nos.child_format.format(port=port, child=child - 1 + nos.first_child, number=number)


def port_keys(nos: NosModel, switch: SwitchModel, breakouts: Mapping[str, str]) -> dict[str, str]:
    """Return name to key of every port the switch has with these breakouts, in front panel order."""
    names: dict[str, str] = {}
    for ports in switch.ports:
        for port in range(ports.first, ports.last + 1):
            mode = breakouts.get(str(port))
            children = split_breakout(mode)[0] if mode else 0
            for child in range(1, children + 1):
                names[_name(nos, ports, port, child, children)] = f"{port}/{child}"
            if not mode:
                names[_name(nos, ports, port, 0, 0)] = str(port)
    return names
