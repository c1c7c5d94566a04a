"""Which switch port serves which device port: in order from the first port up, or from the last one down."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from msgspec import Struct

from rackproof.plan.fabric.cable_fit import Fit
from rackproof.plan.fabric.server_ports import DevicePort
from rackproof.plan.model.port_names import child_keys, front_panel_port


class Attachment(Struct, frozen=True, gc=False):
    """A device port and the switch port that serves it."""

    device_port: DevicePort
    switch: int
    """Number of the switch within its fabric, from 0."""
    key: str
    """Port key."""
    fit: Fit


BLOCKED = "blocked"
"""Mark of a port that its neighbour's split takes out of use."""


@dataclass(slots=True)
class SwitchPorts:
    """The ports of one switch while they are handed out."""

    switch: int
    pinned: dict[str, str] = field(default_factory=dict)
    """Port key to the device port ("device:port") it is kept for."""
    used: dict[int, str | None] = field(default_factory=dict)
    """Front panel port in use to its breakout mode."""
    taken: set[str] = field(default_factory=set)
    _next: dict[tuple[int, str | None, bool], Iterator[str]] = field(default_factory=dict)

    def take(self, device_port: DevicePort, fit: Fit, *, from_top: bool = False) -> Attachment | None:
        """Hand out the next port of the kind ``fit`` names; None: the switch is full."""
        key = self._own(device_port) or self._free(fit, from_top=from_top)
        if key is None:
            return None
        self.taken.add(key)
        self.used[int(key.partition("/")[0])] = fit.mode
        return Attachment(device_port, self.switch, key, fit)

    def take_cage(self, fit: Fit) -> int | None:
        """Take a whole cage of the kind ``fit`` names and return its number: the first that nothing uses, if any."""
        pinned = {front_panel_port(key) for key in self.pinned}
        cages = range(fit.ports.first, fit.ports.last + 1)
        cage = next((cage for cage in cages if cage not in self.used and cage not in pinned), None)
        if cage is not None:
            self.used[cage] = fit.mode
            self.taken.update(child_keys(cage, fit.mode))
        return cage

    def _own(self, device_port: DevicePort) -> str | None:
        """Return the port that is kept for a device port."""
        if not self.pinned:
            return None
        name = f"{device_port.device}:{device_port.port}"
        return next((key for key, owner in self.pinned.items() if owner == name), None)

    def _free(self, fit: Fit, *, from_top: bool) -> str | None:
        cursor = (fit.ports.first, fit.mode, from_top)
        keys = self._next.setdefault(cursor, self._keys(fit, from_top=from_top))
        return next((key for key in keys if key not in self.taken and key not in self.pinned), None)

    def _keys(self, fit: Fit, *, from_top: bool) -> Iterator[str]:
        """Yield the keys of whole ports that are not split in another way, and their children."""
        ports: Iterable[int] = range(fit.ports.first, fit.ports.last + 1)
        for port in reversed(list(ports)) if from_top else ports:
            if port in self.used and (self.used[port] != fit.mode or fit.mode is None):
                continue
            if fit.blocks_neighbour and (port % 2 == 0 or self.used.get(port + 1)):
                continue
            self.used[port] = fit.mode
            if fit.blocks_neighbour:
                self.used[port + 1] = BLOCKED
            yield from (f"{port}/{child}" for child in range(1, fit.legs + 1)) if fit.mode else (str(port),)
