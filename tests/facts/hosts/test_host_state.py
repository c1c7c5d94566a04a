"""The script that hosts run: on a recorded machine, and on this one."""

from __future__ import annotations

import json
import subprocess
import sys
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import pytest

from rackproof.paths import HOST_STATE

if TYPE_CHECKING:
    from pathlib import Path

RECORDED: Final = {
    "proc/sys/vm/nr_hugepages": "0\n",
    "proc/sys/net/ipv4/tcp_rmem": "4096\t131072\t6291456\n",
    "proc/cmdline": "BOOT_IMAGE=/vmlinuz root=/dev/sda1 iommu=off quiet\n",
    "proc/modules": "rdma_rxe 196608 0 - Live 0x0\n",
    "proc/mounts": "10.20.1.11:/ifs /mnt/scale nfs4 rw,vers=4.1,proto=rdma,port=20049 0 0\n",
    "sys/devices/pci0000:16/0000:16:01.0/0000:1a:00.0/net/ens5/mtu": "1500\n",
    "sys/class/infiniband/rdma_rail0/parent": "ens5\n",
}
COMMANDS: Final = {
    "ip": {
        "address": [
            {
                "ifname": "ens5",
                "address": "02:00:00:00:00:99",
                "permaddr": "02:00:00:00:00:01",
                "master": "bond0",
                "addr_info": [{"local": "10.10.0.12", "prefixlen": 24}],
            },
        ],
        "rule": [{"priority": 32764, "src": "10.10.0.11", "table": "100"}],
        "route": [{"dst": "default", "gateway": "10.10.0.1", "dev": "ens5", "table": "100", "protocol": "static"}],
    },
    "dpkg-query": "ii  570.195.03-0ubuntu1",
    "systemctl": "LoadState=loaded\nActiveState=active\nUnitFileState=disabled",
}


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    for name, text in RECORDED.items():
        path = tmp_path / "root" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    device = tmp_path / "root/sys/devices/pci0000:16/0000:16:01.0/0000:1a:00.0"
    (device / "net/ens5/device").symlink_to(device)
    (tmp_path / "root/sys/class/net").mkdir(parents=True)
    (tmp_path / "root/sys/class/net/ens5").symlink_to(device / "net/ens5")
    write_commands(tmp_path / "bin")
    return tmp_path


def write_commands(folder: Path) -> None:
    folder.mkdir()
    answers = "\n".join(f"{name}) echo '{json.dumps(answer)}';;" for name, answer in COMMANDS["ip"].items())  # type: ignore[attr-defined]
    texts = {"ip": f'#!/bin/sh\ncase "$2" in\n{answers}\nesac\n'}
    texts |= {name: f"#!/bin/sh\necho '{COMMANDS[name]}'\n" for name in ("dpkg-query", "systemctl")}
    for name, text in {**texts, "stuck": "#!/bin/sh\nexec sleep 60\n"}.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)


def asked(machine: Path, **question: Any) -> list[dict[str, Any]]:  # noqa: ANN401 JSON
    text = json.dumps({"root": str(machine / "root"), **question})
    done = subprocess.run(
        [sys.executable, str(HOST_STATE)], input=text, capture_output=True, text=True, check=True,
        env={"PATH": f"{machine / 'bin'}:/usr/bin:/bin"},
    )  # fmt: skip
    assert done.stderr == ""
    differences: list[dict[str, Any]] = json.loads(done.stdout)["differences"]
    return differences


HELD: Final = [
    {"kind": "sysctl", "name": "vm.nr_hugepages", "value": "0"},
    {"kind": "sysctl", "name": "net.ipv4.tcp_rmem", "value": "4096 131072 6291456"},
    {"kind": "link", "name": "ens5", "pci_address": "0000:1a:00.0", "mtu_bytes": 1500},
    {"kind": "link", "name": "ens5", "mac_address": "02:00:00:00:00:01"},
    {"kind": "link", "name": "ens5", "pci_address": "0000:1a:00.0", "mac_address": "02:00:00:00:00:01"},
    {"kind": "address", "link": "ens5", "address": "10.10.0.12/24"},
    {"kind": "rule", "from": "10.10.0.11", "table": 100},
    {"kind": "route", "to": "default", "table": 100, "gateway": "10.10.0.1", "link": "ens5"},
    {"kind": "rdma_device", "name": "rdma_rail0", "link": "ens5"},
    {"kind": "mount", "path": "/mnt/scale", "source": "10.20.1.11:/ifs", "options": ["proto=rdma"]},
    {"kind": "service", "name": "chrony.service", "active": True},
    {"kind": "package", "name": "nvidia-driver", "version": "570.195"},
    {"kind": "module", "name": "rdma-rxe"},
    {"kind": "kernel_argument", "name": "iommu=off"},
    {"kind": "command", "argv": ["echo", "one"], "output": "one"},
    {"kind": "sysctl", "name": "no.such", "value": "1", "needs": "/proc/no/such"},
]


@pytest.mark.parametrize("item", HELD, ids=lambda item: f"{item['kind']} {item.get('name', '')}")
def test_what_a_machine_holds_differs_in_nothing(machine: Path, item: dict[str, Any]) -> None:
    assert asked(machine, live=[item]) == []


