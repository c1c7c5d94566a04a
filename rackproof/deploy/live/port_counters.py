"""What live checks ask of a switch's ports, whatever the NOS; the facts of switches answer it."""

from collections.abc import Collection, Mapping
from typing import Any, Protocol

from msgspec import Struct

from rackproof.plan.models import LinkEnd


class PortCounts(Struct, frozen=True):
    """What one port has counted, by queue or priority where it says; None: this switch does not count that."""

    in_bytes: int | None = None
    out_bytes: int | None = None
    queue_packets: Mapping[int, int] | None = None
    """Sent, by queue."""
    queue_drops: Mapping[int, int] | None = None
    """Packets that found no room, by queue."""
    ecn_marked: int | None = None
    """Packets that were marked on the way out."""
    pause_sent: Mapping[int, int] | None = None
    """PFC frames, by priority."""
    pause_received: Mapping[int, int] | None = None
    watchdog: Mapping[int, int] | None = None
    """How often the PFC watchdog took a queue for stuck, by queue."""

    def since(self, before: "PortCounts") -> "PortCounts":
        """Return what was counted since an earlier reading.

        Raises
        ------
        ValueError
            A counter went back: it was cleared meanwhile.
        """
        return PortCounts(
            **{name: _difference(name, getattr(self, name), getattr(before, name)) for name in self.__struct_fields__}
        )


def _difference(name: str, after: Any, before: Any) -> Any:  # noqa: ANN401 a counter, counters by queue, or None
    if after is None or before is None:
        return None
    if isinstance(after, Mapping):
        return {key: _difference(name, value, before.get(key, 0)) for key, value in after.items()}
    if after < before:
        raise ValueError(f"{name} went back from {before} to {after}: were counters cleared meanwhile?")
    return after - before


class SwitchReading(Struct, frozen=True):
    """What switches said at one moment."""

    ports: Mapping[LinkEnd, PortCounts]
    errors: Mapping[str, str]
    """Switch to why it does not say."""


class SwitchReader(Protocol):
    """Reads counters of ports, all switches at once."""

    async def read(self, ends: Collection[LinkEnd]) -> SwitchReading:
        """Return what ports have counted until now, once what was sent before has been counted."""


class NoSwitches:
    """Nobody counts: InfiniBand without managed switches, or a provider's network."""

    async def read(self, ends: Collection[LinkEnd]) -> SwitchReading:  # noqa: ARG002 of the protocol
        """Return nothing."""
        return SwitchReading({}, {})
