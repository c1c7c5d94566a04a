"""The as-built record: what discovery found in each server, against which everything later is compared."""

from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, StringConstraints

from rackproof.site.model_file import load_generated
from rackproof.site.shape import Schema
from rackproof.site.text_file import AbsentFileError
from rackproof.types import (
    DEVICE_ID_PATTERN,
    MAC_ADDRESS_PATTERN,
    PCI_ADDRESS_PATTERN,
    Hostname,
    KernelName,
    PrintableText,
)

VIRTIO: Final = "1af4"
"""PCI vendor of a virtual machine's adapters (pci.ids: Red Hat): they stand in for any model."""
FILE_NAME: Final = "as-built.yaml"
"""Beside the access.yaml that holds: a lab has a record of its own."""

PciAddress = Annotated[str, StringConstraints(pattern=PCI_ADDRESS_PATTERN)]
"""Domain, bus, device and function, as Linux writes them: 0000:1a:00.0; virtual machines may have longer domains."""
MacAddress = Annotated[str, StringConstraints(pattern=MAC_ADDRESS_PATTERN)]
DeviceId = Annotated[str, StringConstraints(pattern=DEVICE_ID_PATTERN)]
"""PCI vendor and device: 14e4:1760."""


class AsBuiltModel(BaseModel):
    """A part of the record: closed, frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class AsBuiltPort(AsBuiltModel):
    """A network port as it was found."""

    slot: int | None = None
    """As printed on the chassis; None: the machine shows none."""
    pci_address: PciAddress
    mac_address: MacAddress | None = None
    """None: the port is InfiniBand, which has none."""
    numa_node: int | None = None
    """None: the machine does not say."""
    rdma_device: KernelName | None = None
    """What the kernel called it when it was found; None: it had no RDMA device."""
    device_id: DeviceId
    """PCI vendor and device."""

    @property
    def stands_in(self) -> bool:
        """Whether it is a virtual machine's adapter, in place of the one that is planned."""
        return self.device_id.startswith(VIRTIO)


class AsBuiltServer(AsBuiltModel):
    """A server as it was found."""

    serial: PrintableText | None = None
    """None: the machine shows none."""
    ports: dict[KernelName, AsBuiltPort] = {}
    """By the plan's name: rail0, frontend0."""


class AsBuilt(AsBuiltModel):
    """Every server that was discovered, by name."""

    servers: dict[Hostname, AsBuiltServer] = {}

    def port(self, server: str, port: str) -> AsBuiltPort | None:
        """Return what was found of a port; None: it was not discovered yet."""
        found = self.servers.get(server)
        return found.ports.get(port) if found else None


SCHEMA: Final = Schema(
    AsBuilt,
    "as-built.yaml",
    hint="`rackproof discover <site>` writes it; take the last version that was committed, or discover again",
)


def load_as_built(path: Path) -> AsBuilt:
    """Read a record; where there is none yet, nothing was discovered.

    Raises
    ------
    BadInputError
        The file is no text.
    SiteErrors
        Everything that is wrong with it, with places.
    """
    try:
        return load_generated(path, SCHEMA, AsBuilt)
    except AbsentFileError:
        return AsBuilt()
