"""What a host is told about itself, and the command that starts it."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from lab.errors import LabError
from lab.hosts import qemu
from lab.hosts.qemu import Start, command
from lab.hosts.smbios import slot_records
from lab.spec.models import LabEnd
from tests.lab.hosts.conftest import nic

if TYPE_CHECKING:
    from lab.hosts.image import Image
    from lab.hosts.machine import HostSpec

FOLDER: Final = Path("/site/lab/hosts/gpu-001")


def started(host: HostSpec, image: Image, *, restore: bool = False) -> list[str]:
    taps = {one.end: 10 + number for number, one in enumerate(host.nics)}
    return command(Start(host, FOLDER, image, taps, 0, restore))


def arguments(words: list[str], option: str) -> list[str]:
    return [words[place + 1] for place, word in enumerate(words) if word == option]


def test_the_way_in_is_on_loopback_and_leads_nowhere_else(host: HostSpec, image: Image) -> None:
    way_in = arguments(started(host, image), "-netdev")[0]

    assert way_in == "user,id=lab,restrict=on,hostfwd=tcp:127.0.0.1:0-10.0.2.15:22"


def test_every_port_has_its_own_wire_and_address(host: HostSpec, image: Image) -> None:
    words = started(host, image)
    wires = dict(one.removeprefix("tap,id=").split(",fd=") for one in arguments(words, "-netdev")[1:])
    devices = [one for one in arguments(words, "-device") if one.startswith("virtio-net-pci,netdev=nic-")]

    assert wires == {
        "nic-rail0-wire": "10",
        "nic-rail1-wire": "11",
        "nic-frontend0-wire": "12",
        "nic-frontend1-wire": "13",
    }
    assert [f"mac={one.mac}" in device for one, device in zip(host.nics, devices, strict=True)] == [True] * 4


def test_adapters_sit_on_the_buses_of_their_slots(host: HostSpec, image: Image) -> None:
    """Buses 1a and 1b follow each other: behind one expander, which has the number before theirs."""
    devices = arguments(started(host, image), "-device")
    expanders = [one for one in devices if one.startswith("pxb-pcie")]
    slots = [one for one in devices if one.startswith("pcie-root-port")]

    assert [one.split(",")[3] for one in expanders] == [f"bus_nr={0x19}"]
    assert [one.split(",")[1:3] for one in slots] == [["id=slot1a", "bus=host19"], ["id=slot1b", "bus=host19"]]


def test_buses_that_are_apart_have_expanders_of_their_own(host: HostSpec, image: Image) -> None:
    apart = replace(host, nics=(nic("rail0", 38, 0, 0x1A), nic("rail1", 39, 0, 0x3C)))
    expanders = [one for one in arguments(started(apart, image), "-device") if one.startswith("pxb-pcie")]

    assert [one.split(",")[3] for one in expanders] == [f"bus_nr={0x19}", f"bus_nr={0x3B}"]


def test_a_host_without_known_buses_starts_too(host: HostSpec, image: Image) -> None:
    anywhere = replace(host, nics=(nic("rail0", 2, 0, None), nic("rail1", 7, 0, None)))
    places = [one.split(",")[-2] for one in arguments(started(anywhere, image), "-device") if "id=nic-" in one]

    assert places == ["addr=0x18", "addr=0x19"]


def test_only_rails_get_rdma_devices(host: HostSpec, image: Image) -> None:
    told = arguments(started(host, image), "-fw_cfg")

    assert told[0] == f"name=opt/org.rackproof/rails,string={host.nics[0].mac},,{host.nics[1].mac}"


def test_a_comma_in_a_name_does_not_end_it(host: HostSpec, image: Image) -> None:
    product = arguments(started(replace(host, product="PowerEdge, new"), image), "-smbios")[0]

    assert "product=PowerEdge,, new (Rackproof lab)," in product


def test_a_snapshot_goes_on_where_it_stopped(host: HostSpec, image: Image) -> None:
    assert arguments(started(host, image, restore=True), "-loadvm") == [qemu.SNAPSHOT]
    assert arguments(started(host, image), "-loadvm") == []


def test_slot_records_say_which_slot_is_at_which_address(host: HostSpec) -> None:
    """Read back field by field as DMTF DSP0134 3.6 has them in 7.10."""
    found = []
    for record in slot_records(host.nics):
        kind, length, _handle, name, slot_type, width, usage, _size, slot, _, _, segment, bus, function = struct.unpack(
            "<BBHBBBBBHBBHBB", record[:17]
        )
        strings = record[length:].split(b"\0")
        assert (kind, length, slot_type, width, usage, segment, function) == (9, 17, 0xC3, 0x0D, 0x04, 0, 0)
        assert strings[1:] == [b"", b""], "the strings end with an empty one"
        found.append((strings[name - 1], slot, bus))

    assert found == [(b"PCIe Slot 38", 38, 0x1A), (b"PCIe Slot 40", 40, 0x1B)]


def test_a_port_that_is_not_there_is_told(host: HostSpec) -> None:
    assert host.nic("rail1").end == LabEnd("gpu-001", "rail1")
    with pytest.raises(LabError, match="gpu-001 has no port called rail7"):
        host.nic("rail7")
