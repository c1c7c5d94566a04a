"""The resources of a management controller and its answers to requests, without the network.

Sources: DMTF DSP0266 (protocol), DSP0268 (schemas Bios, ComputerSystem, Manager, SoftwareInventory, Session,
Settings); Dell, iDRAC 9 Redfish API guide (resource names, jobs of the Lifecycle Controller, DellAttributes). A path or
an attribute that is not in them here is refused, as the real one would.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lab.hosts.redfish.bios import BIOS, IDRAC, Attribute, refused

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT: Final = "/redfish/v1"
SYSTEM: Final = f"{ROOT}/Systems/System.Embedded.1"
MANAGER: Final = f"{ROOT}/Managers/iDRAC.Embedded.1"
SETTINGS: Final = f"{SYSTEM}/Bios/Settings"
JOBS: Final = f"{MANAGER}/Oem/Dell/Jobs"
ATTRIBUTES: Final = f"{MANAGER}/Oem/Dell/DellAttributes/iDRAC.Embedded.1"
SESSIONS: Final = f"{ROOT}/SessionService/Sessions"
REGISTRY: Final = f"{ROOT}/Registries/ManagerAttributeRegistry"
INVENTORY: Final = f"{ROOT}/UpdateService/FirmwareInventory"
APPLY_TIMES: Final = ("OnReset", "AtMaintenanceWindowStart", "InMaintenanceWindowOnReset")
"""When a BIOS applies settings; an iDRAC 9 lists no `Immediate` for it."""
RESETS: Final = ("On", "ForceOff", "GracefulShutdown", "ForceRestart", "GracefulRestart", "PowerCycle")
OFF: Final = ("ForceOff", "GracefulShutdown")
IDRAC_FIRMWARE: Final = "Integrated Dell Remote Access Controller"
"""Name of the controller's own firmware in the inventory."""

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a request."""

    status: int
    body: Document | None = None
    headers: dict[str, str] = field(default_factory=dict)


def error(status: int, *messages: str) -> Reply:
    """Return an error as Redfish words it (DSP0266, error responses)."""
    details = [{"Message": message} for message in messages]
    text = "A general error has occurred. See ExtendedInfo for more information."
    return Reply(
        status, {"error": {"code": "Base.1.12.GeneralError", "message": text, "@Message.ExtendedInfo": details}}
    )


class Controller:
    """One server's iDRAC: BIOS settings that wait for a restart, jobs, attributes of its own, firmware inventory."""

    def __init__(self, name: str, user: str, password: str, firmware: dict[str, str] | None = None) -> None:
        self.name = name
        self._login = (user, password)
        self._tokens: dict[str, str] = {}
        self._jobs: dict[str, Document] = {}
        self._pending: Document = {}
        self._firmware = firmware or {"BIOS": "2.2.4", IDRAC_FIRMWARE: "7.10.50.00"}
        self.bios: Document = {name: each.default for name, each in BIOS.items()}
        self.attributes: Document = {name: each.default for name, each in IDRAC.items()}
        self.power = "On"
        self.on_reset: Callable[[str], object] = lambda _kind: None
        """Called with the kind of each requested reset."""

    def request(self, method: str, path: str, body: Document, token: str, login: tuple[str, str]) -> Reply:
        """Answer one request; ``path`` is without its query."""
        if (method, path) == ("POST", SESSIONS):
            return self._log_in(body)
        if path == ROOT and method == "GET":
            return Reply(200, self._root())
        if token not in self._tokens.values() and login != self._login:
            return error(401, "Unable to log in: the user name or the password is invalid")
        handlers: dict[str, Callable[[str, Document], Reply]]
        handlers = {"GET": self._get, "PATCH": self._patch, "POST": self._post, "DELETE": self._delete}
        if method not in handlers:
            return error(405, f"{method} is not allowed")
        return handlers[method](path, body)

    def restart(self) -> None:
        """Restart the server: scheduled jobs run, and pending settings take effect."""
        self.bios.update(self._pending)
        self._pending = {}
        for job in self._jobs.values():
            job.update({"JobState": "Completed", "PercentComplete": 100, "Message": "Job completed successfully."})
        self.power = "On"

    def _log_in(self, body: Document) -> Reply:
        if (body.get("UserName"), body.get("Password")) != self._login:
            return error(401, "Unable to log in: the user name or the password is invalid")
        session, token = str(len(self._tokens) + 1), secrets.token_hex(16)
        self._tokens[session] = token
        headers = {"X-Auth-Token": token, "Location": f"{SESSIONS}/{session}"}
        return Reply(201, {"@odata.id": f"{SESSIONS}/{session}", "Id": session, "UserName": self._login[0]}, headers)

    def _get(self, path: str, _body: Document) -> Reply:
        documents: dict[str, Callable[[], Document]] = {
            SYSTEM: self._system,
            f"{SYSTEM}/Bios": self._bios,
            SETTINGS: lambda: {"@odata.id": SETTINGS, "Attributes": dict(self._pending)},
            f"{SYSTEM}/Bios/BiosRegistry": lambda: registry(BIOS, {}),
            f"{ROOT}/Managers": lambda: collection(f"{ROOT}/Managers", [{"@odata.id": MANAGER}]),
            MANAGER: self._manager,
            ATTRIBUTES: lambda: {"@odata.id": ATTRIBUTES, "Attributes": dict(self.attributes)},
            REGISTRY: lambda: {"@odata.id": REGISTRY, "Location": [{"Language": "en", "Uri": f"{REGISTRY}.json"}]},
            f"{REGISTRY}.json": lambda: registry(IDRAC, {"Readonly": False}),
            JOBS: lambda: collection(JOBS, list(self._jobs.values())),
            INVENTORY: lambda: collection(INVENTORY, self._inventory()),
        }
        if path in documents:
            return Reply(200, documents[path]())
        folder, _, last = path.rpartition("/")
        if folder == JOBS and last in self._jobs:
            return Reply(200, self._jobs[last])
        return error(404, f"The resource at the URI {path} was not found")

    def _patch(self, path: str, body: Document) -> Reply:
        if path not in {SETTINGS, ATTRIBUTES}:
            return error(405, f"PATCH is not allowed on {path}")
        wanted = body.get("Attributes")
        if not isinstance(wanted, dict) or not wanted:
            return error(400, "The property Attributes is required")
        if wrong := refused(BIOS if path == SETTINGS else IDRAC, wanted):
            return error(400, *wrong)
        if path == ATTRIBUTES:
            self.attributes.update(wanted)
            return Reply(200, {"@Message.ExtendedInfo": [{"Message": "The request completed successfully."}]})
        return self._schedule(wanted, body.get("@Redfish.SettingsApplyTime"))

    def _schedule(self, wanted: Document, when: object) -> Reply:
        """Keep BIOS settings until a restart; with a time to apply them, create a job too."""
        if any(job["JobState"] == "Scheduled" for job in self._jobs.values()):
            return error(503, "A BIOS job is already scheduled; delete it, or restart the server")
        if when is not None and (not isinstance(when, dict) or when.get("ApplyTime") not in APPLY_TIMES):
            return error(400, f"ApplyTime takes {', '.join(APPLY_TIMES)}")
        self._pending.update(wanted)
        return Reply(200, {}) if when is None else self._job()

    def _job(self) -> Reply:
        identifier = f"JID_{700_000_000_000 + len(self._jobs)}"
        self._jobs[identifier] = {
            "@odata.id": f"{JOBS}/{identifier}",
            "Id": identifier,
            "JobType": "BIOSConfiguration",
            "JobState": "Scheduled",
            "Name": "ConfigBIOS:BIOS.Setup.1-1",
            "PercentComplete": 0,
            "Message": "Task successfully scheduled.",
        }
        return Reply(202, {}, {"Location": f"{JOBS}/{identifier}"})

    def _post(self, path: str, body: Document) -> Reply:
        if path == JOBS:
            if body.get("TargetSettingsURI") != SETTINGS or not self._pending:
                return error(400, "There are no settings to apply")
            return self._job()
        if path == f"{SYSTEM}/Actions/ComputerSystem.Reset":
            return self._reset(str(body.get("ResetType")))
        return error(404, f"The resource at the URI {path} was not found")

    def _reset(self, kind: str) -> Reply:
        if kind not in RESETS:
            return error(400, f"ResetType takes {', '.join(RESETS)}")
        self.on_reset(kind)
        if kind in OFF:
            self.power = "Off"
        else:
            self.restart()
        return Reply(204)

    def _delete(self, path: str, _body: Document) -> Reply:
        folder, _, last = path.rpartition("/")
        if folder == SESSIONS and self._tokens.pop(last, ""):
            return Reply(200, {})
        if folder == JOBS and self._jobs.pop(last, {}):
            self._pending = {}
            return Reply(200, {})
        return error(404, f"The resource at the URI {path} was not found")

    def _root(self) -> Document:
        return {"@odata.id": ROOT, "RedfishVersion": "1.17.0", "Vendor": "Dell", "Name": "Root Service"}

    def _system(self) -> Document:
        return {"@odata.id": SYSTEM, "Id": "System.Embedded.1", "HostName": self.name, "PowerState": self.power}

    def _bios(self) -> Document:
        settings = {"SettingsObject": {"@odata.id": SETTINGS}, "SupportedApplyTimes": list(APPLY_TIMES)}
        return {"@odata.id": f"{SYSTEM}/Bios", "Attributes": dict(self.bios), "@Redfish.Settings": settings}

    def _manager(self) -> Document:
        links = {"Oem": {"Dell": {"DellAttributes": [{"@odata.id": ATTRIBUTES}]}}}
        document = {"@odata.id": MANAGER, "Id": "iDRAC.Embedded.1", "Model": "16G Monolithic", "Links": links}
        return {**document, "FirmwareVersion": self._firmware.get(IDRAC_FIRMWARE, "7.10.50.00")}

    def _inventory(self) -> list[Document]:
        return [
            {
                "@odata.id": f"{INVENTORY}/Installed-{number}",
                "Id": f"Installed-{number}",
                "Name": name,
                "Version": version,
            }
            for number, (name, version) in enumerate(self._firmware.items())
        ]


def collection(path: str, members: list[Document]) -> Document:
    """Return a collection with its members in full, as `$expand` gives them."""
    return {"@odata.id": path, "Members": members, "Members@odata.count": len(members)}


def registry(known: dict[str, Attribute], more: Document) -> Document:
    """Return an attribute registry."""
    return {"RegistryEntries": {"Attributes": [each.entry(**more) for each in known.values()]}}
