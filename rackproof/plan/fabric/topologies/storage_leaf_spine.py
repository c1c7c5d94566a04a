"""Two separate networks of leaves and spines: a PowerScale cluster too large for one pair.

A leaf gives half of its ports to nodes and half to spines, so that nodes reach each other without a bottleneck, and
leaves and spines of the first network have odd numbers, those of the second one even numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rackproof.errors import Problems
from rackproof.plan.fabric.clos_sizing import server_numbers
from rackproof.plan.fabric.demand import Demand
from rackproof.plan.fabric.layout import NO_HOSTS, InterSwitchCable, Layout, LayoutSwitch
from rackproof.plan.fabric.port_allocation import Attachment, SwitchPorts

ROLES: Final = ("storage-backend",)
NOS_FEATURES: Final[tuple[str, ...]] = ()
STANDS_WITH_DEVICES: Final = False
NETWORKS: Final = 2
GROUP: Final = "pair-01"
SPINES_MIN: Final = 2
"""A network survives the loss of one."""


@dataclass(frozen=True, slots=True)
class _Size:
    """One of the networks."""

    leaves: int
    spines: int
    nodes_a_leaf: int
    cages_a_spine: int
    """Cables between a leaf and each spine."""
    first: int
    """First port."""


def _size(nodes: int, first: int, ports: int) -> _Size:
    """Return the smallest network that joins ``nodes`` over switches of so many ports."""
    down = ports // 2
    leaves = -(-nodes // down)
    spines = next(n for n in range(SPINES_MIN, down + 1) if down % n == 0 and leaves * down <= n * ports)
    return _Size(leaves, spines, down, down // spines, first)


def lay_out(demand: Demand, problems: Problems) -> Layout:
    """Serve port n of every node from network n."""
    del problems  # the catalogue's largest cluster has room
    device_ports = demand.block_ports
    kind = demand.fit(device_ports[0]).ports
    numbers = server_numbers(device_ports)
    ports = kind.last - kind.first + 1
    size = _size(len(numbers), kind.first, ports)
    leaves = [SwitchPorts(number) for number in range(NETWORKS * size.leaves)]
    wanted = ((NETWORKS * (numbers[s.device] // size.nodes_a_leaf) + s.side, s) for s in device_ports)
    taken = [leaves[leaf].take(device_port, demand.fit(device_port)) for leaf, device_port in wanted]
    attachments = tuple(attachment for attachment in taken if attachment is not None)
    return Layout(
        switches=tuple(_switches(size, attachments)),
        attachments=attachments,
        isl_cables=tuple(_isl_cables(size)),
        servers_max=ports * size.nodes_a_leaf,
        isl_fit=demand.isl_fit,
    )


def _switches(size: _Size, attachments: tuple[Attachment, ...]) -> Iterator[LayoutSwitch]:
    """Yield the leaves, then the spines, of both networks by turns; leaves without nodes are not there yet.

    All are one group: nodes that lost one network and nodes that lost the other would not reach each other.
    """
    live = {attachment.switch for attachment in attachments if attachment.device_port.planned}
    for number in range(NETWORKS * size.leaves):
        yield LayoutSwitch("leaf", number, GROUP, domain=number % NETWORKS, planned=number in live)
    for number in range(NETWORKS * size.spines):
        yield LayoutSwitch("spine", number, GROUP, NO_HOSTS)


def _isl_cables(size: _Size) -> Iterator[InterSwitchCable]:
    """Yield the cables between leaves and spines, every leaf to every spine of its network alike."""
    for number in range(NETWORKS * size.leaves):
        leaf, network = divmod(number, NETWORKS)
        for spine in range(size.spines):
            above = NETWORKS * (size.leaves + spine) + network
            for cable in range(size.cages_a_spine):
                up = size.first + size.nodes_a_leaf + spine * size.cages_a_spine + cable
                yield InterSwitchCable(number, up, above, size.first + leaf * size.cages_a_spine + cable)
