"""Storage as planned: the networks that a cluster's administrator configures in OneFS."""

from typing import Literal

from msgspec import Struct


class StoragePool(Struct, frozen=True, gc=False):
    """A subnet of a cluster and the pool of addresses that SmartConnect hands out in it.

    Allocation is static: OneFS gives the lowest address to the node with the lowest number (Dell, PowerScale network
    design considerations). So nodes have the addresses that the plan gave them, and one that is kept for growth goes
    to the node that it is kept for; where two ports of a node share a subnet, OneFS chooses which has which. Static
    pools and round robin need no SmartConnect licence (unstructureddatatips.com, 2022-10).
    """

    fabric: str
    subnet: str
    """As the fabric calls it."""
    serves: bool
    """Whether clients mount here; otherwise nodes are only managed over it."""
    vlan: int | None
    """That OneFS tags; None: untagged."""
    prefix: str
    gateway: str | None
    mtu_bytes: int | None
    service_address: str
    """Answers for the cluster's name (SSIP); the name server delegates the zone to it."""
    ranges: tuple[str, ...]
    """First and last address, with those kept for growth."""
    interfaces: tuple[str, ...]
    """Ports of every node that are its members, as OneFS names them."""
    allocation: Literal["static"] = "static"


__all__ = ["StoragePool"]
