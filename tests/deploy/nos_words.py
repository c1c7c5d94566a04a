"""What the cases that run on every NOS need to know of each: its sites, its port names, its lines, its messages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rackproof.deploy.switch.nos.cumulus.change_session import NvueChangeSession
from rackproof.deploy.switch.nos.enterprise_sonic.cli_session import SonicCli
from rackproof.site.load import find_site

HERE: Final = Path(__file__).parent
FRONTEND: Final = "frontend-leaf-01"
BACKEND: Final = "backend-leaf-01"
OOB: Final = "oob-leaf-01"


@dataclass(frozen=True)
class NosWords:
    """One NOS."""

    site: Path
    pair_site: Path
    """A site with two switches in one redundancy group."""
    pair: tuple[str, str]
    user: str
    refused_pattern: str
    """A line of the frontend leaf that the lab refuses."""
    refusal: str
    """How the message then begins."""
    unsent: str
    """A line that must not be sent after the refusal."""
    broken_session: str
    """What the message of a session that drops contains."""
    death_moment: str
    """Progress after which a dead switch is left to its own timer."""
    cabled: str
    """The switch whose first two cables are swapped, and their ports."""
    swapped: tuple[str, str]
    harmless_edit: tuple[str, ...]
    """A description, typed at that switch."""
    foreign_edit: tuple[str, ...]
    """Another setting, typed at the frontend leaf while it is deployed."""
    empty_output: tuple[str, ...]
    """Commands that print nothing on a switch on which a deployment left nothing."""
    save: tuple[type, str]
    """The method that saves."""


ENTERPRISE_SONIC: Final = NosWords(
    site=find_site("metrum-h200"),
    pair_site=HERE / "pair.yaml",
    pair=(FRONTEND, "frontend-leaf-02"),
    user="admin",
    refused_pattern="channel-group",
    refusal="refuses `channel-group",
    unsent="router bgp",
    broken_session="the session broke at",
    death_moment="configuration",
    cabled=FRONTEND,
    swapped=("Eth1/1/1", "Eth1/1/3"),
    harmless_edit=("interface Eth1/32", "description somebody"),
    foreign_edit=("lldp timer 10",),
    empty_output=(),
    save=(SonicCli, "save"),
)
CUMULUS: Final = NosWords(
    site=HERE / "spectrum.yaml",
    pair_site=HERE / "spectrum.yaml",
    pair=(BACKEND, "backend-leaf-02"),
    user="cumulus",
    refused_pattern="traffic-class|router-id",
    refusal="operation failed",
    unsent="nv config apply",
    broken_session="failed: the connection broke",
    death_moment="confirming over",
    cabled=BACKEND,
    swapped=("swp1s0", "swp2s0"),
    harmless_edit=("nv set interface swp1s0 description somebody",),
    foreign_edit=("nv set service lldp tx-interval 60",),
    empty_output=("nv config diff", "ls /tmp"),
    save=(NvueChangeSession, "commit"),
)
EVERY_NOS: Final = {"enterprise-sonic": ENTERPRISE_SONIC, "cumulus": CUMULUS}
