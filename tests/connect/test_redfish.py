"""Management controllers are asked all at once; what goes wrong names the controller and what to do."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from typing import TYPE_CHECKING, Any, Final

import pytest
from pydantic import SecretStr

from lab.hosts.redfish.controller import Controller
from lab.hosts.redfish.server import RedfishServer
from rackproof.connect.credentials import Credential
from rackproof.connect.errors import CredentialError, DeviceError
from rackproof.connect.redfish import RedfishLimits, ask_controller, gather_controllers
from rackproof.connect.ssh import Target
from rackproof.facts.controllers import BIOS, BIOS_SETTINGS, COMMANDS, CONTROLLER, WAITING
from rackproof.facts.fact import Answers, FactError
from rackproof.site.access import DeviceAccess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PASSWORD: Final = "calvin-of-the-lab"
IMPATIENT: Final = RedfishLimits(connect_s=0.5, controller_s=2.0)


@pytest.fixture
def controller() -> Controller:
    return Controller("gpu-001", "rackproof", PASSWORD)


@pytest.fixture
def server(controller: Controller, tmp_path: Path) -> Iterator[RedfishServer]:
    with RedfishServer(controller, tmp_path) as server:
        yield server


def target(server: RedfishServer, password: str | None = PASSWORD, **other: Any) -> Target:  # noqa: ANN401 of access
    entry = {"host": "127.0.0.1", "port": server.port, "user": "rackproof", "certificates": str(server.certificate)}
    secret = None if password is None else SecretStr(password)
    return Target("gpu-001-bmc", DeviceAccess(**{**entry, **other}), lambda: Credential(password=secret))


def answer(asked_of: Target, limits: RedfishLimits = IMPATIENT) -> Answers | DeviceError:
    return asyncio.run(ask_controller(asked_of, COMMANDS, limits))


def refusal(asked_of: Target) -> DeviceError:
    found = answer(asked_of)
    assert isinstance(found, DeviceError)
    assert PASSWORD not in str(found)
    return found


def test_controllers_say_what_they_are_set_to(server: RedfishServer, controller: Controller) -> None:
    found: dict[str, Answers | DeviceError] = {}
    controller.attributes["never"] = "asked"

    asyncio.run(gather_controllers([target(server)], COMMANDS, found.__setitem__))

    answers = found["gpu-001-bmc"]
    assert not isinstance(answers, DeviceError)
    assert BIOS_SETTINGS.parse(answers).now["AcPwrRcvryUserDelay"] == "120"
    assert BIOS_SETTINGS.parse(answers).waiting == {}
    assert (CONTROLLER.parse(answers).model, CONTROLLER.parse(answers).firmware) == ("16G Monolithic", "7.10.50.00")


def test_secrets_of_a_bios_are_hidden(server: RedfishServer, controller: Controller) -> None:
    controller.bios |= {"IscsiDev1Con1ChapSecret": "hush", "SetupPassword": None, "PasswordStatus": "Unlocked"}

    found = answer(target(server))

    assert not isinstance(found, DeviceError)
    held = json.loads(found[BIOS].output)["Attributes"]
    assert held["IscsiDev1Con1ChapSecret"] == "*"
    assert (held["SetupPassword"], held["PasswordStatus"]) == (None, "Unlocked")


def test_a_resource_that_is_not_there_is_an_answer(server: RedfishServer) -> None:
    missing = BIOS.replace("System.Embedded.1", "System.Elsewhere.1")

    found = asyncio.run(ask_controller(target(server), [missing, WAITING], IMPATIENT))

    assert not isinstance(found, DeviceError)
    assert (found[missing].status, found[WAITING].status) == (404, 0)
    with pytest.raises(FactError, match=r"System.Elsewhere.1/Bios was not found"):
        BIOS_SETTINGS.parse({BIOS: found[missing]})


@pytest.mark.parametrize(
    ("changed", "cause", "hint"),
    [
        ({"password": "wrong"}, "refuses user rackproof, or the password", "access.yaml"),
        ({"password": None}, "a management controller takes a password", "access.yaml"),
        ({"certificates": None}, "cannot prove who it is: self-signed certificate", "name its certificates"),
        ({"certificates": "/nowhere.pem"}, "certificates are in /nowhere.pem, which cannot be used", ""),
        ({"port": 1}, "127.0.0.1:1 does not answer: Connection refused", "is it cabled"),
    ],
)
def test_a_controller_that_cannot_be_asked_says_why(
    server: RedfishServer, changed: dict[str, Any], cause: str, hint: str
) -> None:
    found = refusal(target(server, **changed))

    assert found.device == "gpu-001-bmc"
    assert cause in found.cause
    assert hint in found.hint


def test_a_credential_that_leads_nowhere_is_told(server: RedfishServer) -> None:
    def credential() -> Credential:
        raise CredentialError("the password of gpu-001-bmc is in the environment variable BMC, which is not set")

    asked_of = target(server)
    found = refusal(Target(asked_of.device, asked_of.access, credential))

    assert "BMC, which is not set" in found.cause


def test_a_controller_that_is_silent_is_left_in_time(server: RedfishServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert "does not answer in time" in refusal(target(server, port=silent.getsockname()[1])).cause


@pytest.fixture
def speaks(server: RedfishServer, monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    """Let the double say these bytes, whatever it is asked."""

    def say(text: bytes) -> None:
        handler: Any = server._server.RequestHandlerClass
        monkeypatch.setattr(handler, "_send", lambda self, _reply: (self.wfile.write(text), self.close_soon()))
        monkeypatch.setattr(handler, "close_soon", lambda self: setattr(self, "close_connection", True), raising=False)

    return say


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        (b"SSH-2.0-dropbear\r\n", "answers something else than Redfish"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{}", "answers something else than Redfish"),
        (b"", "answers something else than Redfish"),
        (b"HTTP/1.1 200 OK\r\n\r\n" + b" " * (4 << 20), "it answers more than 4194304 bytes"),
    ],
    ids=["another protocol", "cut off", "nothing", "far too much"],
)
def test_an_answer_that_is_none_is_told(
    server: RedfishServer, speaks: Callable[[bytes], None], said: bytes, cause: str
) -> None:
    speaks(said)

    assert cause in refusal(target(server)).cause


def test_pieces_of_an_answer_are_put_together(server: RedfishServer, speaks: Callable[[bytes], None]) -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    speaks(head + b'6\r\n{"Attr\r\n10\r\nibutes": {"A": 1\r\n2\r\n}}\r\n0\r\n\r\n')

    found = answer(target(server))

    assert not isinstance(found, DeviceError)
    assert BIOS_SETTINGS.parse(found).now == {"A": "1"}


def test_controllers_are_asked_at_the_same_time(server: RedfishServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each answers only once all are asked."""
    together = threading.Barrier(3, timeout=5)
    handler: Any = server._server.RequestHandlerClass
    answered = handler._answer
    monkeypatch.setattr(handler, "_answer", lambda self: (together.wait(), answered(self)))
    found: dict[str, Answers | DeviceError] = {}
    one = target(server)
    three = [Target(f"gpu-00{number}-bmc", one.access, one.credential) for number in range(3)]

    asyncio.run(gather_controllers(three, [BIOS], found.__setitem__))

    assert all(not isinstance(answers, DeviceError) for answers in found.values())
    assert len(found) == 3
