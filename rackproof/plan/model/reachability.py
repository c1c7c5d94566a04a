"""Services around the site, and what reaches what over the planned network."""

from typing import Literal

from msgspec import Struct

ServiceKind = Literal["management", "dns", "ntp", "syslog"]


class ServicePlan(Struct, frozen=True, gc=False):
    """An address that the site file names and that devices must reach."""

    kind: ServiceKind
    """``management``: a station that must reach every managed device."""
    address: str
    number: int
    """Place in its list of the site file, from 0."""


class Hop(Struct, frozen=True, gc=False):
    """A step of a packet, out of one device."""

    device: str
    port: str | None
    """None: it stays in the device, from one VRF to another, or goes to any port of a VLAN."""
    network: str
    """VLAN, VNI or VRF it is in."""
    next_hop: str
    """Device, address, or network outside."""

    def __str__(self) -> str:
        return f"{self.device}{f' {self.port}' if self.port else ''} ({self.network})"


class Plugged(Struct, frozen=True, gc=False):
    """Where a device is plugged in."""

    switch: str
    port: str
    """As the NOS names it."""
    vlan: int | None


class Flow(Struct, frozen=True, gc=False):
    """Whether one device reaches one address, and on which way."""

    device: str
    port: str
    address: str
    """Of the device, without prefix length."""
    kind: ServiceKind
    peer: str
    """Address of the service; of a station that the site file does not name: networks outside, or a subnet."""
    plugged: Plugged
    hops: tuple[Hop, ...]
    """From the switch on that the device is plugged into."""
    cause: str | None = None
    """Why it is not reached; None: it is."""
    fabric: str = ""
    """Fabric of the switch that has no way on."""

    @property
    def way(self) -> str:
        """The hops in words, up to the address or the network outside; empty where it is not reached."""
        if self.cause is not None:
            return ""
        first = f"{self.plugged.switch} {self.plugged.port} (VLAN {self.plugged.vlan})"
        last = self.hops[-1].next_hop if self.hops else self.peer
        return " > ".join((f"{self.device} {self.port}", first, *map(str, self.hops), last))


__all__ = ["Flow", "Hop", "Plugged", "ServiceKind", "ServicePlan"]
