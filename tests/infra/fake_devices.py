"""Devices that are files, and a kind of resource for them: the provider's own logic without a network.

Run as a program it serves that kind, the way ``infra/provider`` serves the real ones.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from infra.provider.common.kind import InputProblem, Settings
from infra.provider.operations import RackproofProvider
from infra.provider.service import serve
from rackproof.deploy.errors import DisruptionRefusedError, StepError
from rackproof.deploy.events import Progressed, Report, unreported
from rackproof.deploy.protocol import Applied, Change, Disruption, Outcome
from rackproof.errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from infra.provider.common.properties import JsonMap

TOKEN: Final = "rackproof:fake:FileConfig"
SITE: Final = "site-a"
BASE: Final[JsonMap] = {"ports": {}}

Intent = dict[str, Any]


def port_changes(old: Intent, new: Intent) -> tuple[Change, ...]:
    ports = sorted(old["ports"].keys() | new["ports"].keys())
    pairs = [(port, old["ports"].get(port), new["ports"].get(port)) for port in ports]
    return tuple(
        Change(("ports", port), before, after, f"port {port}: {before} → {after}", Disruption.PORT_RESET)
        for port, before, after in pairs
        if before != after
    )


class Folder:
    """Where the devices are; a test looks at them, and changes them by hand, through the same files."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, device: str) -> Intent:
        intent: Intent = json.loads((self.path / f"{device}.json").read_text(encoding="utf-8"))
        return intent

    def write(self, device: str, intent: Intent) -> None:
        (self.path / f"{device}.json").write_text(json.dumps(intent), encoding="utf-8")

    def mark(self, name: str) -> Path:
        return self.path / name


class FileStep:
    """The deploy step of a device that is a file.

    Names give devices their temper: ``refusing`` refuses every change, ``lost`` does and cannot be put right,
    ``in-use`` would interrupt somebody, ``broken`` has a defect in its step, ``slow`` is changed only once the test
    writes into the pipe ``go``, and devices named ``crowd-...`` wait until a hundred are in hand.
    """

    depends_on: tuple[str, ...] = ()
    crowd = asyncio.Barrier(100)

    def __init__(self, name: str, intent: Intent, folder: Folder, report: Report) -> None:
        self.name = name
        self.redundancy_group = name
        self._intent = intent
        self._folder = folder
        self._report = report

    async def read(self) -> Intent:
        return self._folder.read(self.name)

    def diff(self, state: Intent) -> tuple[Change, ...]:
        return port_changes(state, self._intent)

    async def apply(self, changes: tuple[Change, ...]) -> Applied:
        assert changes
        self._report(Progressed(self.name, "writing the file"))
        await self._temper()
        self._folder.write(self.name, self._intent)
        return Applied(pending=("port b: its other end is not deployed",) if "b" in self._intent["ports"] else ())

    async def remove(self) -> Applied:
        self._folder.write(self.name, dict(BASE))
        return Applied()

    async def _temper(self) -> None:
        if self.name == "refusing":
            raise StepError(self.name, "line 3 was refused", Outcome.ROLLED_BACK, "look at the line")
        if self.name == "lost":
            raise StepError(self.name, "line 3 was refused, and so was the way back", Outcome.FAILED)
        if self.name == "in-use":
            raise DisruptionRefusedError(self.name, "not touched, because this would interrupt gpu-001", "--allow")
        if self.name == "broken":
            raise ZeroDivisionError("a defect")
        if self.name.startswith("crowd-"):
            await self.crowd.wait()
        if self.name == "slow":
            self._folder.mark("begun").touch()
            await asyncio.to_thread(self._folder.mark("go").read_bytes)


class FileKind:
    """The resource type of devices that are files."""

    token = TOKEN
    summary = "A file."
    identity = "device"

    def __init__(self, folder: Folder) -> None:
        self._folder = folder

    def input_types(self) -> tuple[dict[str, Any], dict[str, Any]]:
        properties = {"device": {"type": "string"}, "intent": {"type": "object"}}
        return {"properties": properties, "required": ["device", "intent"]}, {}

    def problems(self, inputs: JsonMap) -> Iterator[InputProblem]:
        for port, mtu_bytes in inputs["intent"]["ports"].items():  # type: ignore[index,call-overload,union-attr]
            if not isinstance(mtu_bytes, int):
                yield InputProblem(("intent", "ports", port), "an MTU is a whole number of bytes")

    def claim(self, settings: Settings) -> None:
        pass

    def to_deploy(self, inputs: JsonMap, settings: Settings, report: Report) -> FileStep:
        if settings.site != SITE:
            raise BadInputError(f"there is no site {settings.site}")
        if settings.credentials.get("password") != os.environ.get("FAKE_PASSWORD"):
            raise BadInputError("the password is wrong")
        return FileStep(str(inputs["device"]), inputs["intent"], self._folder, report)  # type: ignore[arg-type]

    def to_find(self, name: str, inputs: JsonMap, settings: Settings) -> FileStep:
        return self.to_deploy(inputs or {"device": name, "intent": BASE}, settings, unreported)

    def found(self, inputs: JsonMap, step: FileStep, state: Intent) -> JsonMap:  # noqa: ARG002 the name will do
        return {"device": step.name, "intent": state}

    def changes(self, old: JsonMap, new: JsonMap) -> tuple[Change, ...]:
        return port_changes(old["intent"], new["intent"])  # type: ignore[arg-type]


if __name__ == "__main__":
    fake = FileKind(Folder(Path(os.environ["FAKE_DEVICES"])))
    serve(sys.argv[1], "1.2.3", lambda progress: RackproofProvider("1.2.3", {fake.token: fake}, progress))
