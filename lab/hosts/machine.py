"""Description of a host of the lab, independent of the plan and of QEMU."""

import hashlib
from dataclasses import dataclass
from typing import Literal

from lab.errors import LabError
from lab.spec.models import LabEnd

MEMORY_MB = 512
"""Enough for everything that a lab's host runs (RDMA, NFS server, Ansible's modules)."""


@dataclass(frozen=True, slots=True)
class HostNic:
    """A port of a network adapter that has a cable to a switch of the lab."""

    end: LabEnd
    """Host and the plan's name of the port; the host itself does not know that name."""
    mac: str
    slot: int | None = None
    """Slot number as printed on the chassis; None: on the main board."""
    port: int = 0
    """Port number on its adapter."""
    bus: int | None = None
    """PCI bus of its slot; None: the catalogue has none, and QEMU chooses."""
    rdma: bool = False
    """Whether it carries RDMA, and so gets an RDMA device."""
    speed_mbps: int | None = None
    """Speed that it reports; without one, a bond with LACP does not take it back after a link loss."""


Kind = Literal["server", "storage"]
"""A server is brought up from outside; a storage node configures itself, as an appliance does."""


@dataclass(frozen=True, slots=True)
class HostSpec:
    """Hardware of a host."""

    name: str
    vendor: str
    product: str
    nics: tuple[HostNic, ...]
    gpus: str | None = None
    """Its accelerators, such as ``8x NVIDIA H200 SXM``: their answers are recordings."""
    controller: str = ""
    """Model of its management controller in the catalogue: ``iDRAC9``."""
    kind: Kind = "server"
    setup: str = ""
    """Script that the lab runs on it as root after its start."""

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
        """Serial number of the chassis, marked as one of the lab."""
        return f"LAB{hashlib.sha256(self.name.encode()).hexdigest()[:7].upper()}"
