"""Where a site meets networks that are not ours, port by port."""

from typing import Literal

from msgspec import Struct


class UplinkPlan(Struct, frozen=True, gc=False):
    """A port that a network outside is plugged into; its cable and optics are planned with that network's owner."""

    name: str
    """What the site calls the network."""
    number: int
    """Of the port among those of one switch, from 1."""
    fabric: str
    switch: str
    port: str
    """As the switch's NOS names it."""
    speed_gbps: int
    attach: Literal["bgp", "bgp-unnumbered", "vlan"]
    address: str | None
    """Ours, with prefix length."""
    peer: str | None
    """Theirs, without prefix length."""
    asn: int | None
    """Theirs."""
    vlan: int | None
    mtu_bytes: int


__all__ = ["UplinkPlan"]
