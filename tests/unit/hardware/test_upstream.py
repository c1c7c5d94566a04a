"""The figures carried over from SONiC's device data are those that SONiC publishes."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, cast

import pytest
import yaml12

from rackproof.hardware.load import Catalogue

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rackproof.hardware.models import PortRange, SwitchModel

CATALOGUE: Final = Catalogue()
FOLDERS: Final = {
    "dell-z9864f-on": "Z9864F-ON",
    "dell-z9664f-on": "Z9664F-ON",
    "dell-s5232f-on": "S5232F-ON",
}
WITH_BREAKOUT_LIST: Final = ("dell-z9864f-on", "dell-s5232f-on")

pytestmark = pytest.mark.shared


def table(file: Path) -> list[list[str]]:
    lines = file.read_text(encoding="utf-8").splitlines()
    return [line.split() for line in lines if line.strip() and not line.startswith("#")]


def device_folder(shared: Path, name: str) -> Path:
    return shared / "upstream" / "sonic-device" / FOLDERS[name]


def catalogue_ports(switch: SwitchModel) -> list[list[str]]:
    """The switch's ports as rows of port_config.ini: name, lanes, alias, index, speed."""
    return [
        [
            f"Ethernet{ports.sonic_first + (port - ports.first) * ports.sonic_step}",
            ",".join(str(lane) for lane in ports.sonic_lane_numbers(port)),
            ports.sonic_alias.format(port=port),
            str(port),
            str(ports.speed_gbps * 1000),
        ]
        for ports in switch.ports
        for port in range(ports.first, ports.last + 1)
    ]


def expanded_modes(sonic_mode: str) -> set[str]:
    """1x100G[50G,40G] offers 1x100G, 1x50G and 1x40G; what stands in parentheses is a lane count."""
    match = re.fullmatch(r"(\d)x(\d+G)(?:\[([^\]]*)\])?(?:\(\d+\))?", sonic_mode)
    assert match is not None, sonic_mode
    count, speed, others = match.groups()
    return {f"{count}x{each}" for each in [speed, *(others.split(",") if others else [])]}


def lanes_in_use(sonic_mode: str, lanes: int) -> int:
    match = re.search(r"\((\d+)\)$", sonic_mode)
    return int(match[1]) if match else lanes


@pytest.mark.parametrize("name", FOLDERS)
def test_port_map(shared: Path, name: str) -> None:
    upstream = table(device_folder(shared, name) / "port_config.ini")

    assert catalogue_ports(CATALOGUE.switch(name)) == [row[:5] for row in upstream]


@pytest.mark.parametrize("name", WITH_BREAKOUT_LIST)
def test_breakout_modes(shared: Path, name: str) -> None:
    interfaces = json.loads((device_folder(shared, name) / "platform.json").read_text(encoding="utf-8"))["interfaces"]

    for ports in CATALOGUE.switch(name).ports:
        for port in range(ports.first, ports.last + 1):
            offered = interfaces[f"Ethernet{ports.sonic_first + (port - ports.first) * ports.sonic_step}"]
            ours = {breakout.mode: breakout for breakout in ports.breakouts}
            theirs = {mode: each for each in offered["breakout_modes"] for mode in expanded_modes(each)}
            assert {mode: breakout.sonic_mode for mode, breakout in ours.items()} == theirs
            assert all(ours[mode].lanes == lanes_in_use(each, ports.lanes) for mode, each in theirs.items())


def test_upstream_lists_no_breakout_modes_of_the_z9664f(shared: Path) -> None:
    platform = json.loads((device_folder(shared, "dell-z9664f-on") / "platform.json").read_text(encoding="utf-8"))

    assert platform["interfaces"] == {}, "now that there is a list, carry it over and drop the assumption"
    assert "ports.breakouts" in CATALOGUE.switch("dell-z9664f-on").assumed


