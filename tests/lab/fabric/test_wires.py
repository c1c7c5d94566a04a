"""Wires of hosts: taps as virtual machines hold them, plugs that are pulled, cables that are swapped."""

from __future__ import annotations

import asyncio
import os
import secrets
import select
import signal
import subprocess
import sys
import time
from ipaddress import IPv4Address
from typing import TYPE_CHECKING, Final

import pytest

from lab.daemon.running_lab import RunningLab
from lab.errors import LabError
from lab.fabric import namespaces
from lab.fabric.fabric import Fabric
from lab.fabric.namespaces import lab_namespaces, run_folder, sweep
from lab.spec.models import LabEnd, port_mac
from tests.lab.conftest import PASSWORD
from tests.lab.fabric.conftest import clos_site, leaf_lines, spine_lines

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    OnLab = Callable[[Callable[[RunningLab, Fabric], Awaitable[None]]], None]

pytestmark = [pytest.mark.lab_hosts]

RAIL0, RAIL1 = LabEnd("gpu-1", "rail0"), LabEnd("gpu-1", "rail1")
VNET_HEADER: Final = bytes(10)
"""struct virtio_net_hdr: nothing left to do for the kernel."""


def arp_request(sender: LabEnd, own: str, target: str) -> bytes:
    mac = bytes.fromhex(port_mac(sender).replace(":", ""))
    own_address, asked = IPv4Address(own).packed, IPv4Address(target).packed
    frame = b"\xff" * 6 + mac + bytes.fromhex("08060001080006040001")
    return VNET_HEADER + frame + mac + own_address + bytes(6) + asked + bytes(18)


def answered(tap: int, sender: LabEnd, own: str, target: str, patience_s: float = 5.0) -> bool:
    """Ask by ARP until an answer comes; whether one came."""
    deadline = time.monotonic() + patience_s
    asked = bytes(map(int, target.split(".")))
    while time.monotonic() < deadline:
        os.write(tap, arp_request(sender, own, target))
        while select.select([tap], [], [], 0.05)[0]:
            frame = os.read(tap, 10000)[len(VNET_HEADER) :]
            if frame[12:14] == b"\x08\x06" and frame[20:22] == b"\x00\x02" and frame[28:32] == asked:
                return True
    return False


@pytest.fixture
def on_lab() -> OnLab:
    """Run a scenario on a fresh lab whose leaf-01 is configured."""

    def run(scenario: Callable[[RunningLab, Fabric], Awaitable[None]]) -> None:
        async def body() -> None:
            fabric = Fabric(f"t{secrets.token_hex(2)}", clos_site())
            async with RunningLab(fabric.site, PASSWORD, fabric) as lab:
                assert await lab.edit("leaf-01", leaf_lines(1)) == ()
                await fabric.settled()
                await scenario(lab, fabric)
            assert lab_namespaces(fabric.lab_id) == ()
            assert not run_folder(fabric.lab_id).exists()

        asyncio.run(body())

    return run


@pytest.fixture
def taps() -> Iterator[list[int]]:
    opened: list[int] = []
    yield opened
    for tap in opened:
        os.close(tap)


def test_a_virtual_machine_reaches_its_gateway_while_it_is_plugged_in(on_lab: OnLab, taps: list[int]) -> None:
    async def scenario(lab: RunningLab, fabric: Fabric) -> None:
        taps.append(fabric.open_tap(RAIL0))
        await fabric.settled()
        assert await asyncio.to_thread(answered, taps[0], RAIL0, "10.10.1.10", "10.10.1.1")
        with pytest.raises(LabError, match="Device or resource busy"):
            fabric.open_tap(RAIL0)
        await lab.refresh()
        assert lab.links.counters("leaf-01", "Eth1/1").in_packets > 0
        for up in (False, True):
            await fabric.set_carrier(RAIL0, up)
            await lab.refresh()
            assert lab.links.is_up("leaf-01", "Eth1/1") is up
        assert await asyncio.to_thread(answered, taps[0], RAIL0, "10.10.1.10", "10.10.1.1")

    on_lab(scenario)


def test_a_swapped_cable_moves_packets_to_the_other_vlan(on_lab: OnLab, taps: list[int]) -> None:
    async def scenario(lab: RunningLab, fabric: Fabric) -> None:
        taps.extend((fabric.open_tap(RAIL0), fabric.open_tap(RAIL1)))
        await fabric.settled()
        await lab.inject("swapped-cable", {"switch": "leaf-01", "first": "Eth1/1", "second": "Eth1/2"})
        assert await asyncio.to_thread(answered, taps[0], RAIL0, "10.11.1.10", "10.11.1.1")
        assert not await asyncio.to_thread(answered, taps[0], RAIL0, "10.10.1.10", "10.10.1.1", 0.2)
        await lab.clear()
        assert await asyncio.to_thread(answered, taps[1], RAIL1, "10.11.1.11", "10.11.1.1")

    on_lab(scenario)


@pytest.mark.slow
def test_a_swapped_trunk_is_heard_at_the_other_spine(on_lab: OnLab) -> None:
    async def scenario(lab: RunningLab, fabric: Fabric) -> None:
        for number in (1, 2):
            assert await lab.edit(f"spine-0{number}", spine_lines(number)) == ()

        async def until_heard(expected: dict[str, str]) -> None:
            heard: dict[str, str] = {}
            for _ in range(100):
                await lab.refresh()
                found = {port: lab.links.neighbor("leaf-01", port) for port in expected}
                heard = {port: one.device for port, one in found.items() if one is not None}
                if heard == expected:
                    return
                await asyncio.sleep(0.1)
            pytest.fail(f"heard {heard}")

        await until_heard({"Eth1/3": "spine-01", "Eth1/4": "spine-02"})
        await lab.inject("swapped-cable", {"switch": "leaf-01", "first": "Eth1/3", "second": "Eth1/4"})
        await until_heard({"Eth1/3": "spine-02", "Eth1/4": "spine-01"})
        assert fabric.switches["leaf-01"].problems == ()

    on_lab(scenario)


KILLED: Final = """
import asyncio, sys
from lab.fabric.fabric import Fabric
from lab.daemon.running_lab import RunningLab
from tests.lab.conftest import PASSWORD
from tests.lab.fabric.conftest import clos_site, leaf_lines

async def body():
    fabric = Fabric(sys.argv[1], clos_site())
    async with RunningLab(fabric.site, PASSWORD, fabric) as lab:
        await lab.edit("leaf-01", leaf_lines(1))
        await fabric.settled()
        print("ready", flush=True)
        await asyncio.Event().wait()

asyncio.run(body())
"""


def test_a_killed_lab_is_swept_away_with_every_process() -> None:
    lab_id = f"t{secrets.token_hex(2)}"
    with subprocess.Popen([sys.executable, "-c", KILLED, lab_id], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGKILL)
        process.wait()
    names = lab_namespaces(lab_id)
    listed = (subprocess.check_output(["ip", "netns", "pids", name], text=True).split() for name in names)
    pids = [int(pid) for found in listed for pid in found]
    assert len(names) == 4
    assert len(pids) > 4
    assert asyncio.run(sweep(lab_id)) == 4
    assert lab_namespaces(lab_id) == ()
    assert not run_folder(lab_id).exists()
    assert not [pid for pid in pids if (namespaces.FOLDER.parent.parent / "proc" / str(pid) / "exe").exists()]
    assert asyncio.run(sweep(lab_id)) == 0
