"""Management controllers of a running lab: reached as access.yaml says, over TLS, and broken by a fault."""

from __future__ import annotations

import asyncio
import base64
import json
import ssl
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any, Final

import asyncssh
import pytest
from yaml12 import parse_yaml

from lab.daemon.access_file import write_access
from lab.daemon.daemon import Daemon
from lab.daemon.running_lab import RunningLab
from lab.errors import LabError
from lab.fabric.fabric import Fabric
from lab.folder import LabFolder
from lab.hosts.image import Image
from lab.hosts.machine import HostSpec
from lab.hosts.redfish.controller import SETTINGS, SYSTEM
from lab.hosts.virtual_machine import VirtualMachine
from lab.spec.models import LabSite
from rackproof.site.access import Access, DeviceAccess

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PASSWORD: Final = "secret-of-the-lab"
HOSTS: Final = (
    HostSpec("gpu-001", "Dell", "PowerEdge XE9680", (), controller="iDRAC9"),
    HostSpec("gpu-002", "Another", "Server", (), controller="OpenBMC"),
    HostSpec("scale-001", "Dell", "PowerScale F710", (), kind="storage"),
)


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> LabFolder:
    folder = LabFolder(tmp_path)
    asyncssh.generate_private_key("ssh-ed25519").write_private_key(folder.user_key)
    return folder


@pytest.fixture(name="lab")
def _lab(folder: LabFolder) -> Iterator[RunningLab]:
    lab = RunningLab(LabSite("site", {}), PASSWORD)
    image = Image(folder.path)
    wires = Fabric("none", lab.site)
    lab.hosts = {one.name: VirtualMachine(one, folder.host(one.name), image, wires, folder.user_key) for one in HOSTS}
    for machine in lab.hosts.values():
        machine.port = 22022  # as if it ran
    asyncio.run(lab.controllers.start(lab.hosts.values(), PASSWORD, folder.controllers))
    yield lab
    asyncio.run(lab.controllers.stop())


def lab_access(lab: RunningLab, folder: LabFolder) -> dict[str, DeviceAccess]:
    write_access(folder, Daemon(lab).status())
    return Access.model_validate(parse_yaml(folder.access.read_text("utf-8"))).devices


def asked(entry: DeviceAccess, folder: LabFolder, path: str, method: str = "GET", **body: object) -> Any:  # noqa: ANN401 JSON
    """Ask as a client does that has nothing but access.yaml."""
    trusted = ssl.create_default_context(cafile=folder.path / str(entry.certificates))
    login = base64.b64encode(f"{entry.user}:{PASSWORD}".encode()).decode()
    request = urllib.request.Request(
        f"https://{entry.host}:{entry.port}{path}",
        method=method,
        headers={"Authorization": f"Basic {login}"},
        data=json.dumps(body).encode() if body else None,
    )
    with urllib.request.urlopen(request, context=trusted, timeout=5) as answer:  # noqa: S310 https
        return json.loads(answer.read() or "{}")


def test_access_yaml_leads_to_the_fake_controllers(lab: RunningLab, folder: LabFolder) -> None:
    devices = lab_access(lab, folder)

    assert [name for name in devices if name.endswith("-bmc")] == ["gpu-001-bmc"]
    entry = devices["gpu-001-bmc"]
    assert asked(entry, folder, SYSTEM)["HostName"] == "gpu-001"
    assert entry.password is not None
    assert entry.password.file == folder.password.name
    assert PASSWORD not in folder.access.read_text("utf-8")
    assert "bios_settings" in Daemon(lab).status().simulated_facts[""]


def test_settings_that_wait_take_effect_when_the_server_starts(lab: RunningLab, folder: LabFolder) -> None:
    entry = lab_access(lab, folder)["gpu-001-bmc"]
    asked(entry, folder, SETTINGS, "PATCH", Attributes={"SysProfile": "PerfOptimized"})

    assert asked(entry, folder, f"{SYSTEM}/Bios")["Attributes"]["SysProfile"] == "PerfPerWattOptimizedDapc"
    lab.hosts["gpu-001"].on_boot()
    assert asked(entry, folder, f"{SYSTEM}/Bios")["Attributes"]["SysProfile"] == "PerfOptimized"


def test_nobody_answers_once_the_lab_is_down(folder: LabFolder, lab: RunningLab) -> None:
    entry = lab_access(lab, folder)["gpu-001-bmc"]
    asyncio.run(lab.controllers.stop())

    with pytest.raises(urllib.error.URLError, match="Connection refused"):
        asked(entry, folder, SYSTEM)


def test_a_bios_drifts_and_is_put_back(lab: RunningLab, folder: LabFolder) -> None:
    entry = lab_access(lab, folder)["gpu-001-bmc"]

    def setting() -> str:
        return str(asked(entry, folder, f"{SYSTEM}/Bios")["Attributes"]["LogicalProc"])

    drift = {"host": "gpu-001", "attribute": "LogicalProc", "value": "Disabled"}
    asyncio.run(lab.inject("bios-drift", drift))
    drifted = setting()
    asyncio.run(lab.clear("bios-drift"))

    assert (drifted, setting()) == ("Disabled", "Enabled")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"host": "scale-001"}, "scale-001 has no management controller"),
        ({"host": "gpu-001", "attribute": "Colour", "value": "red"}, "Colour is not an attribute"),
        ({"host": "gpu-001", "value": "Fast"}, "SysProfile takes PerfPerWattOptimizedDapc, "),
    ],
)
def test_a_drift_that_no_bios_has_is_refused(lab: RunningLab, parameters: dict[str, str], message: str) -> None:
    with pytest.raises(LabError, match=message):
        asyncio.run(lab.inject("bios-drift", parameters))