@pytest.mark.parametrize("name", FOLDERS)
def test_headroom(shared: Path, name: str) -> None:
    buffers = CATALOGUE.switch(name).buffers
    assert buffers is not None
    upstream = table(device_folder(shared, name) / "pg_profile_lookup.ini")
    columns = {"threshold": 5, "size": 2, "xon": 3, "xon_offset": 6}

    assert {(row.speed_gbps, row.cable_length_m, row.xoff_bytes) for row in buffers.headroom} == {
        (int(row[0]) // 1000, int(row[1].removesuffix("m")), int(row[4])) for row in upstream
    }
    assert {column: {int(row[place]) for row in upstream} for column, place in columns.items()} == {
        "threshold": {buffers.threshold},
        "size": {buffers.profile_size_bytes},
        "xon": {buffers.xon_bytes},
        "xon_offset": {buffers.xon_offset_bytes},
    }


@pytest.mark.parametrize("name", ["dell-z9864f-on", "dell-z9664f-on"])
def test_pool_and_queue_pair_hash(shared: Path, name: str) -> None:
    switch = CATALOGUE.switch(name)
    capabilities = json.loads((device_folder(shared, name) / "platform_qos.json").read_text(encoding="utf-8"))
    capability = capabilities["QOS_CAPABILITY_TABLE|qos"]

    assert switch.buffers is not None
    assert switch.buffers.shared_headroom_bytes == int(capability["pool_xoff_default"])
    assert switch.hash_queue_pair == (capability["roce_hash"] == "true")


def halves(ports: PortRange, port: int) -> Iterator[list[str]]:
    """Both children of a port split in two, as rows of port_config.ini; SONiC letters them a and b."""
    lanes = ports.sonic_lane_numbers(port)
    first = ports.sonic_first + (port - ports.first) * ports.sonic_step
    for child, letter in enumerate("ab"):
        mine = lanes[child * len(lanes) // 2 : (child + 1) * len(lanes) // 2]
        alias = ports.sonic_alias.format(port=port) + letter
        yield [f"Ethernet{first + mine[0] - lanes[0]}", ",".join(map(str, mine)), alias, str(port), "400000"]


def test_port_map_of_the_sn5600_split_in_two(shared: Path) -> None:
    """NVIDIA's 128x400G layout is this catalogue's port map with 2x400G on all OSFP ports, bonus port included."""
    upstream = table(shared / "upstream" / "sonic-device" / "SN5600" / "port_config.ini")
    osfp, bonus = CATALOGUE.switch("nvidia-sn5600").ports

    assert "2x400G" in {breakout.mode for breakout in osfp.breakouts}
    assert [
        *(row for port in range(osfp.first, osfp.last + 1) for row in halves(osfp, port)),
        [f"Ethernet{bonus.sonic_first}", str(bonus.sonic_lane_starts[0]), "etp65", "65", "25000"],
    ] == [row[:5] for row in upstream]


def test_split_mode_of_the_sn5600(shared: Path) -> None:
    hwsku = json.loads((shared / "upstream" / "sonic-device" / "SN5600" / "hwsku.json").read_text(encoding="utf-8"))
    (mode,) = {
        port["default_brkout_mode"] for name, port in hwsku["interfaces"].items() if not name.endswith("Ethernet512")
    }
    ours = {
        breakout.mode: breakout.sonic_mode for breakout in CATALOGUE.switch("nvidia-sn5600").port_range(1).breakouts
    }

    assert {name for name, sonic_mode in ours.items() if sonic_mode == mode} == expanded_modes(mode)


def port_numbers(key: str) -> set[int]:
    """Ports of an NVUE key such as swp1-8,25-26; child ports (swp1s0) are not whole ports."""
    numbers: set[int] = set()
    for part in key.removeprefix("swp").split(","):
        first, _, last = part.partition("-")
        if first.isdecimal() and (not last or last.isdecimal()):
            numbers |= set(range(int(first), int(last or first) + 1))
    return numbers


@pytest.mark.parametrize("switch", ["core-01", "core-02"])
def test_nvidia_disables_the_neighbour_of_every_eightfold_split(shared: Path, switch: str) -> None:
    file = shared / "upstream" / "era-2-4-3" / f"{switch}.yaml"
    _, document = cast("list[dict[str, Any]]", yaml12.read_yaml(file))
    splits: dict[str, set[int]] = {}
    for key, interface in document["set"]["interface"].items():
        for split in interface.get("link", {}).get("breakout", {}):
            splits.setdefault(split, set()).update(port_numbers(key))
    ports = CATALOGUE.switch("nvidia-sn5600").port_range(1)
    blocking = {breakout.mode.partition("x")[0] + "x" for breakout in ports.breakouts if breakout.blocks_neighbour}

    assert blocking == {"8x"}
    assert splits["disabled"] == {port + 1 for port in splits["8x"]}
    assert all(port % 2 for port in splits["8x"])
    assert set(splits) - {"disabled"} <= {breakout.mode.partition("x")[0] + "x" for breakout in ports.breakouts}
