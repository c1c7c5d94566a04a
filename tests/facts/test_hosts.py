"""What a server says of its ports, from its files to slots and addresses."""

from __future__ import annotations

import base64
import inspect
import json
import struct
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from rackproof.facts.hosts.ports import FoundPort, FoundServer, parse_ports
from rackproof.facts.hosts.smbios import Slot, memory_modules, serial_number, system_slots
from rackproof.facts.scripts import gather_ports
from rackproof.facts.scripts.gather_ports import gather
from tests.facts.machine import NETXTREME, THOR, VIRTIO, Machine, slot, smbios, structure, system, xe9680

if TYPE_CHECKING:
    from pathlib import Path


def found_in(machine: Machine) -> FoundServer:
    return parse_ports(json.dumps(gather(str(machine.root))))


def test_slots_have_the_number_that_is_printed() -> None:
    table = smbios("A1", {38: "0000:1a:00.0", 7: "0001:c0:02.1"})

    assert serial_number(table) == "A1"
    assert system_slots(table) == (Slot(38, "0000:1a:00.0"), Slot(7, "0001:c0:02.1"))


def test_a_slot_without_a_number_in_its_words_has_its_id() -> None:
    assert system_slots(slot(5, "0000:41:00.0", "Riser") + structure(127, 1, b"")) == (Slot(5, "0000:41:00.0"),)


def test_slots_without_an_address_are_passed_over() -> None:
    empty = slot(3, "0000:ff:1f.7", "PCIe Slot 3")
    of_version_2_1 = structure(9, 2, bytes(9), "PCI1")

    assert system_slots(system("A1") + empty + of_version_2_1 + slot(4, "0000:42:00.0", "PCIe Slot 4")) == (
        Slot(4, "0000:42:00.0"),
    )


def test_memory_is_counted_however_its_size_is_written() -> None:
    def module(size: int, extended: int) -> bytes:
        body = bytearray(0x24)
        struct.pack_into("<H", body, 0x0C - 4, size)
        struct.pack_into("<I", body, 0x1C - 4, extended)
        struct.pack_into("<H", body, 0x20 - 4, 5600)
        return structure(17, 0x1100, bytes(body))

    table = b"".join(
        [module(0x7FFF, 98304), module(16384, 0), module(0x8000 | 2048, 0), module(0, 0), module(0xFFFF, 0)]
    )

    assert [(one.size_mib, one.speed_mts) for one in memory_modules(table)] == [(98304, 5600), (16384, 5600), (2, 5600)]


@pytest.mark.parametrize("table", [b"", b"\x09", b"\x09\x02\0\0\0\0", smbios("A1", {38: "0000:1a:00.0"})[:60]])
def test_a_table_that_is_cut_off_ends_there(table: bytes) -> None:
    assert system_slots(table) == ()


def test_ports_are_found_by_slot(tmp_path: Path) -> None:
    found = found_in(xe9680(tmp_path))

    assert found.serial == "7XK9QW1"
    by_place = {(port.slot, port.port): port for port in found.ports}
    assert len(by_place) == len(found.ports) == 18
    assert by_place[38, 1] == FoundPort(
        "ens38f1np1", 38, 1, "0000:1a:00.1", "02:00:00:01:26:01", 0, "bnxt_re13", "14e4:1760"
    )
    assert by_place[31, 0].rdma_device is None


def test_an_adapter_behind_the_bridge_that_the_firmware_names(tmp_path: Path) -> None:
    machine = Machine(tmp_path, slots={2: "0000:16:01.0"})
    machine.firmware("SLOT {}")
    machine.adapter("ens2f0", "0000:17:00.0", "02:00:00:00:00:01", NETXTREME, above="0000:16:01.0")
    machine.adapter("ens2f1", "0000:17:00.1", "02:00:00:00:00:02", NETXTREME, above="0000:16:01.0")
    machine.adapter("eno1", "0000:00:1f.6", "02:00:00:00:00:03", THOR)

    assert [(port.interface, port.slot, port.port) for port in found_in(machine).ports] == [
        ("eno1", None, 0),
        ("ens2f0", 2, 0),
        ("ens2f1", 2, 1),
    ]


