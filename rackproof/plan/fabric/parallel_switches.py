"""Switches with nothing between them: each serves the sockets of its own number."""

from collections.abc import Callable

from rackproof.errors import Problems
from rackproof.plan.fabric.clos import host_sockets
from rackproof.plan.fabric.server_ports import Socket
from rackproof.plan.fabric.switch_fill import fill_switch, servers_that_fit
from rackproof.plan.fabric.topologies import Demand, Layout, Seat


def lay_out_separate(
    demand: Demand, group: str, number_of: Callable[[Socket], int | None], problems: Problems
) -> Layout:
    """Serve a socket from the switch of its number.

    Parameters
    ----------
    demand
        What has to be connected.
    group
        Redundancy group that all the switches belong to.
    number_of
        Socket to the number of its switch, from 0; None: no switch serves it.
    problems
        Where a switch that is full is told.
    """
    numbers = range(1 + max((number_of(socket) or 0 for socket in host_sockets(demand)), default=0))
    filled = [
        fill_switch(demand, number, [], problems, lambda socket, number=number: number_of(socket) == number)  # type: ignore[misc]
        for number in numbers
    ]
    return Layout(
        seats=tuple(Seat("leaf", number, group, domain=number, asn=number) for number in numbers),
        attachments=tuple(attachment for attachments in filled for attachment in attachments),
        servers_max=servers_that_fit(demand, 0, lambda socket: number_of(socket) == 0),
    )
