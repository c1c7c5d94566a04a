"""How devices are reached: ``access.yaml``, the one file with addresses, users and credential references."""

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, model_validator

from rackproof.site.shape import Schema
from rackproof.types import FileReference, HostKey, Hostname, RemoteHost, StackKey, UserName, VariableName

CONTROLLER: Final = "-bmc"
"""What follows a server's name where access.yaml says how its management controller is reached (Redfish)."""
HTTPS_PORT: Final = 443
"""Redfish is served here (DSP0266, 1.20, 7.1; IANA)."""


class AccessModel(BaseModel):
    """A part of access.yaml: closed, frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class CredentialReference(AccessModel):
    """Where a secret lies; never the secret itself."""

    env: VariableName | None = None
    """Environment variable that holds it."""
    file: FileReference | None = None
    """File that holds it (mode 0600), relative to the folder of access.yaml."""
    pulumi: StackKey | None = None
    """Key of a Pulumi secret in the stack's configuration."""

    @model_validator(mode="after")
    def _exactly_one(self) -> "CredentialReference":
        """A secret lies in one place."""
        if sum(value is not None for value in (self.env, self.file, self.pulumi)) != 1:
            message = "give exactly one of env, file and pulumi"
            raise ValueError(message)
        return self


class DeviceAccess(AccessModel):
    """How one device is reached over SSH."""

    host: RemoteHost
    port: Annotated[int, Field(ge=1, le=65535)] = 22
    user: UserName
    host_key: HostKey | None = None
    """Public host key as ``rackproof trust`` recorded it (``ssh-ed25519 AAAA...``); None: not trusted yet."""
    password: CredentialReference | None = None
    private_key: CredentialReference | None = None
    certificates: FileReference | None = None
    """File with the certificates that a management controller's is signed by, relative to the folder of access.yaml;
    None: those that the machine trusts."""


class Access(AccessModel):
    """All devices of a site, by name."""

    devices: dict[Hostname, DeviceAccess]

    def controller(self, server: str) -> DeviceAccess | None:
        """Return how a server's management controller is reached, by HTTPS; None: nothing says it."""
        entry = self.devices.get(f"{server}{CONTROLLER}")
        if entry is None or "port" in entry.model_fields_set:
            return entry
        return entry.model_copy(update={"port": HTTPS_PORT})


SCHEMA: Final = Schema(Access, "access.yaml", secret=True)
