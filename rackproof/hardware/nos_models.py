"""Models of the catalogue's files of network operating systems."""

from typing import Annotated, Literal

from pydantic import Field

from rackproof.hardware.base import CatalogueModel, Entry
from rackproof.types import Dscp, Percent, Priority


class NosRoceLimits(CatalogueModel):
    """What a NOS can express of a RoCE intent."""

    lossless_priorities_max: int
    cable_lengths_m: tuple[int, ...]
    """Cable lengths it takes; empty: any."""
    ecn_min_bytes: int
    ecn_max_bytes: int
    ecn_step_bytes: int = 1
    """Thresholds are multiples of this (Enterprise SONiC's command line counts thousands of bytes)."""
    watchdog_detect_ms: tuple[int, int]
    watchdog_restore_ms: tuple[int, int]
    watchdog_poll_ms: tuple[int, int]
    watchdog_detect_polls: tuple[int, int] | None = None
    """Least and most polling intervals that detection waits, where the NOS counts them; None: it takes a time."""
    watchdog_restores_itself: bool = False
    """The NOS has no restoration time: a queue returns when the pause frames end."""
    cnp_priorities: tuple[Priority, ...] = ()


class LosslessSettings(CatalogueModel):
    """Traffic that must not be dropped."""

    priority: Annotated[int, Field(ge=1, le=6)]
    dscp: tuple[Dscp, ...]


class EcnSettings(CatalogueModel):
    """When a switch marks congestion."""

    kmin_bytes: Annotated[int, Field(gt=0)]
    kmax_bytes: Annotated[int, Field(gt=0)]
    probability_percent: Percent


class WatchdogSettings(CatalogueModel):
    """What happens to a queue that is paused for too long."""

    action: Literal["drop", "forward", "alert"]
    detect_ms: int
    restore_ms: int
    poll_ms: int


class RoceSettings(CatalogueModel):
    """RoCE of a fabric, every value set; fields as of ``roce`` in a site file."""

    lossless: tuple[LosslessSettings, ...]
    host_dscp: Dscp
    cnp_dscp: Dscp
    cnp_priority: Priority
    ecn: EcnSettings
    pfc_watchdog: WatchdogSettings
    bandwidth_percent: Percent
    lossless_buffer_percent: Percent | None = None
    """None: what the NOS gives it."""
    load_balancing: Literal["ecmp-queue-pair", "ecmp", "adaptive-routing"]


class NosDialect(CatalogueModel):
    """How the releases of a NOS within limits write their configuration."""

    name: str
    at_least: str
    below: str | None = None


class ReleaseRange(CatalogueModel):
    """The releases of a NOS that have something."""

    at_least: str | None = None
    """The first release that has it; None: every one that Rackproof renders for, up to the last."""
    below: str | None = None
    """The first release that has it no longer; None: none so far."""

    def lacks(self, version: str) -> str:
        """Return from or up to which release there is what ``version`` lacks; empty: it has it."""
        if self.at_least is not None and version_numbers(version) < version_numbers(self.at_least):
            return f"from {self.at_least} on"
        if self.below is not None and version_numbers(version) >= version_numbers(self.below):
            return f"in releases before {self.below}"
        return ""


def version_numbers(version: str) -> tuple[int, ...]:
    """Return a version such as 5.13.1 as numbers that compare."""
    return tuple(int(part) for part in version.split("."))


class NosModel(Entry):
    """A network operating system."""

    port_format: str
    """Name of an unsplit port: ``Eth1/{port}``; ``{number}`` is the number of its SONiC interface."""
    child_format: str
    """Name of a child port: ``Eth1/{port}/{child}``; children count from ``first_child``."""
    first_child: Literal[0, 1] = 1
    """Number of the first child port in its name (the plan's keys count from 1)."""
    configured: bool = True
    """False: the switch takes no configuration at all."""
    export_only: str = ""
    """Why Rackproof only writes the configuration of this NOS to files; empty: it deploys, reads and validates it."""
    netmiko_device_type: str = ""
    """Empty where nothing is configured."""
    dialects: tuple[NosDialect, ...] = ()
    """Oldest first; empty: every release writes alike."""
    roce: NosRoceLimits | None = None
    roce_recommended: RoceSettings | None = None
    """What the vendor recommends, or sets up by itself; None: it has no RoCE."""
    features: dict[str, bool | str] = Field(default_factory=dict)
    """Feature to true, or to the sentence shown to the user why this NOS cannot."""
    feature_releases: dict[str, ReleaseRange] = Field(default_factory=dict)
    """Feature to the releases that have it, where not every release that Rackproof renders for has."""
    multihoming_filters_on_uplinks: bool = False
    """Whether EVPN multihoming filters flooded frames only on ports that it tracks as uplinks."""
    bandwidth_default_percent: Percent = 50

    def lacks(self, feature: str, version: str) -> str:
        """Return why a release of this NOS has no such feature, as a clause; empty: it has it."""
        having = self.feature_releases.get(feature, ReleaseRange()).lacks(version)
        return f"{self.name} has it {having}, and the release has {version}" if having else ""
