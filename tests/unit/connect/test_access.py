"""Which access.yaml holds, what is wrong with it, and how a host key gets into it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rackproof import paths
from rackproof.connect.access import access_file, load_access, record_host_key
from rackproof.errors import BadInputError

TEXT = """\
# reached over the jump network
devices:
  leaf-01: {host: 192.0.2.1, user: admin, password: {env: LEAF_PASSWORD}}   # rack 1
  leaf-02:
    host: 192.0.2.2
    user: admin
    password: {env: LEAF_PASSWORD}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "access.yaml"
    path.write_text(TEXT)
    path.chmod(0o640)
    return path


def test_a_given_file_holds_before_a_lab_and_a_lab_before_the_inventory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "BUILD", tmp_path / "build")
    assert access_file("lyon") == paths.INVENTORY / "lyon" / "access.yaml"
    lab = paths.lab_folder("lyon")
    lab.mkdir(parents=True)
    (lab / "access.yaml").touch()
    assert access_file("lyon") == lab / "access.yaml"
    assert access_file("lyon", Path("mine.yaml")) == Path("mine.yaml")


def test_says_where_a_missing_file_would_come_from(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="there is no") as caught:
        load_access(tmp_path / "access.yaml")
    assert "rackproof lab up" in caught.value.hint


def test_says_which_device_it_does_not_know(file: Path) -> None:
    with pytest.raises(BadInputError, match="does not say how to reach leaf-03"):
        load_access(file).target("leaf-03")


@pytest.mark.parametrize("device", ["leaf-01", "leaf-02"])
def test_records_a_host_key_and_leaves_the_rest_as_it_was(file: Path, device: str) -> None:
    loaded = record_host_key(load_access(file), device, "ssh-ed25519 AAAAkey")
    assert loaded.access.devices[device].host_key == "ssh-ed25519 AAAAkey"
    assert load_access(file) == loaded
    assert "# reached over the jump network" in file.read_text()
    assert "# rack 1" in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in file.parent.iterdir()] == ["access.yaml"]


def test_an_alias_keeps_each_device_its_own_host_key(file: Path) -> None:
    file.write_text("devices:\n  leaf-01: &leaf {host: 192.0.2.1, user: admin}\n  leaf-02: *leaf\n")

    record_host_key(load_access(file), "leaf-02", "ssh-ed25519 AAAAkey")

    keys = {name: device.host_key for name, device in load_access(file).access.devices.items()}
    assert keys == {"leaf-01": None, "leaf-02": "ssh-ed25519 AAAAkey"}