WRONG: Final = [
    ({"kind": "sysctl", "name": "vm.nr_hugepages", "value": 8}, ("value", "8", "0")),
    ({"kind": "sysctl", "name": "no.such", "value": 1}, ("value", "1", None)),
    ({"kind": "link", "name": "rail0", "pci_address": "0000:1a:00.0"}, ("name", "rail0", "ens5")),
    ({"kind": "link", "name": "ens5", "mtu_bytes": 9000}, ("mtu_bytes", 9000, 1500)),
    ({"kind": "address", "link": "ens5", "address": "10.10.0.11/24"}, ("address", "10.10.0.11/24", "10.10.0.12/24")),
    ({"kind": "rule", "from": "10.10.0.11", "table": 101}, ("table", "101", "100")),
    ({"kind": "route", "table": 100, "gateway": "10.10.0.9"}, ("route", "via 10.10.0.9", "via 10.10.0.1 on ens5")),
    ({"kind": "route", "table": 100, "link": "ens"}, ("route", "on ens", "via 10.10.0.1 on ens5")),
    ({"kind": "rdma_device", "name": "rdma_rail1"}, ("name", "rdma_rail1", None)),
    ({"kind": "mount", "path": "/mnt/scale", "options": ["vers=4.2"]}, ("option vers=4.2", True, False)),
    ({"kind": "mount", "path": "/mnt/other"}, ("mounted", True, False)),
    ({"kind": "service", "name": "chrony.service", "enabled": True}, ("enabled", True, False)),
    ({"kind": "package", "name": "nvidia-driver", "version": "580"}, ("version", "580", "570.195.03-0ubuntu1")),
    ({"kind": "module", "name": "nvidia_peermem"}, ("loaded", True, False)),
    ({"kind": "kernel_argument", "name": "iommu=pt"}, ("argument", "iommu=pt", "iommu=off")),
]


@pytest.mark.parametrize(("item", "expected"), WRONG, ids=lambda part: part["kind"] if isinstance(part, dict) else "")
def test_what_differs_is_told(machine: Path, item: dict[str, Any], expected: tuple[Any, ...]) -> None:
    (found,) = asked(machine, live=[item])

    assert (found["key"], found["expected"], found["found"]) == expected


def test_an_adapter_that_is_not_there_is_no_setting(machine: Path) -> None:
    (found,) = asked(machine, live=[{"kind": "link", "name": "ens5", "pci_address": "0000:3b:00.0"}])

    assert found["absent"] == "no network adapter at PCI 0000:3b:00.0; ens5 is at PCI 0000:1a:00.0"


def test_another_adapter_in_the_same_place_is_no_setting(machine: Path) -> None:
    recorded = {"name": "ens5", "pci_address": "0000:1a:00.0", "mac_address": "02:00:00:00:00:02"}

    (found,) = asked(machine, live=[{"kind": "link", **recorded}])

    assert found["absent"] == (
        "the adapter at PCI 0000:1a:00.0 is another one: its MAC is 02:00:00:00:00:01, not 02:00:00:00:00:02"
    )


def test_a_look_that_fails_leaves_the_others(machine: Path) -> None:
    items = [
        {"kind": "command", "argv": ["no-such-command"], "output": ""},
        {"kind": "unheard-of", "name": "x"},
        {"kind": "sysctl"},
        {"kind": "limit", "item": "nonsense", "value": "1"},
        {"kind": "sysctl", "name": "vm.nr_hugepages", "value": "1"},
    ]

    found = asked(machine, live=items)

    assert [one.get("error", "") != "" for one in found] == [True, True, True, True, False]


@pytest.mark.slow
def test_a_look_is_bounded(machine: Path) -> None:
    (found,) = asked(machine, live=[{"kind": "command", "argv": ["stuck"], "output": ""}])

    assert found["error"] == "`stuck` did not answer within 5 s"


def test_files_are_compared_by_text_mode_and_owner(machine: Path) -> None:
    path = machine / "root/etc/ports.conf"
    path.parent.mkdir()
    path.write_text("mtu=1500\n")
    path.chmod(0o600)
    digest = sha256(b"mtu=1500\n").hexdigest()
    other = {"sha256": "0", "mode": "0644", "owner": "nobody"}

    assert [one["key"] for one in asked(machine, files={"/etc/ports.conf": {**other, "sha256": digest}})] == [
        "mode",
        "owner",
    ]
    (missing,) = asked(machine, files={"/etc/none.conf": other})
    assert (missing["key"], missing["found"]) == ("sha256", None)
    (left,) = asked(machine, files={}, owned=["/etc/p*.conf"])
    assert (left["name"], left["key"]) == ("/etc/ports.conf", "left over")


def test_a_text_is_shown_only_where_everybody_may_read_it(machine: Path) -> None:
    path = machine / "root/etc/ports.conf"
    path.parent.mkdir()
    path.write_text("mtu=1500\n")
    shown = []
    for mode in (0o644, 0o640):
        path.chmod(mode)
        wanted = {"sha256": "0", "mode": f"{mode:04o}", "owner": "root"}
        found = asked(machine, files={"/etc/ports.conf": wanted})
        shown.append(next(one for one in found if one["key"] == "sha256")["text"])

    assert shown == ["mtu=1500\n", None]
