"""What a host of the lab is made of. Knows nothing of the plan and nothing of QEMU."""

import hashlib
from dataclasses import dataclass
from typing import Literal

from lab.errors import LabError
from lab.spec.models import LabEnd

MEMORY_MB = 512
"""Runs everything that a lab's host runs (RDMA, NFS server, Ansible's modules)."""


@dataclass(frozen=True, slots=True)
class HostNic:
    """A port of a network adapter that has a cable to a switch of the lab."""

    end: LabEnd
    """Host and the plan's name of the port; the host itself does not know that name."""
    mac: str
    slot: int | None = None
    """As printed on the chassis; None: on the main board."""
    port: int = 0
    """Number on its adapter."""
    bus: int | None = None
    """PCI bus of its slot; None: the catalogue does not say, and the machine chooses."""
    rdma: bool = False
    """Whether it carries RDMA, and so gets an RDMA device."""
    speed_mbps: int | None = None
    """What it says its speed is; None: nothing, and a bond with LACP takes it back no more once its link was lost."""


Kind = Literal["server", "storage"]
"""A server is brought up from outside; a node of a storage cluster sets itself up, as an appliance does."""


@dataclass(frozen=True, slots=True)
class HostSpec:
    """A host as it stands in the rack."""

    name: str
    vendor: str
    product: str
    nics: tuple[HostNic, ...]
    gpus: str | None = None
    """Its accelerators, such as ``8x NVIDIA H200 SXM``: there are none here, and what they say is recorded."""
    controller: str = ""
    """Its management controller, as the catalogue calls it: ``iDRAC9``."""
    kind: Kind = "server"
    setup: str = ""
    """Script that the lab runs on it as root, once it is there."""

    def nic(self, port: str) -> HostNic:
        """Return a port by the plan's name.

        Raises
        ------
        LabError
            The host has no such port to a switch of the lab.
        """
        found = next((nic for nic in self.nics if nic.end.port == port), None)
        if found is None:
            hint = f"it has {', '.join(nic.end.port for nic in self.nics)}"
            raise LabError(f"{self.name} has no port called {port} to a switch of the lab", hint)
        return found

    @property
    def serial_number(self) -> str:
        """Serial number of the chassis, which says that it is none."""
        return f"LAB{hashlib.sha256(self.name.encode()).hexdigest()[:7].upper()}"
