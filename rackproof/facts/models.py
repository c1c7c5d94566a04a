"""What switches say, whatever their NOS; each NOS's module reads its own text into these."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from msgspec import Struct

from rackproof.facts.fact import FactError


class LldpNeighbour(NamedTuple):
    """What a port hears from the other end of its cable."""

    port: str
    """Our port, as the NOS names it."""
    device: str
    """Host name the other end announces; empty: none."""
    remote_port: str
    """Its port as it announces it: a port name, or a MAC address; empty: none."""
    chassis: str = ""
    """MAC address that its chassis announces; empty: not reported."""


class PortStatus(NamedTuple):
    """State of one port."""

    port: str
    up: bool
    reason: str
    """Why, in the NOS's word, such as ``admin-down``."""
    speed_mbps: int | None
    mtu_bytes: int | None


class BgpSession(NamedTuple):
    """State of one BGP neighbour."""

    neighbour: str
    """Address, or interface of an unnumbered neighbour, as the NOS names it."""
    remote_asn: int | None
    established: bool
    prefixes: int
    """Prefixes received; 0 while it is not established."""
    families: tuple[str, ...] = ()
    """What routes it carries, in order: ``evpn``, ``ipv4``."""


class PortLink(NamedTuple):
    """What the two ends of a cable agreed on."""

    port: str
    speed_mbps: int | None
    """None: not reported, as for a port that is down."""
    fec: str | None
    """``rs``, ``fc`` or ``none``; None: not reported, as for a port that is down."""


class Route(NamedTuple):
    """A route in use, and every way it goes."""

    prefix: str
    protocol: str
    """Where it comes from: ``bgp``, ``connected``, ``static``, or the NOS's word."""
    next_hops: tuple[str, ...]
    """Ports or addresses; packets are spread over all of them."""


class Vni(NamedTuple):
    """A network that is stretched over VXLAN, as one switch has it."""

    number: int
    vlan: int | None
    """The VLAN that it stretches; None: it stands for a VRF."""
    vrf: str | None
    """The VRF that it stands for; None: it stretches a VLAN."""
    up: bool
    remote: tuple[str, ...]
    """Addresses of the other switches that advertise it."""


class EthernetSegment(NamedTuple):
    """What a host with legs on several switches is plugged into, as one of them sees it (RFC 7432)."""

    esi: str
    """Its identifier, in small letters: ``03:44:38:39:ff:00:aa:00:00:0a``."""
    port: str
    """Our leg; empty: we have none."""
    up: bool
    """Whether our leg is up."""
    remote: tuple[str, ...]
    """Addresses of the other switches with a leg."""


class Optic(NamedTuple):
    """What is plugged into a port."""

    port: str
    """The port, or the cage that holds several."""
    present: bool
    kind: str
    """Type, as the module states it; empty: not reported."""
    vendor: str
    part_number: str
    serial: str


class EcnThresholds(NamedTuple):
    """From where to where a queue marks packets."""

    minimum_bytes: int
    maximum_bytes: int
    probability_percent: int


class PfcWatchdog(NamedTuple):
    """What a port does about a queue that is paused for too long."""

    action: str | None
    """None: the NOS has one action only and does not name it."""
    detect_ms: int | None
    restore_ms: int | None


class PortRoce(Struct, frozen=True, gc=False):
    """How one port treats RoCE."""

    class_of: Mapping[int, int]
    """DSCP to traffic class."""
    queue_of: Mapping[int, int]
    """Traffic class to queue; a class that is not in it has the queue of its number."""
    pfc: tuple[int, ...]
    """Priorities with PFC, in both directions."""
    ecn: Mapping[int, EcnThresholds]
    """Queue to its marking; a queue that is not in it marks nothing."""
    watchdog: PfcWatchdog | None
    """None: it is off."""


class QueueBuffer(NamedTuple):
    """Highest fill of one queue or priority group of a port."""

    port: str
    queue: int
    peak_bytes: int


class SwitchIdentity(NamedTuple):
    """Which switch it is, and what it runs."""

    product: str
    serial: str
    mac: str
    version: str


class PortCounters(Struct, frozen=True, gc=False):
    """Counters of one port since they were cleared.

    A counter that the NOS does not have is None, or not in its mapping: it is never taken for zero.
    """

    port: str
    rx_packets: int | None = None
    tx_packets: int | None = None
    rx_errors: int | None = None
    tx_errors: int | None = None
    rx_drops: int | None = None
    tx_drops: int | None = None
    class_packets: Mapping[int, int] = {}
    """Queue (the lossless priority's has its number) to packets sent."""
    class_drops: Mapping[int, int] = {}
    """Queue to packets dropped for want of room."""
    ecn_marked: int | None = None
    """Packets sent with the mark of congestion."""
    class_ecn_marked: Mapping[int, int] = {}
    """Queue to the same, where the NOS counts it by queue."""
    pfc_rx: Mapping[int, int] = {}
    """Priority to pause frames received."""
    pfc_tx: Mapping[int, int] = {}
    """Priority to pause frames sent."""
    watchdog: Mapping[int, int] = {}
    """Queue to storms that the PFC watchdog has found."""
    flaps: int | None = None
    """How often the link has come up or gone down."""

    def since(self, before: "PortCounters") -> "PortCounters":
        """Return what was counted between two readings of one port.

        Raises
        ------
        FactError
            A counter went back: the counters were cleared, or the switch restarted.
        """
        return PortCounters(
            self.port,
            **{
                name: grown(self.port, name, getattr(before, name), getattr(self, name))
                for name in self.__struct_fields__[1:]
            },
        )


Counted = int | Mapping[int, int] | None


def grown(port: str, name: str, before: Counted, after: Counted) -> Any:  # noqa: ANN401 of the kind of ``after``
    """Return by how much a counter, or each of a mapping of them, has grown."""
    if isinstance(after, Mapping):
        held = before if isinstance(before, Mapping) else {}
        return {key: grown(port, f"{name} {key}", held.get(key, 0), value) for key, value in after.items()}
    if not isinstance(after, int) or not isinstance(before, int):
        return None
    if after < before:
        hint = "were counters cleared, or did the switch restart, during the measurement? Repeat it"
        raise FactError(f"{port}: {name.replace('_', ' ')} went back from {before} to {after}", hint)
    return after - before
