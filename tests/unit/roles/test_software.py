"""What the roles of GPUs, containers, Kubernetes and storage write is what the programs that read it take."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from rackproof.paths import ROOT
from rackproof.render.managed_files import live_settings, managed_files
from tests.conftest import NO_SYSTEMD
from tests.unit.roles.inventory_variables import GPU_SERVER, HOSTS

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

MOUNTSTATS = """device tmpfs mounted on /run with fstype tmpfs
device systemd-1 mounted on /mnt/scale-out with fstype autofs
device 10.20.0.24:/ifs mounted on /mnt/scale-out with fstype nfs4 statvers=1.1
\topts:\trw,vers=4.1,rsize=1048576,wsize=1048576,proto=rdma,port=20049
\txprt:\trdma 0 0 1 0 1 40 40 0 40 0 0 0 0 0 0 0 0 0
device 10.20.0.30:/home mounted on /mnt/home with fstype nfs4 statvers=1.1
\txprt:\ttcp 0 0 1 0 10 50 50 0 50 0 2 0 0
"""


def module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "playbooks" / "plugins" / "modules" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def written(role: str, host: str = "gpu-server") -> dict[str, str]:
    return {file.path: file.content for file in managed_files(ROOT / "roles" / role, HOSTS[host])}


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason=NO_SYSTEMD)
def test_systemd_takes_the_mounts(tmp_path: Path) -> None:
    units = {path.rpartition("/")[2]: text for path, text in written("storage_client").items() if "/system/" in path}
    for name, text in units.items():
        (tmp_path / name).write_text(text)
    places = [str(tmp_path / name) for name in units]

    done = subprocess.run(["systemd-analyze", "verify", *places], capture_output=True, text=True, check=False)

    assert r"mnt-scale\x2dout.automount" in units
    assert not [line for line in done.stderr.splitlines() if any(name in line for name in units)], done.stderr
    assert done.returncode == 0, done.stderr


def test_a_unit_that_systemd_refuses_is_seen(tmp_path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        pytest.skip(NO_SYSTEMD)
    unit = tmp_path / "mnt-other.mount"
    unit.write_text(written("storage_client")["/etc/systemd/system/mnt-home.mount"])

    done = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False)

    assert "Where= setting doesn't match unit name" in done.stderr


def test_storage_asks_for_the_transport_that_was_planned() -> None:
    mounts = [one for one in live_settings(ROOT / "roles" / "storage_client", GPU_SERVER) if one["kind"] == "mount"]
    modules = module("nfs_mounts")
    found = modules.transports(MOUNTSTATS)

    assert found == {"/mnt/scale-out": ("10.20.0.24:/ifs", "rdma"), "/mnt/home": ("10.20.0.30:/home", "tcp")}
    assert [modules.unlike(mount, found) for mount in mounts] == ["", ""]
    over_tcp = modules.transports(MOUNTSTATS.replace("xprt:\trdma", "xprt:\ttcp"))
    assert modules.unlike(mounts[0], over_tcp) == "/mnt/scale-out: expected transport rdma, actual tcp"
    assert modules.unlike(mounts[0], {}) == "/mnt/scale-out is not mounted"


def test_direct_storage_only_where_its_module_works() -> None:
    doca = {**GPU_SERVER, "rdma_stack_provider": "doca-ofed"}
    folder = ROOT / "roles" / "storage_client"

    assert "/etc/cufile.json" not in written("storage_client")
    files = {file.path: file.content for file in managed_files(folder, doca)}
    assert "nvidia-fs" in files["/etc/modules-load.d/60-rackproof-storage.conf"]
    assert json.loads(files["/etc/cufile.json"])["properties"]["allow_compat_mode"] is True


def test_containers_are_in_systemds_groups() -> None:
    document: Any = tomllib.loads(written("container_runtime")["/etc/containerd/config.toml"])

    cri = document["plugins"]["io.containerd.grpc.v1.cri"]
    assert cri["containerd"]["runtimes"]["runc"]["options"] == {"SystemdCgroup": True}
    assert document["imports"] == ["/etc/containerd/conf.d/*.toml"]


@pytest.mark.parametrize(
    ("asked", "found", "problems"),
    [
        ({}, {}, []),
        ({"version": "570.133.20"}, {}, ["driver: expected 570.133.20, actual 570.195.03"]),
        ({"count": 8}, {"count": 7}, ["GPUs that respond: expected 8, actual 7"]),
        ({"fabric_manager": True}, {}, []),
        (
            {"fabric_manager": True},
            {"fabric_manager": "570.172.08"},
            ["fabric manager: expected 570.195.03, actual 570.172.08"],
        ),
    ],
)
def test_a_wrong_driver_is_told(asked: dict[str, object], found: dict[str, object], problems: list[str]) -> None:
    expected = {"version": "570.195.03", "count": 8, "fabric_manager": False, **asked}
    state = {"version": "570.195.03", "count": 8, "fabric_manager": "570.195.03", "said": "", **found}

    assert module("gpu_state").problems(expected, state) == problems


@pytest.mark.parametrize(
    ("said", "expected", "same"),
    [
        ("32.44.1036 (DEL0000000033)", "32.44.1036", True),
        ("32.43.2026 (DEL0000000033)", "32.44.1036", False),
        ("229.2.59.0/pkg 229.2.61.0", "229.2.61", True),
        ("", "1", False),
    ],
)
def test_firmware_is_read_in_its_drivers_words(said: str, expected: str, same: bool) -> None:  # noqa: FBT001 a table
    assert module("firmware_levels").is_as_expected(said, expected) is same
