"""Asks management controllers over Redfish: all of them at once, requests that only read, a limit on everything."""

import asyncio
import base64
import http.client
import io
import json
import os
import ssl
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, cast

from rackproof.deploy.connection import Target
from rackproof.deploy.failures import LoginError, StepError, UnreachableError, UnreadableError
from rackproof.errors import BadInputError
from rackproof.facts.controllers import without_secrets
from rackproof.facts.fact import Answer, Answers

LONGEST_BYTES: Final = 4 << 20
"""Of an answer; the attributes of a BIOS are some ten thousand bytes."""
LEAVE: Final = "without its entry in access.yaml, the BIOS is left alone and not looked at"

Told = Callable[[str, Answers | StepError], object]


@dataclass(frozen=True, slots=True)
class RedfishLimits:
    """How much at once, and how long."""

    at_once: int = 128
    """Controllers that are asked at the same time, as with servers."""
    connect_s: float = 20.0
    """Until the connection stands, TLS and all: as for SSH."""
    controller_s: float = 90.0
    """For all requests to one controller: a busy one takes seconds for each."""


async def gather_controllers(
    targets: Sequence[Target], commands: Sequence[str], on_each: Told, limits: RedfishLimits = RedfishLimits()
) -> None:
    """Ask management controllers, all at once.

    Parameters
    ----------
    targets
        The controllers.
    commands
        What each is asked: ``GET`` and a path.
    on_each
        Told of each controller when it has answered, or has not.
    limits
        Controllers at a time, and seconds for each.
    """
    places = asyncio.Semaphore(limits.at_once)

    async def one(target: Target) -> None:
        async with places:
            found = await asked(target, commands, limits)
        on_each(target.device, found)

    await asyncio.gather(*map(one, targets))


async def asked(
    target: Target, commands: Sequence[str], limits: RedfishLimits = RedfishLimits()
) -> Answers | StepError:
    """Return what one controller answers, secrets hidden; the failure to reach it is a value."""
    try:
        async with asyncio.timeout(limits.controller_s):
            login, trusted = _login(target), _trusted(target)
            return {command: await _answer(target, command, login, trusted, limits) for command in commands}
    except StepError as error:
        return error
    except BadInputError as error:
        return UnreadableError(target.device, error.message, error.hint)
    except TimeoutError:
        return UnreachableError(target.device, f"{target.place} does not answer in time", LEAVE)
    except ssl.SSLCertVerificationError as error:
        cause = f"{target.place} cannot prove who it is: {error.verify_message}"
        return UnreachableError(target.device, cause, "name its certificates in access.yaml")
    except OSError as error:
        # Of a refused connection, asyncio's own words name the call and not the reason.
        reason = os.strerror(error.errno) if isinstance(error, ConnectionError) and error.errno else error.strerror
        cause = f"{target.place} does not answer: {reason or error}"
        return UnreachableError(target.device, cause, f"is it cabled, and is its address right? {LEAVE}")


def password_of(target: Target) -> str:
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


def _login(target: Target) -> str:
    """Return what a request carries to prove who asks (RFC 7617)."""
    return base64.b64encode(f"{target.access.user}:{password_of(target)}".encode()).decode()


def _trusted(target: Target) -> ssl.SSLContext:
    """Return whose certificates are believed.

    Raises
    ------
    UnreadableError
        The file with them cannot be used.
    """
    file = target.access.certificates
    try:
        return ssl.create_default_context(cafile=file)
    except OSError as error:
        cause = f"its certificates are in {file}, which cannot be used: {error.strerror or error}"
        raise UnreadableError(target.device, cause) from error


async def _answer(target: Target, command: str, login: str, trusted: ssl.SSLContext, limits: RedfishLimits) -> Answer:
    """Return the answer to one request.

    Raises
    ------
    StepError, OSError, TimeoutError
        There is none.
    """
    async with asyncio.timeout(limits.connect_s):
        reader, writer = await asyncio.open_connection(target.access.host, target.access.port, ssl=trusted)
    try:
        writer.write(_request(target, command, login))
        received = await _everything(target, reader)
    finally:
        writer.transport.abort()
    status, reason, body = _taken_apart(target, received)
    if status in {http.HTTPStatus.UNAUTHORIZED, http.HTTPStatus.FORBIDDEN}:
        cause = f"{target.place} refuses user {target.access.user}, or the password"
        raise LoginError(target.device, cause, "check user and password in access.yaml")
    if status == http.HTTPStatus.OK:
        return Answer(without_secrets(body), 0)
    return Answer("", status, f"status {status} {reason}")


def _request(target: Target, command: str, login: str) -> bytes:
    """Return a request that has the connection closed after its answer (RFC 9112, 9.6)."""
    lines = (
        f"{command} HTTP/1.1",
        f"Host: {target.place}",
        f"Authorization: Basic {login}",
        "Accept: application/json",
        "Connection: close",
    )
    return "".join(f"{line}\r\n" for line in (*lines, "")).encode()


async def _everything(target: Target, reader: asyncio.StreamReader) -> bytes:
    """Return all that is received until the other side ends.

    Raises
    ------
    UnreadableError
        It is too much.
    """
    try:
        await reader.readexactly(LONGEST_BYTES)
    except asyncio.IncompleteReadError as ended:
        return ended.partial
    raise UnreadableError(target.device, f"it answers more than {LONGEST_BYTES} bytes")


class _Received:
    """Bytes as http.client takes them: from a socket."""

    def __init__(self, received: bytes) -> None:
        self._received = received

    def makefile(self, *_: object) -> io.BytesIO:
        """Return them as a file."""
        return io.BytesIO(self._received)


def _taken_apart(target: Target, received: bytes) -> tuple[int, str, str]:
    """Return status, reason and body of an answer.

    Raises
    ------
    UnreadableError
        It is no answer of HTTP.
    """
    response = http.client.HTTPResponse(cast("Any", _Received(received)))
    try:
        response.begin()
        body = response.read().decode("utf-8", "replace")
    except (http.client.HTTPException, ValueError) as error:
        raise UnreadableError(target.device, f"{target.place} answers something else than Redfish") from error
    return response.status, _reason(body) or response.reason, body


def _reason(body: str) -> str:
    """Return why a request was refused, in Redfish's words (DSP0266, error responses); empty: it does not say."""
    with suppress(ValueError, LookupError, TypeError):
        return str(json.loads(body)["error"]["@Message.ExtendedInfo"][0]["Message"])
    return ""
