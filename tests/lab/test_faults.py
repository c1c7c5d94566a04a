"""Each fault does what its name says, on that switch only, until it is cleared."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

import asyncssh
import pytest

from lab import faults
from lab.daemon.limitations import limitations
from lab.errors import LabError, UnknownFaultError

if TYPE_CHECKING:
    from tests.lab.conftest import Console, Fabric, OnConsole, OnFabric


pytestmark = pytest.mark.lab

REFUSED = (OSError, asyncssh.Error)


def test_there_is_every_fault_and_each_says_how_it_is_used() -> None:
    assert faults.names() == (
        "bios-drift",
        "cable-out",
        "changed-host-key",
        "congestion",
        "dead-host",
        "dead-switch",
        "full-disk",
        "full-host-disk",
        "gid-moved",
        "hand-made-change",
        "hung-host",
        "missing-nic",
        "missing-package",
        "mtu-mismatch",
        "nfs-over-tcp",
        "no-rdma",
        "no-sudo",
        "pfc-off",
        "reboot-hangs",
        "refused-line",
        "reinstalled-host",
        "return-timer-fires",
        "session-cut",
        "slow-answer",
        "swapped-cable",
        "swapped-nics",
        "wrong-dscp",
        "wrong-password",
    )
    assert faults.usage("dead-switch") == (
        "dead-switch switch=... [silent=...]: Cut the power of a switch; silent=true: it accepts connections and "
        "does not answer."
    )


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("no-such-fault", {}, "there is no fault called no-such-fault"),
        ("dead-switch", {}, "dead-switch: switch is missing"),
        ("dead-switch", {"switch": "leaf-a", "colour": "red"}, "dead-switch: colour is not a parameter"),
        ("dead-switch", {"switch": "leaf-z"}, "the lab has no switch called leaf-z"),
        ("dead-host", {"host": "gpu-001"}, "the lab has no host called gpu-001 that is a machine"),
        ("cable-out", {"host": "gpu-001", "port": "rail0"}, "the lab has no host called gpu-001 that is a machine"),
        ("pfc-off", {"switch": "leaf-a", "port": "Eth1/1"}, "leaf-a has no PFC on Eth1/1"),
        ("pfc-off", {"switch": "leaf-a", "port": "Eth9/9"}, "leaf-a has no PFC on Eth9/9"),
        ("session-cut", {"switch": "leaf-a", "lines": "many"}, "a parameter is not a number"),
        (
            "swapped-cable",
            {"switch": "leaf-a", "first": "Eth1/2", "second": "Eth1/4"},
            "nothing is plugged into leaf-a/Eth1/2",
        ),
        ("hand-made-change", {"switch": "leaf-a", "lines": "nonsense"}, "leaf-a refused: nonsense"),
    ],
)
def test_a_fault_that_cannot_be_says_why(
    on_fabric: OnFabric, name: str, parameters: dict[str, str], message: str
) -> None:
    async def scenario(fabric: Fabric) -> None:
        with pytest.raises(LabError, match=message) as caught:
            await fabric.lab.inject(name, parameters)
        assert fabric.lab.faults == []
        assert caught.value.hint or not isinstance(caught.value, UnknownFaultError) or "number" in message

    on_fabric(scenario)


def test_dead_switch(on_fabric: OnFabric) -> None:
    async def scenario(fabric: Fabric) -> None:
        await fabric.lab.inject("dead-switch", {"switch": "leaf-a"})
        with pytest.raises(REFUSED):
            await fabric.run("leaf-a", "true")
        assert (await fabric.run("leaf-b", "true"))[0] == 0
        await fabric.lab.clear("dead-switch")
        assert (await fabric.run("leaf-a", "true"))[0] == 0

    on_fabric(scenario)


def test_silent_switch(on_fabric: OnFabric) -> None:
    async def scenario(fabric: Fabric) -> None:
        await fabric.lab.inject("dead-switch", {"switch": "leaf-a", "silent": "true"})
        _, writer = await asyncio.open_connection("127.0.0.1", fabric.lab.endpoints["leaf-a"].port)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await fabric.run("leaf-a", "true")
        writer.close()
        await fabric.lab.clear()
        assert (await fabric.run("leaf-a", "true"))[0] == 0

    on_fabric(scenario)


def test_wrong_password(on_fabric: OnFabric) -> None:
    async def scenario(fabric: Fabric) -> None:
        await fabric.lab.inject("wrong-password", {"switch": "leaf-a"})
        with pytest.raises(asyncssh.PermissionDenied):
            await fabric.run("leaf-a", "true")
        await fabric.lab.clear()
        assert (await fabric.run("leaf-a", "true"))[0] == 0

    on_fabric(scenario)


def test_changed_host_key(on_fabric: OnFabric) -> None:
    async def scenario(fabric: Fabric) -> None:
        before = fabric.lab.endpoints["leaf-a"].public_host_key
        await fabric.lab.inject("changed-host-key", {"switch": "leaf-a"})
        offered = await asyncssh.get_server_host_key("127.0.0.1", fabric.lab.endpoints["leaf-a"].port)
        assert offered is not None
        assert offered.export_public_key().decode().split()[:2] != before.split()
        await fabric.lab.clear()
        offered = await asyncssh.get_server_host_key("127.0.0.1", fabric.lab.endpoints["leaf-a"].port)
        assert offered is not None
        assert offered.export_public_key().decode().split()[:2] == before.split()

    on_fabric(scenario)


def test_full_disk(on_fabric: OnFabric) -> None:
    async def scenario(fabric: Fabric) -> None:
        await fabric.lab.inject("full-disk", {"switch": "leaf-a"})
        assert await fabric.show("leaf-a", "write memory") == "%Error: No space left on device\n"
        await fabric.lab.clear()
        assert await fabric.show("leaf-a", "write memory") == ""

    on_fabric(scenario)


def test_refused_line(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        console.switch.fault_flags.refused.append(re.compile("^mtu 9216"))
        assert await console.configured("interface Eth1/1", "mtu 9216") == "% Error: operation failed\n"
        assert await console.configured("interface Eth1/1", "mtu 9100") == ""

    on_console(scenario)


def test_slow_answer(on_fabric: OnFabric) -> None:
    async def scenario(fabric: Fabric) -> None:
        await fabric.lab.inject("slow-answer", {"switch": "leaf-a", "seconds": "0.2"})
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.15):
                await fabric.run("leaf-a", "true")
        await fabric.lab.clear()
        assert (await fabric.run("leaf-a", "true"))[0] == 0

    on_fabric(scenario)


def test_hand_made_change_stays(on_fabric: OnFabric) -> None:
    async def scenario(fabric: Fabric) -> None:
        lines = {"switch": "leaf-a", "lines": "interface Eth1/1; mtu 1500"}
        await fabric.lab.inject("hand-made-change", lines)
        await fabric.lab.clear()
        shown = await fabric.show("leaf-a", "show running-configuration interface Eth 1/1")
        assert " mtu 1500\n" in shown

    on_fabric(scenario)


def test_session_cut(on_fabric: OnFabric) -> None:
    async def scenario(fabric: Fabric) -> None:
        await fabric.lab.inject("session-cut", {"switch": "leaf-a", "lines": "3"})
        async with fabric.connect("leaf-a") as connection, connection.create_process(term_type="xterm") as process:
            for line in (
                "sonic-cli",
                "configure terminal",
                "interface Eth1/1",
                "mtu 9216",
                "description a",
                "description b",
            ):
                process.stdin.write(f"{line}\n")
            async with asyncio.timeout(5):
                await process.wait_closed()
            assert process.exit_status is None
        shown = fabric.lab.switches["leaf-a"].nos.running_configuration()
        assert " description a\n" in shown
        assert " description b\n" not in shown
        assert (await fabric.run("leaf-a", "true"))[0] == 0

    on_fabric(scenario)


SERVICE = """[Service]
ExecStart=/bin/cp /etc/sonic/config_db.json.before /etc/sonic/config_db.json
ExecStart=/bin/systemctl disable back.timer
ExecStart=/sbin/reboot
"""


async def arm_return(fabric: Fabric) -> None:
    await fabric.run("leaf-a", "sudo cp /etc/sonic/config_db.json /etc/sonic/config_db.json.before")
    due = (await fabric.run("leaf-a", "date -u '+%Y-%m-%d 23:59:59 UTC'"))[1].strip()
    timer = f"[Timer]\nOnCalendar={due}\nPersistent=true\n[Install]\nWantedBy=timers.target\n"
    await fabric.run("leaf-a", "sudo tee /etc/systemd/system/back.service > /dev/null", SERVICE)
    await fabric.run("leaf-a", "sudo tee /etc/systemd/system/back.timer > /dev/null", timer)
    await fabric.run("leaf-a", "sudo systemctl enable --now back.timer")


def test_return_timer_fires(on_fabric: OnFabric) -> None:
    async def scenario(fabric: Fabric) -> None:
        switch = fabric.lab.switches["leaf-a"]
        await fabric.lab.inject("return-timer-fires", {"switch": "leaf-a"})
        await arm_return(fabric)
        assert (await fabric.run("leaf-a", "systemctl is-active back.timer")) == (0, "active\n")
        booted = switch.booted
        async with fabric.connect("leaf-a") as connection:
            await connection.run("sonic-cli", input="configure terminal\ninterface Eth1/1\nmtu 9216\nend\n")
            assert " mtu 9216\n" in switch.nos.running_configuration()
        with pytest.raises(REFUSED):
            await fabric.run("leaf-a", "sudo systemctl disable --now back.timer")
        async with asyncio.timeout(5):
            await booted.wait()
        assert (await fabric.run("leaf-a", "systemctl is-active back.timer")) == (3, "inactive\n")
        assert " mtu 9216\n" not in switch.nos.running_configuration()

    on_fabric(scenario)


HELD = {"switch": "leaf-a", "lines": "3", "hold": "true"}
SET_MTU = "configure terminal\ninterface Eth1/1\nmtu 9216\nend\n"


def test_a_lost_switch_that_is_held_waits_for_the_lab_clock(on_fabric: OnFabric) -> None:
    async def scenario(fabric: Fabric) -> None:
        switch = fabric.lab.switches["leaf-a"]
        await fabric.lab.inject("return-timer-fires", HELD)
        await arm_return(fabric)
        await fabric.run("leaf-a", "sonic-cli", SET_MTU)
        await fabric.run("leaf-a", "sonic-cli", SET_MTU)
        with pytest.raises(REFUSED):
            await fabric.run("leaf-a", "true")
        with pytest.raises(REFUSED):
            await fabric.run("leaf-a", "true")
        booted = switch.booted
        fabric.lab.clock.advance(24 * 3600)
        async with asyncio.timeout(5):
            await booted.wait()
        assert (await fabric.run("leaf-a", "systemctl is-active back.timer")) == (3, "inactive\n")
        assert " mtu 9216\n" not in switch.nos.running_configuration()

    on_fabric(scenario)


def test_a_lost_switch_can_be_found_again(on_fabric: OnFabric) -> None:
    async def scenario(fabric: Fabric) -> None:
        await fabric.lab.inject("return-timer-fires", {**HELD, "lines": "1"})
        await arm_return(fabric)
        await fabric.run("leaf-a", "sonic-cli", SET_MTU)
        with pytest.raises(REFUSED):
            await fabric.run("leaf-a", "true")
        await fabric.lab.clear("return-timer-fires")
        assert (await fabric.run("leaf-a", "systemctl is-active back.timer")) == (0, "active\n")
        assert " mtu 9216\n" in fabric.lab.switches["leaf-a"].nos.running_configuration()

    on_fabric(scenario)


def test_a_lab_without_packets_cannot_be_congested(on_fabric: OnFabric) -> None:
    async def scenario(fabric: Fabric) -> None:
        with pytest.raises(LabError, match="sends no packets"):
            await fabric.lab.inject("congestion", {"switch": "leaf-a", "port": "Eth1/4"})
        assert limitations(fabric.lab)[0].what == "links, neighbours, sessions, counters"

    on_fabric(scenario)
