"""Trust: the host key that a device shows, compared with the recorded one."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import asyncssh

from rackproof.connect.ssh import Target

HOST_KEY_KINDS = ("ssh-ed25519", "ecdsa-sha2-nistp256", "rsa-sha2-512", "rsa-sha2-256")
"""In this order: the first that the device has is recorded."""


class KeyState(StrEnum):
    """Comparison of a shown host key with the recorded one."""

    NEW = "new"
    """None was recorded."""
    SAME = "same"
    """It is the recorded one."""
    CHANGED = "changed"
    """It is another one."""
    UNSEEN = "unseen"
    """The device does not answer."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """The host key that a device shows."""

    device: str
    place: str
    """Host and port."""
    state: KeyState
    host_key: str = ""
    """As access.yaml holds it: kind and key."""
    fingerprint: str = ""
    """SHA256:..., as ``ssh-keygen -l`` prints it, to be compared with the device's console."""
    recorded_fingerprint: str = ""
    reason: str = ""
    """Why no key was seen."""


async def sightings(targets: Sequence[Target]) -> tuple[Sighting, ...]:
    """Read the host keys of many devices at once; only the SSH key exchange is sent, no login."""
    return tuple(await asyncio.gather(*map(sighting, targets)))


async def sighting(target: Target) -> Sighting:
    """Read the host key of one device."""
    try:
        async with asyncio.timeout(target.limits.connect_s):
            key = await shown_key(target)
    except (OSError, asyncssh.Error, TimeoutError) as error:
        reason = str(error) or "no answer in time"
        return Sighting(target.device, target.place, KeyState.UNSEEN, reason=reason)
    if key is None:
        return Sighting(target.device, target.place, KeyState.UNSEEN, reason="it shows no host key of a known kind")
    shown = key_text(key)
    recorded = target.access.host_key
    before = fingerprint(recorded) if recorded else ""
    state = KeyState.NEW if not recorded else KeyState.CHANGED
    if before == key.get_fingerprint():
        state = KeyState.SAME
    return Sighting(target.device, target.place, state, shown, key.get_fingerprint(), before)


async def shown_key(target: Target) -> asyncssh.SSHKey | None:
    """Return the host key a device shows; one of the recorded kind where there is one."""
    return await asyncssh.get_server_host_key(
        target.access.host, target.access.port, server_host_key_algs=kinds_for(target.access.host_key), config=None
    )


def kinds_for(recorded: str | None) -> tuple[str, ...]:
    """Return the kinds of key to ask for: the recorded kind first, so that keys of one kind are compared."""
    kind = (recorded or "").partition(" ")[0]
    first = ("rsa-sha2-512", "rsa-sha2-256") if kind == "ssh-rsa" else (kind,)
    return tuple(dict.fromkeys((*(one for one in first if one), *HOST_KEY_KINDS)))


def key_text(key: asyncssh.SSHKey) -> str:
    """Return a public key as access.yaml holds it, without comment."""
    return " ".join(key.export_public_key().decode().split()[:2])


def fingerprint(host_key: str) -> str:
    """Return the fingerprint of a recorded key; ``unreadable`` for one that cannot be parsed."""
    try:
        return asyncssh.import_public_key(host_key).get_fingerprint()
    except asyncssh.KeyImportError:
        return "unreadable"
