"""Switches with nothing between them: each serves the device ports of its own number."""

from collections.abc import Callable
from itertools import chain

from rackproof.errors import Problems
from rackproof.plan.fabric.demand import Demand
from rackproof.plan.fabric.layout import Layout, LayoutSwitch
from rackproof.plan.fabric.server_ports import DevicePort
from rackproof.plan.fabric.switch_fill import Wanted, fill_switch, servers_that_fit


def lay_out_parallel(
    demand: Demand, group: str, switch_number: Callable[[DevicePort], int | None], problems: Problems
) -> Layout:
    """Serve a device port from the switch of its number.

    Parameters
    ----------
    demand
        What has to be connected.
    group
        Redundancy group that all the switches belong to.
    number_of
        Device port to the number of its switch, from 0; None: no switch serves it.
    problems
        Where a full switch is recorded.
    """
    numbers = range(1 + max((switch_number(device_port) or 0 for device_port in demand.block_ports), default=0))
    filled = [fill_switch(demand, number, [], problems, _served_by(number, switch_number)) for number in numbers]
    return Layout(
        switches=tuple(LayoutSwitch("leaf", number, group, domain=number, asn=number) for number in numbers),
        attachments=tuple(chain.from_iterable(filled)),
        servers_max=servers_that_fit(demand, 0, lambda device_port: switch_number(device_port) == 0),
    )


def _served_by(number: int, switch_number: Callable[[DevicePort], int | None]) -> Wanted:
    """Return the test whether a device port is served by the switch of that number."""
    return lambda device_port: switch_number(device_port) == number
