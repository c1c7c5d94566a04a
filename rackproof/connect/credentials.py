"""Credentials: references in access.yaml, resolved to secrets only when a connection opens."""

import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from pydantic import SecretStr

from rackproof.connect.errors import CredentialError
from rackproof.site.access import CredentialReference, DeviceAccess

OPEN_TO_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class Credential:
    """Password or private key for one device; printed as stars."""

    password: SecretStr | None = None
    private_key: SecretStr | None = None
    """Text of an OpenSSH or PEM private key."""


CredentialSource: TypeAlias = Callable[[], Credential]
"""Resolves a device's credential; called when a connection is opened."""


def resolve_credential(
    device: str, access: DeviceAccess, folder: Path, secrets: Mapping[str, str] | None = None
) -> Credential:
    """Return the credential of one device.

    Parameters
    ----------
    device
        Its name, for messages.
    access
        Its entry of access.yaml.
    folder
        Where relative file references start: the folder of access.yaml.
    secrets
        Pulumi secrets by key; None outside Pulumi.

    Raises
    ------
    CredentialError
        A reference cannot be resolved, names a file that others can read or Pulumi outside Pulumi; or there is none.
    """
    resolved = {
        kind: SecretStr(resolve_reference(f"{kind.replace('_', ' ')} of {device}", reference, folder, secrets))
        for kind in ("password", "private_key")
        if (reference := getattr(access, kind)) is not None
    }
    if not resolved:
        raise CredentialError(f"{device} has neither password nor private_key in access.yaml", "give one of them")
    return Credential(**resolved)


def resolve_reference(
    what: str, reference: CredentialReference, folder: Path, secrets: Mapping[str, str] | None = None
) -> str:
    """Return the secret of a reference; ``what`` names it in messages.

    Raises
    ------
    CredentialError
        The reference cannot be resolved.
    """
    if reference.env is not None:
        return secret_from_environment(what, reference.env)
    if reference.file is not None:
        return secret_from_file(what, folder / Path(reference.file).expanduser())
    key = reference.pulumi or ""
    if secrets is None:
        raise CredentialError(
            f"the {what} is a Pulumi secret ({key}), and this is not Pulumi",
            "deploy with `pulumi up`, or refer to an environment variable or a file in access.yaml",
        )
    if key not in secrets:
        raise CredentialError(f"the {what} is the Pulumi secret {key}, which the stack does not hold")
    return secrets[key]


def secret_from_environment(what: str, variable: str) -> str:
    """Return the value of an environment variable.

    Raises
    ------
    CredentialError
        The variable is not set, or empty.
    """
    if value := os.environ.get(variable):
        return value
    raise CredentialError(f"the {what} is in the environment variable {variable}, which is not set", f"set {variable}")


def secret_from_file(what: str, path: Path) -> str:
    """Return the text of a file that only its owner can read, without the line break at its end.

    Raises
    ------
    CredentialError
        The file cannot be read, is empty, or group or others have access to it.
    """
    try:
        mode = path.stat().st_mode
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise CredentialError(f"the {what} is in {path}, which cannot be read: {error.strerror}") from error
    if mode & OPEN_TO_OTHERS:
        shown = stat.filemode(mode)
        raise CredentialError(f"the {what} is in {path}, which others can read ({shown})", f"chmod 600 {path}")
    if not text.strip():
        raise CredentialError(f"the {what} is in {path}, which is empty")
    return text.rstrip("\r\n") + ("\n" if "PRIVATE KEY" in text else "")
