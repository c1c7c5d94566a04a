"""access.yaml, as-built.yaml and waivers.yaml are read like site files: all errors at once, each with its place."""

from __future__ import annotations

import os
import socket
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
import yaml12

from rackproof.connect.access import load_access
from rackproof.errors import BadInputError, SiteErrors
from rackproof.render.yaml_text import yaml_text
from rackproof.site.access import Access, CredentialReference, DeviceAccess
from rackproof.site.as_built import AsBuilt, AsBuiltPort, AsBuiltServer, load_as_built
from rackproof.site.load import load_site
from rackproof.site.model_file import is_as_written
from rackproof.site.schema_errors import NAME
from rackproof.site.waivers import load_waivers

if TYPE_CHECKING:
    from collections.abc import Callable

READERS: Final[dict[str, Callable[[Path], object]]] = {
    "access.yaml": load_access,
    "as-built.yaml": load_as_built,
    "waivers.yaml": partial(load_waivers, checks={"pcie/link-width"}),
    "site.yaml": load_site,
}
BOMB: Final = "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 20))

ACCESS: Final = """\
devices:
  leaf-01: {host: -oProxyCommand=touch, user: admin, password: hunter2}
  leaf-02:
    user: "{{ lookup('pipe', 'id') }}"
    port: 99999
    passwort: {env: LEAF}
    host: 192.0.2.2
  leaf-02: {host: 192.0.2.3, user: admin}
  Leaf 3: {host: 192.0.2.4, user: admin, private_key: {env: A, file: b}}
"""
AS_BUILT: Final = """\
servers:
  gpu-001:
    serial: AAA
    serial: BBB
    ports:
      rail0: {pci_address: "00:1A", device_id: "15b3:1021", rdma_device: "mlx5_0; id", slot: "1"}
"""
WAIVERS: Final = """\
waivers:
  - {check: pcie/link-width, subject: "gpu-001:*", who: "", why: cable, until: next week}
  - {check: pcie/link-width, subject: "*", who: x, why: y, until: 2027-01-31, until: 2030-01-31}
"""


def refusal(name: str, path: Path) -> BadInputError:
    with pytest.raises(BadInputError) as caught:
        READERS[name](path)
    return caught.value


def messages(name: str, path: Path) -> list[str]:
    error = refusal(name, path)
    assert isinstance(error, SiteErrors), error.message
    assert all(one.place and one.place.file == path for one in error.errors)
    return [f"{one.place.line}:{one.place.column} {one.message}" for one in error.errors if one.place]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "access.yaml",
            ACCESS,
            [
                "2:19 host is not a host name or an IP address",
                "2:64 password must be a mapping (key: value), not '...'",
                "4:11 user is not a user name: letters, digits and _.@-, no dash or dot first",
                "5:11 port must be from 1 to 65535, not '...'",
                "6:5 passwort is not a key of leaf-02",
                "8:3 the key leaf-02 is set twice",
                f"9:3 'Leaf 3' {NAME}",
                "9:42 private_key: give exactly one of env, file and pulumi",
            ],
        ),
        (
            "as-built.yaml",
            AS_BUILT,
            [
                "4:5 the key serial is set twice",
                "6:28 '00:1A' is not a PCI address such as 0000:1a:00.0",
                "6:74 'mlx5_0; id' is not the name of a device or port: letters, digits and _.-, 64 characters at most",
                "6:94 slot must be a whole number, not '1'",
            ],
        ),
        (
            "waivers.yaml",
            WAIVERS,
            [
                "2:57 who is empty: at least one is needed",
                "2:80 until must be a date, not 'next week'",
                "3:79 the key until is set twice",
            ],
        ),
    ],
)
def test_all_errors_at_once(name: str, text: str, expected: list[str], tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)

    assert messages(name, path) == expected


