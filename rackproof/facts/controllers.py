"""Management controller of a server over Redfish: BIOS settings and the controller's own firmware.

Resources and names: DMTF DSP0266 (protocol) and DSP0268 (schemas Bios and Manager); Dell, iDRAC 9 Redfish API guide.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from rackproof.facts.fact import Answers, Fact, command_output
from rackproof.facts.redaction import HIDDEN

BIOS: Final = "GET /redfish/v1/Systems/System.Embedded.1/Bios"
WAITING: Final = "GET /redfish/v1/Systems/System.Embedded.1/Bios/Settings"
MANAGER: Final = "GET /redfish/v1/Managers/iDRAC.Embedded.1"
SECRET: Final = re.compile(r"(?i)(password|passphrase|secret)$")
"""Ends of the names of attributes that hold a secret, such as ``IscsiDev1Con1ChapSecret``."""

Settings = Mapping[str, str]
"""Attribute, as the BIOS names it, to its value."""


class BiosSettings(msgspec.Struct, frozen=True, gc=False):
    """A server's BIOS settings."""

    now: Settings
    waiting: Settings
    """Those that take another value at the next restart, and that value."""


class Controller(msgspec.Struct, frozen=True, gc=False):
    """A management controller itself."""

    model: str
    firmware: str


def parse_bios(answers: Answers) -> BiosSettings:
    """Return the BIOS settings.

    Raises
    ------
    FactError, ValueError
        The controller did not tell them.
    """
    now = bios_attributes(command_output(answers, BIOS))
    waiting = bios_attributes(command_output(answers, WAITING))
    return BiosSettings(now, {name: value for name, value in waiting.items() if now.get(name) != value})


def parse_controller(answers: Answers) -> Controller:
    """Return the controller's model and firmware version.

    Raises
    ------
    FactError, ValueError
        It did not.
    """
    found = document(command_output(answers, MANAGER))
    return Controller(str(found.get("Model") or ""), str(found.get("FirmwareVersion") or ""))


BIOS_SETTINGS: Final = Fact("bios_settings", (BIOS, WAITING), parse_bios)
CONTROLLER: Final = Fact("controller", (MANAGER,), parse_controller)
COMMANDS: Final = (*BIOS_SETTINGS.commands, *CONTROLLER.commands)
"""All commands for a management controller."""


def bios_attributes(text: str) -> Settings:
    """Return the attributes of a resource, each value as text; one that is not set is left out.

    Raises
    ------
    ValueError
        It is not such a resource.
    """
    found = document(text).get("Attributes")
    if not isinstance(found, dict):
        message = "it has no Attributes"
        raise ValueError(message)  # noqa: TRY004 a device's wrong answer is a value error
    return {name: str(value) for name, value in found.items() if value is not None}


def document(text: str) -> dict[str, Any]:
    """Return a resource.

    Raises
    ------
    ValueError
        It is not a JSON object.
    """
    found = json.loads(text)
    if not isinstance(found, dict):
        message = "it is not a JSON object"
        raise ValueError(message)  # noqa: TRY004 likewise
    return found


def without_secrets(text: str) -> str:
    """Return what a controller said, secrets among its attributes hidden; nothing of what is not JSON.

    A BIOS leaves passwords out by itself, and need not know every secret of what is plugged into the server.
    """
    try:
        found = document(text)
    except ValueError:
        return ""
    if isinstance(held := found.get("Attributes"), dict):
        found["Attributes"] = {name: HIDDEN if value and SECRET.search(name) else value for name, value in held.items()}
    return json.dumps(found)


def unlike(planned: Settings, found: BiosSettings) -> Iterator[tuple[str, str | None, bool]]:
    """Yield the planned settings that the BIOS has not: name, value that it has, and whether the planned one waits."""
    for name, value in planned.items():
        if found.now.get(name) != value:
            yield name, found.now.get(name), found.waiting.get(name) == value
