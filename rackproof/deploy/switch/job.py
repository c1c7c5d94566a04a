"""What is to be done on one switch, and how patiently."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rackproof.connect.ssh import Target
from rackproof.deploy.switch.operational_state import PlannedNeighbour
from rackproof.hardware.models import NosModel, SwitchModel
from rackproof.plan.model.plan import SwitchIntent


@dataclass(frozen=True, slots=True)
class SwitchTask:
    """One switch and what it is meant to be."""

    target: Target
    nos: NosModel
    model: SwitchModel
    intent: SwitchIntent
    redundancy_group: str
    unmanaged: tuple[str, ...] = ()
    """Starts of lines and blocks that somebody else owns."""
    neighbours: Mapping[str, PlannedNeighbour] = field(default_factory=dict)
    """Port, as the NOS names it, to what the plan puts at its other end."""
    site_devices: frozenset[str] = frozenset()
    """Names of all devices of the site."""
    depends_on: tuple[str, ...] = ()

    @property
    def device(self) -> str:
        """Name of the switch."""
        return self.target.device


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long a deployment waits for a switch; real time."""

    return_after_s: float = 900.0
    """The timed return fires this long after a stage began, by the switch's clock, unless the change was confirmed; a
    stage that restarts the switch has ``restart_s`` more."""
    restart_s: float = 900.0
    """A switch that restarts answers again within this time."""
    settle_s: float = 1.0
    """Between two looks at a switch that has just started: its configuration stands when both are the same."""
    confirm_s: float = 120.0
    """Neighbours that were up are up again within this time."""
    contradiction_s: float = 10.0
    """LLDP that still contradicts the plan after this time is believed."""
    unreachable_s: float = 60.0
    """A switch that fails and does not answer within this time is left to its own timer."""
    poll_s: float = 0.25
    """Between two attempts."""


@dataclass(frozen=True, slots=True)
class SwitchOptions:
    """What the user allows and wishes."""

    allow_disruption: bool = False
    """Whether changes that interrupt somebody may be made."""
    wait_for_return: bool = False
    """Whether to wait until a switch that does not answer has returned by its own timer."""
    timeouts: Timeouts = Timeouts()