def test_members_of_a_bond_keep_their_own_address(tmp_path: Path) -> None:
    machine = xe9680(tmp_path)
    machine.file("sys/class/net/eno1/address", "02:00:00:01:1f:00")
    machine.file(
        "proc/net/bonding/frontend-bond0",
        "Bonding Mode: IEEE 802.3ad Dynamic link aggregation\n\nSlave Interface: eno0\nMII Status: up\n"
        "Permanent HW addr: 02:00:00:01:1f:00\n\nSlave Interface: eno1\nPermanent HW addr: 02:00:00:01:1f:01",
    )

    assert [port.mac_address for port in found_in(machine).ports if port.slot == 31] == [
        "02:00:00:01:1f:00",
        "02:00:00:01:1f:01",
    ]


def test_soft_rdma_devices_belong_to_the_interface_they_run_over(tmp_path: Path) -> None:
    machine = Machine(tmp_path, slots={32: "0000:9c:00.0"})
    machine.firmware()
    machine.adapter("ens3", "0000:9c:00.0", "02:00:00:00:00:01", VIRTIO)
    machine.file("sys/class/infiniband/rxe0/parent", "ens3")

    assert found_in(machine).ports == (
        FoundPort("ens3", 32, 0, "0000:9c:00.0", "02:00:00:00:00:01", 0, "rxe0", "1af4:1041"),
    )


def test_infiniband_has_no_mac_address_and_perhaps_no_interface(tmp_path: Path) -> None:
    machine = Machine(tmp_path, slots={32: "0000:9c:00.0", 34: "0000:cc:00.0"})
    machine.firmware()
    machine.adapter("ibs32", "0000:9c:00.0", "00:00:10:49:fe:80", ("0x15b3", "0x1021"), "mlx5_0")
    machine.file("sys/class/net/ibs32/type", "32")
    machine.adapter("ibs34", "0000:cc:00.0", "00:00:10:49:fe:80", ("0x15b3", "0x1021"), "mlx5_1")
    for name in ("address", "type", "dev_port", "device"):
        (tmp_path / "sys/class/net/ibs34" / name).unlink()
    (tmp_path / "sys/class/net/ibs34").rmdir()

    assert [(port.interface, port.slot, port.mac_address, port.rdma_device) for port in found_in(machine).ports] == [
        ("ibs32", 32, None, "mlx5_0"),
        ("", 34, None, "mlx5_1"),
    ]


@pytest.mark.parametrize("text", ["", "sudo: a password is required", "[]", '{"interfaces": []}', '{"smbios": 3}'])
def test_what_is_not_the_scripts_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_ports(text)


@pytest.mark.parametrize(
    ("rdma", "mac", "said"),
    [
        ("mlx5_0; touch x", "00:00:10:49:fe:80", "rdma device 'mlx5_0; touch x'"),
        ("mlx5_0", "{{ lookup('pipe', 'id') }}", "mac address"),
    ],
)
def test_values_that_no_kernel_reports_are_refused(rdma: str, mac: str, said: str, tmp_path: Path) -> None:
    machine = Machine(tmp_path, slots={32: "0000:9c:00.0"})
    machine.firmware()
    machine.adapter("eth0", "0000:9c:00.0", mac, ("0x15b3", "0x1021"), rdma)

    with pytest.raises(ValueError, match=said):
        found_in(machine)


def test_a_serial_number_is_one_printable_line() -> None:
    table = base64.b64encode(system("A\x1b[2J1\x07")).decode()

    found = parse_ports(json.dumps({"interfaces": [], "rdma": [], "pci": {}, "members": {}, "smbios": table}))

    assert found.serial == "A?[2J1?"


def test_the_script_needs_nothing_but_the_standard_library() -> None:
    source = inspect.getsource(gather_ports)
    imported = [line.split()[1] for line in source.splitlines() if line.startswith(("import ", "from "))]

    assert set(imported) <= {"__future__", *sys.stdlib_module_names}
    assert subprocess.run([sys.executable, "-I", "-c", source], capture_output=True, check=True).stdout == b""
