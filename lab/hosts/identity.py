"""The identity of a host: its name, its keys and its time.

A host that is restored from a snapshot equals every other one, with keys that lie in the cache. So the lab logs in once
with the cached key, over loopback, and installs its own keys; after that the cached keys are not accepted.
"""

import asyncio
import base64
import secrets
import shlex
import time
from dataclasses import dataclass

import asyncssh

from lab.errors import LabError
from lab.hosts.image import Image
from lab.switches.ssh_server import LOOPBACK

Connection = asyncssh.SSHClientConnection

USER = "rackproof"
"""User that the product logs in as, with sudo."""
ROOT = "root"
"""User that the lab itself logs in as, independent of faults on the other one."""
_FIRST_TRY_S = 8.0
"""Timeout of the first attempt; a booting host accepts the connection and does not answer."""
_LONGEST_TRY_S = 32.0
"""Longest timeout; it doubles with every attempt, because key exchange alone is slow on a busy machine."""
_PAUSE_S = 0.1

_SCRIPT = """set -eu
date -s @{seconds:.3f} >/dev/null
echo {seed} | base64 -d >/dev/urandom
echo {name} >/etc/hostname
hostname {name}
printf '127.0.0.1 localhost\\n127.0.1.1 %s\\n' {name} >/etc/hosts
echo {authorized} >/home/{user}/.ssh/authorized_keys
mkdir -p -m 700 ~root/.ssh
echo {authorized} >~root/.ssh/authorized_keys
mkdir -p /etc/lldpd.d
echo configure system chassisid {name} >/etc/lldpd.d/lab.conf
{host_key}systemctl try-restart --no-block lldpd
sync
"""
_HOST_KEY = """cd /etc/ssh
(umask 077; cat >ssh_host_ed25519_key.new) <<'END'
{private}END
echo {public} >ssh_host_ed25519_key.pub
mv ssh_host_ed25519_key.new ssh_host_ed25519_key
kill -HUP "$(cat /run/sshd.pid)"
"""


@dataclass(frozen=True, slots=True)
class Identity:
    """Name and keys of a host in one lab."""

    name: str
    host_key: asyncssh.SSHKey
    authorized_key: str
    """Public key that may log in."""

    @property
    def public_host_key(self) -> str:
        """The public host key in the form of access.yaml and known_hosts."""
        return public_text(self.host_key)


def public_text(key: asyncssh.SSHKey) -> str:
    """Return a public key on one line, without a comment."""
    return " ".join(key.export_public_key().decode().split()[:2])


async def connected(port: int, user_key: str, host_key: str, timeout_s: float, user: str = USER) -> Connection:
    """Wait until a host accepts a login and return the connection.

    Raises
    ------
    LabError
        It did not in time.
    """
    deadline = time.monotonic() + timeout_s
    limit_s = _FIRST_TRY_S
    while True:
        try:
            return await _connect(port, user_key, host_key, user, limit_s)
        except (OSError, asyncssh.Error, TimeoutError) as error:
            if time.monotonic() > deadline:
                reason = f": {error}" if str(error) else ""
                raise LabError(f"it accepts no login after {timeout_s:.0f} s{reason}") from error
            if isinstance(error, TimeoutError):
                limit_s = min(2 * limit_s, _LONGEST_TRY_S)
        await asyncio.sleep(_PAUSE_S)


async def install(identity: Identity, image: Image, port: int, timeout_s: float) -> None:
    """Set name, keys and time of a host that was restored from a snapshot.

    Raises
    ------
    LabError
        It does not answer, or refused.
    """
    host_key = image.bootstrap_host_key.read_text("utf-8")
    async with await connected(port, str(image.bootstrap_key), host_key, timeout_s) as connection:
        await run_as_root(connection, _script(identity))


async def run_as_root(connection: Connection, script: str) -> str:
    """Run a script on a host as root, which the host's user becomes, and return what it printed.

    Raises
    ------
    LabError
        The host does not answer, or the script failed.
    """
    return await run_script(connection, script, "sudo sh -eu")


async def run_script(connection: Connection, script: str, shell: str = "sh -eu") -> str:
    """Run a script on a host and return what it printed.

    Raises
    ------
    LabError
        The host does not answer, or the script failed.
    """
    try:
        done = await connection.run(shell, input=script, check=False)
    except (OSError, asyncssh.Error) as error:
        raise LabError(f"the host does not answer: {error}") from error
    if done.exit_status != 0:
        raise LabError(f"the host refused: {str(done.stderr).strip()}")
    return str(done.stdout)


async def _connect(port: int, user_key: str, host_key: str, user: str, limit_s: float) -> Connection:
    return await asyncio.wait_for(
        asyncssh.connect(
            LOOPBACK,
            port,
            username=user,
            client_keys=[user_key],
            known_hosts=asyncssh.import_known_hosts(f"* {host_key}"),
            agent_path=None,
            config=None,
            compression_algs=None,
        ),
        limit_s,
    )


def _script(identity: Identity) -> str:
    return _SCRIPT.format(
        seconds=time.time(),
        seed=base64.b64encode(secrets.token_bytes(64)).decode(),
        name=shlex.quote(identity.name),
        host_key=host_key_script(identity.host_key),
        authorized=shlex.quote(identity.authorized_key),
        user=USER,
    )


def host_key_script(key: asyncssh.SSHKey) -> str:
    """Return the script that installs another host key."""
    return _HOST_KEY.format(private=key.export_private_key().decode(), public=shlex.quote(public_text(key)))
