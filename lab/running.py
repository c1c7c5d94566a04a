"""A running lab: all switches of a site on one event loop, their cables, their clock and the faults in force."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from lab import faults
from lab.clock import LabClock
from lab.errors import LabError
from lab.faults import Undo
from lab.link_state import DeviceState
from lab.spec import LabSite
from lab.ssh import SshEndpoint
from lab.switch import LabSwitch
from lab.wiring import Wiring


@dataclass(frozen=True, slots=True)
class ActiveFault:
    """A fault in force."""

    name: str
    parameters: Mapping[str, str]
    undo: Undo


class RunningLab:
    """The lab of one site; an asynchronous context manager."""

    def __init__(self, site: LabSite, password: str) -> None:
        self.site = site
        self.clock = LabClock()
        self.wiring = Wiring(site.links, site.hosts, self._state_of)
        self.switches = {
            name: LabSwitch(spec, self.clock, self.wiring, password) for name, spec in site.switches.items()
        }
        self.endpoints: dict[str, SshEndpoint] = {}
        self.faults: list[ActiveFault] = []

    async def __aenter__(self) -> Self:
        """Start all switches; when this returns they answer."""
        for name, switch in self.switches.items():
            endpoint = SshEndpoint(switch)
            switch.endpoint = self.endpoints[name] = endpoint
            await switch.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Drop every session and give the ports back."""
        for switch in self.switches.values():
            switch.power_off()
        for endpoint in self.endpoints.values():
            endpoint.release()

    def switch(self, name: str) -> LabSwitch:
        """Return a switch by name.

        Raises
        ------
        LabError
            The lab has no such switch.
        """
        if name not in self.switches:
            raise LabError(f"the lab has no switch called {name}", f"it has {', '.join(sorted(self.switches))}")
        return self.switches[name]

    def _state_of(self, name: str) -> DeviceState | None:
        """A switch without power has no links."""
        switch = self.switches.get(name)
        return switch.nos.state if switch is not None and switch.power == "up" else None

    # --- faults -----------------------------------------------------------------------------------------------

    async def inject(self, name: str, parameters: Mapping[str, str]) -> None:
        """Put a fault in force.

        Raises
        ------
        LabError
            No fault of that name, parameters it does not take, or a switch or port that is not there.
        """
        undo = await faults.inject(self, name, parameters)
        self.faults.append(ActiveFault(name, dict(parameters), undo))

    async def clear(self, name: str | None = None) -> int:
        """Undo the faults of a name, or all, latest first; return how many there were."""
        gone = [fault for fault in reversed(self.faults) if name in {None, fault.name}]
        for fault in gone:
            await fault.undo()
            self.faults.remove(fault)
        return len(gone)

    async def edit(self, switch: str, lines: tuple[str, ...]) -> tuple[str, ...]:
        """Type configuration lines on a switch, as somebody at its console would; return the refusals."""
        return await self.switch(switch).nos.type_lines(lines)

    def advance(self, seconds: float) -> None:
        """Move the lab's clock ahead."""
        self.clock.advance(seconds)
