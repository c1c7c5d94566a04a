"""The job of one switch: target, intent, options and timeouts."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rackproof.connect.ssh import Target
from rackproof.deploy.switch.operational_state import PlannedNeighbour
from rackproof.hardware.models import NosModel, SwitchModel
from rackproof.plan.model.plan import SwitchIntent


@dataclass(frozen=True, slots=True)
class SwitchTask:
    """One switch and its intent."""

    target: Target
    nos: NosModel
    model: SwitchModel
    intent: SwitchIntent
    redundancy_group: str
    unmanaged: tuple[str, ...] = ()
    """Prefixes of lines and blocks that Rackproof does not manage."""
    neighbours: Mapping[str, PlannedNeighbour] = field(default_factory=dict)
    """Port, as the NOS names it, to its planned peer end."""
    site_devices: frozenset[str] = frozenset()
    """Names of all devices of the site."""
    depends_on: tuple[str, ...] = ()
    site: str = ""
    """Name of the site, for the lock on the switch."""

    @property
    def device(self) -> str:
        """Name of the switch."""
        return self.target.device


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Timeouts of a change, in seconds of real time."""

    return_after_s: float = 900.0
    """From the start of a stage until the switch rolls back an unconfirmed change, by the switch's clock. A stage that
    restarts the switch has ``restart_s`` more."""
    restart_s: float = 900.0
    """Until a restarted switch answers again."""
    settle_s: float = 1.0
    """Between two reads of a restarted switch: its configuration has settled when both are equal."""
    confirm_s: float = 120.0
    """Until links and sessions that were up before are up again."""
    contradiction_s: float = 10.0
    """Until LLDP neighbours that contradict the plan fail the change."""
    unreachable_s: float = 60.0
    """Until a failed switch that does not answer is left to its own rollback timer."""
    poll_s: float = 0.25
    """Between two attempts."""

    @property
    def lock_s(self) -> float:
        """Until the lock on the switch expires, from the start of a stage: the stage, its return and its restart."""
        return self.return_after_s + 2 * self.restart_s


@dataclass(frozen=True, slots=True)
class SwitchOptions:
    """Options of the user."""

    allow_disruption: bool = False
    """Whether changes may interrupt traffic."""
    wait_for_return: bool = False
    """Whether to wait until a switch that does not answer has rolled back by its own timer."""
    timeouts: Timeouts = Timeouts()
