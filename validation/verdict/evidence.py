"""The kind of evidence behind each fact: real, simulated by a lab, or recorded."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

from lab.daemon.messages import LabStatus
from rackproof.results import Evidence

GPUS: Final = "gpus"
"""The fact that a lab's hosts answer from a recording."""
PLAYED_BACK: Final = "everything: the facts are recorded ones, and no device was asked"


@dataclass(frozen=True, slots=True)
class EvidenceBook:
    """Which facts of which devices are less than real."""

    replayed: bool = False
    """Whether all of them are played back."""
    weaker: dict[tuple[str, str], Evidence] = field(default_factory=dict)
    """Device and fact to what it is; an empty device: every one."""
    not_proven: tuple[str, ...] = ()
    """What a lab cannot prove, in sentences."""
    absent: Collection[str] = frozenset()
    """Devices of the plan that a lab has no machine for."""
    rehearsal: bool = False

    def kind(self, device: str, fact: str) -> Evidence:
        """Return the kind of evidence behind a fact of a device."""
        if self.replayed:
            return "recorded"
        return self.weaker.get((device, fact)) or self.weaker.get(("", fact), "real")


def site_evidence() -> EvidenceBook:
    """Return the evidence of a site that is asked itself."""
    return EvidenceBook()


def replay_evidence() -> EvidenceBook:
    """Return the evidence of a replay."""
    return EvidenceBook(replayed=True, rehearsal=True, not_proven=(PLAYED_BACK,))


def lab_evidence(status: LabStatus, devices: Collection[str]) -> EvidenceBook:
    """Return the evidence of a lab, by what it says of itself.

    Parameters
    ----------
    status
        The lab's.
    devices
        Names of all devices of the plan that answer on a real site.
    """
    present = {one.name for one in status.switches} | {one.name for one in status.hosts}
    recorded = [f"{host.name}: {', '.join(host.recorded)} (recorded)" for host in status.hosts if host.recorded]
    return EvidenceBook(
        weaker=_weaker(status),
        not_proven=(*status.simulated, *recorded),
        absent=frozenset(devices) - present,
        rehearsal=True,
    )


def _weaker(status: LabStatus) -> dict[tuple[str, str], Evidence]:
    """Return device and fact to the evidence of a lab; what accelerators say is recorded."""
    weaker: dict[tuple[str, str], Evidence] = {}
    for device, facts in status.simulated_facts.items():
        weaker |= {(device, fact): "simulated" for fact in facts}
    return weaker | {(host.name, GPUS): "recorded" for host in status.hosts}