@pytest.mark.parametrize(
    "text",
    [
        ACCESS,
        "devices: {leaf-01: {password: *hunter2}}",
        "devices: {leaf-01: {password: !hunter2 x}}",
        "%hunter2\n---\n",
        "devices: {leaf-01: {password: {hunter2}}}",
        "devices: {leaf-01: {host: h, user: u, password: {env: 'hunter2 '}}}",
        "devices:\n  leaf-01:\n    password: hunter2\n    password: hunter2\n",
        "hunter2",
        "- hunter2",
    ],
)
def test_no_value_of_access_yaml_is_repeated(text: str, tmp_path: Path) -> None:
    path = tmp_path / "access.yaml"
    path.write_text(text)

    error = refusal("access.yaml", path)

    assert isinstance(error, SiteErrors)
    shown = [f"{one.message} {one.hint} {one.place.text if one.place else ''}" for one in error.errors]
    assert shown
    assert "hunter2" not in f"{error.message} {error.hint} {shown}"


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BOMB, "with aliases expanded"),
        ("[" * 1000, "nested too deeply"),
        ("- " * 100_000, "nested too deeply"),
        ("a: &a\n  b: *a\n", "the alias refers to a value that contains it"),
        ("a: 1\x00\n", "the character U+0000 is not allowed"),
        ("a: 1\n---\na: 2\n", "a second YAML document begins here"),
        ("a: [", "the file ends here"),
        ("a: 1\na: 2\n", "the key a is set twice"),
    ],
    ids=["bomb", "deep-flow", "deep-block", "circle", "nul", "two-documents", "cut-off", "duplicate"],
)
def test_hostile_yaml_is_refused_at_its_place(name: str, text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)

    assert any(said in one for one in messages(name, path)), messages(name, path)


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(os.path.relpath(path))


def make_huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(100 << 20)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize(
    ("make", "said"),
    [
        (make_pipe, "is a named pipe, not a file"),
        (make_socket, "is a socket, not a file"),
        (lambda path: path.symlink_to("/dev/zero"), "is a device, not a file"),
        (Path.mkdir, "is a folder"),
        (make_huge, "is larger than such a file can be"),
        (lambda path: path.write_bytes(b"a: \xff\n"), "is no UTF-8 text: byte 0xff in line 1"),
        (lambda path: path.symlink_to(path.name), "cannot read"),
    ],
    ids=["pipe", "socket", "device", "folder", "huge", "encoding", "loop"],
)
def test_what_is_no_text_file_is_refused_at_once(
    name: str, make: Callable[[Path], None], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / name
    make(path)
    found: list[BadInputError] = []
    thread = threading.Thread(target=lambda: found.append(refusal(name, path)), daemon=True)

    thread.start()
    thread.join(timeout=20)

    assert [said in error.message for error in found] == [True], [error.message for error in found]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert load_as_built(tmp_path / "none.yaml") == AsBuilt()
    assert load_waivers(tmp_path / "none.yaml", ()) == ()
    assert "`rackproof lab up <site>`" in refusal("access.yaml", tmp_path / "none.yaml").hint


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "{}\n"])
def test_an_empty_file(text: str, tmp_path: Path) -> None:
    path = tmp_path / "some.yaml"
    path.write_text(text)

    assert load_as_built(path) == AsBuilt()
    assert load_waivers(path, ()) == ()
    assert messages("access.yaml", path) == ["1:1 the key devices is missing at the top of the file"]


PORT: Final = AsBuiltPort(pci_address="0000:1a:00.0", device_id="15b3:1021", slot=3, rdma_device="mlx5_0")
RECORD: Final = AsBuilt(
    servers={"gpu-001": AsBuiltServer(serial="S 1", ports={"rail0": PORT}), "gpu-002": AsBuiltServer()}
)
DEVICES: Final = Access(
    devices={
        "leaf-01": DeviceAccess(
            host="127.0.0.1",
            port=2201,
            user="admin",
            host_key="ssh-ed25519 AAAA+/=",
            password=CredentialReference(file="password"),
        ),
        "gpu-001-bmc": DeviceAccess(
            host="bmc.example.com",
            user="root",
            password=CredentialReference(env="BMC"),
            certificates="trust/bmc.pem",
        ),
    }
)


def test_what_the_commands_write_is_read_fast_and_the_same(tmp_path: Path) -> None:
    record, access = tmp_path / "as-built.yaml", tmp_path / "access.yaml"
    record.write_text("# found\n" + yaml_text(RECORD.model_dump(mode="json")))
    access.write_text(yaml12.format_yaml(DEVICES.model_dump(mode="json", exclude_none=True)))

    assert is_as_written(record.read_text())
    assert is_as_written(access.read_text())
    assert load_as_built(record) == RECORD
    assert load_access(access).access == DEVICES


@pytest.mark.parametrize(
    "text",
    ["", "a: 1\na: 2\n", "a:\n  b: 1\n  b: 2\n", 'a: 1\n"a": 2\n', "a: &a 1\n", "a: *a\n", "a: [1]\n", "- a\n",
     "a: b: c\n", "a: |\n  b\n", "a: !!str b\n", "a: 'x\n  y'\n", "a: 1 # b\n", 'a: "\\n"\n', "a\n", "a: é\n",
     "a: 1\r\n", "%a\n", "---\n", "".join(f"{' ' * i}a:\n" for i in range(20))],
)  # fmt: skip
def test_what_else_a_file_holds_is_read_with_positions(text: str) -> None:
    assert not is_as_written(text)
