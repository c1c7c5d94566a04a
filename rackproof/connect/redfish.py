"""Reads management controllers over Redfish: all at once, read-only requests, with limits on time and size."""

import asyncio
import json
import os
import ssl
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from rackproof.connect.errors import DeviceError, LoginError, UnreachableError, UnreadableError
from rackproof.connect.ssh import Target
from rackproof.errors import BadInputError
from rackproof.facts.controllers import without_secrets
from rackproof.facts.fact import Answer, Answers

if TYPE_CHECKING:
    import httpx

LONGEST_BYTES: Final = 4 << 20
"""Largest answer; the attributes of a BIOS are some ten thousand bytes."""
LEAVE: Final = "without its entry in access.yaml, the BIOS is neither read nor changed"

OnEach = Callable[[str, Answers | DeviceError], object]


@dataclass(frozen=True, slots=True)
class RedfishLimits:
    """Limits on concurrency and time."""

    at_once: int = 128
    """Controllers that are read at the same time, as with servers."""
    connect_s: float = 20.0
    """Until the connection is open, including TLS; as for SSH."""
    controller_s: float = 90.0
    """For all requests to one controller: a busy one takes seconds for each."""


async def gather_controllers(
    targets: Sequence[Target], commands: Sequence[str], on_each: OnEach, limits: RedfishLimits = RedfishLimits()
) -> None:
    """Read management controllers, all at once.

    Parameters
    ----------
    targets
        The controllers.
    commands
        Requests to each: ``GET`` and a path.
    on_each
        Called with each controller and its answers, or the error.
    limits
        Controllers at a time, and seconds for each.
    """
    places = asyncio.Semaphore(limits.at_once)

    async def one(target: Target) -> None:
        async with places:
            found = await ask_controller(target, commands, limits)
        on_each(target.device, found)

    await asyncio.gather(*map(one, targets))


async def ask_controller(
    target: Target, commands: Sequence[str], limits: RedfishLimits = RedfishLimits()
) -> Answers | DeviceError:
    """Return the answers of one controller without secrets; a failure is returned as a value."""
    import httpx  # noqa: PLC0415 slow to import, and only a site with management controllers needs it

    try:
        async with asyncio.timeout(limits.controller_s), _client(target, limits) as client:
            return {command: await _answer(target, client, command) for command in commands}
    except DeviceError as error:
        return error
    except BadInputError as error:
        return UnreadableError(target.device, error.message, error.hint)
    except (TimeoutError, httpx.TimeoutException):
        return UnreachableError(target.device, f"{target.place} does not answer in time", LEAVE)
    except (httpx.ProtocolError, httpx.DecodingError):
        return UnreadableError(target.device, f"{target.place} answers something else than Redfish")
    except httpx.TransportError as error:
        return _unreached(target, error)


def _unreached(target: Target, error: BaseException) -> DeviceError:
    """Return the error of a failed connection, with the operating system's reason."""
    while (reason := error.__cause__ or error.__context__) is not None:
        error = reason
    if isinstance(error, ssl.SSLCertVerificationError):
        cause = f"{target.place} cannot prove who it is: {error.verify_message}"
        return UnreachableError(target.device, cause, "name its certificates in access.yaml")
    # Of a refused connection, asyncio's own words name the call and not the reason.
    refused = isinstance(error, ConnectionError) and error.errno
    cause = f"{target.place} does not answer: {os.strerror(refused) if refused else error}"
    return UnreachableError(target.device, cause, f"is it cabled, and is its address right? {LEAVE}")


def _client(target: Target, limits: RedfishLimits) -> "httpx.AsyncClient":
    """Return the HTTP client of one controller: one connection, no proxy of the environment, no redirection.

    Raises
    ------
    CredentialError, LoginError, UnreadableError
        Password or certificates cannot be used.
    """
    import httpx  # noqa: PLC0415 see above

    host = f"[{target.access.host}]" if ":" in target.access.host else target.access.host
    return httpx.AsyncClient(
        base_url=f"https://{host}:{target.access.port}",
        auth=httpx.BasicAuth(target.access.user, controller_password(target)),
        headers={"Accept": "application/json"},
        verify=_trusted(target),
        timeout=httpx.Timeout(None, connect=limits.connect_s),
        trust_env=False,
    )


def controller_password(target: Target) -> str:
    """Return the password of a management controller.

    Raises
    ------
    CredentialError
        The reference leads to nothing.
    LoginError
        It has no password.
    """
    password = target.credential().password
    if password is None:
        raise LoginError(target.device, "a management controller takes a password", "give its entry in access.yaml one")
    return password.get_secret_value()


def _trusted(target: Target) -> ssl.SSLContext:
    """Return the TLS context with the trusted certificates.

    Raises
    ------
    UnreadableError
        The certificate file cannot be used.
    """
    file = target.access.certificates
    try:
        return ssl.create_default_context(cafile=file)
    except OSError as error:
        cause = f"its certificates are in {file}, which cannot be used: {error.strerror or error}"
        raise UnreadableError(target.device, cause) from error


async def _answer(target: Target, client: "httpx.AsyncClient", command: str) -> Answer:
    """Return the answer to one request.

    Raises
    ------
    DeviceError
        It refuses the login, or its answer is too long.
    """
    method, _, path = command.partition(" ")
    async with client.stream(method, path) as response:
        body = await _body(target, response)
    if response.status_code in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        cause = f"{target.place} refuses user {target.access.user}, or the password"
        raise LoginError(target.device, cause, "check user and password in access.yaml")
    if response.status_code == HTTPStatus.OK:
        return Answer(without_secrets(body), 0)
    return Answer("", response.status_code, f"status {response.status_code} {_reason(body) or response.reason_phrase}")


async def _body(target: Target, response: "httpx.Response") -> str:
    """Return the body of a response.

    Raises
    ------
    UnreadableError
        It is too long.
    """
    received = bytearray()
    async for piece in response.aiter_bytes():
        received += piece
        if len(received) >= LONGEST_BYTES:
            raise UnreadableError(target.device, f"it answers more than {LONGEST_BYTES} bytes")
    return received.decode("utf-8", "replace")


def _reason(body: str) -> str:
    """Return why a request was refused, as Redfish states it (DSP0266, error responses); empty: no reason given."""
    with suppress(ValueError, LookupError, TypeError):
        return str(json.loads(body)["error"]["@Message.ExtendedInfo"][0]["Message"])
    return ""
