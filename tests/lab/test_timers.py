"""The way back: a persistent timer that outlives a reboot, on a clock that can be moved."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from lab.switches.systemd import UNIT_FOLDER

if TYPE_CHECKING:
    from tests.lab.conftest import Console, OnConsole


SERVICE = """[Unit]
Description=return
[Service]
Type=oneshot
ExecStart=/bin/cp /etc/sonic/rackproof/checkpoint.json /etc/sonic/config_db.json
ExecStart=/bin/systemctl disable back.timer
ExecStart=/sbin/reboot
"""
TIMER = """[Unit]
Description=return unless confirmed
[Timer]
OnCalendar={due}
Persistent={persistent}
[Install]
WantedBy=timers.target
"""


async def armed(console: Console, seconds: float, *, persistent: str = "true") -> None:
    """Save a checkpoint, change the MTU, save that too, and arm the way back."""
    await console.sh("sudo mkdir -p /etc/sonic/rackproof")
    await console.sh("sudo config save -y /etc/sonic/rackproof/checkpoint.json")
    due = datetime.fromtimestamp(console.switch.clock.now() + seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    console.switch.files.write(f"{UNIT_FOLDER}/back.service", SERVICE)
    console.switch.files.write(f"{UNIT_FOLDER}/back.timer", TIMER.format(due=due, persistent=persistent))
    assert (await console.sh("sudo systemctl daemon-reload && sudo systemctl enable --now back.timer"))[0] == 0
    assert await console.sh("systemctl is-active back.timer") == (0, "active\n")
    await console.configured("interface Eth1/1", "mtu 9216")
    await console.typed("write memory")


def test_the_timer_returns_to_the_checkpoint(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        await armed(console, 600)
        console.clock.advance(599)
        assert " mtu 9216" in console.block("interface Eth1/1")
        booted = console.switch.booted
        console.clock.advance(2)
        await booted.wait()
        assert " mtu 9100" in console.block("interface Eth1/1")
        assert await console.sh("systemctl is-active back.timer") == (3, "inactive\n")
        assert await console.sh("systemctl is-enabled back.timer") == (1, "disabled\n")

    on_console(scenario)


def test_it_survives_a_reboot(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        await armed(console, 600)
        await console.sh("sudo reboot")
        await console.until_up()
        assert " mtu 9216" in console.block("interface Eth1/1")
        assert await console.sh("systemctl is-active back.timer") == (0, "active\n")
        booted = console.switch.booted
        console.clock.advance(600)
        await booted.wait()
        assert " mtu 9100" in console.block("interface Eth1/1")

    on_console(scenario)


def test_a_time_that_passes_during_the_reboot_fires_at_the_boot(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        await armed(console, 60)
        await console.sh("sudo reboot")
        await console.until_up()
        await console.switch.booted.wait()  # of the reboot that the timer caused
        assert " mtu 9100" in console.block("interface Eth1/1")

    on_console(scenario)


def test_a_timer_that_is_not_persistent_does_not_look_back(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        await armed(console, 60, persistent="false")
        await console.sh("sudo reboot")
        await console.until_up()
        assert await console.sh("systemctl is-active back.timer") == (0, "active\n")
        assert console.switch.units.due() == ()
        assert " mtu 9216" in console.block("interface Eth1/1")

    on_console(scenario)


CANCELLATIONS = [
    "sudo systemctl disable --now back.timer",
    "sudo systemctl stop back.timer; sudo systemctl disable back.timer",
]


@pytest.mark.parametrize("line", CANCELLATIONS)
def test_cancelled_it_never_fires(on_console: OnConsole, line: str) -> None:
    async def scenario(console: Console) -> None:
        await armed(console, 600)
        assert (await console.sh(line))[0] == 0
        await console.sh(f"sudo rm -f {UNIT_FOLDER}/back.timer {UNIT_FOLDER}/back.service")
        console.clock.advance(3600)
        await console.sh("sudo reboot")
        await console.until_up()
        assert console.switch.units.due() == ()
        assert " mtu 9216" in console.block("interface Eth1/1")

    on_console(scenario)


def test_stopped_but_still_enabled_it_is_back_after_a_reboot(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        await armed(console, 600)
        await console.sh("sudo systemctl stop back.timer")
        console.clock.advance(700)
        assert " mtu 9216" in console.block("interface Eth1/1")
        await console.sh("sudo reboot")
        await console.until_up()
        await console.switch.booted.wait()  # of the reboot that the timer caused
        assert " mtu 9100" in console.block("interface Eth1/1")

    on_console(scenario)


def test_a_calendar_nobody_can_read_is_refused(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        console.switch.files.write(f"{UNIT_FOLDER}/back.timer", TIMER.format(due="tomorrow", persistent="true"))
        status, printed = await console.sh("sudo systemctl enable --now back.timer")
        assert status == 1
        assert "Failed to parse calendar specification: tomorrow" in printed

    on_console(scenario)


def test_the_real_clock_fires_it_too(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        await armed(console, 1)
        booted = console.switch.booted
        async with asyncio.timeout(5):
            await booted.wait()
        assert " mtu 9100" in console.block("interface Eth1/1")

    on_console(scenario)


def test_the_clock_only_moves_ahead(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        with pytest.raises(ValueError, match="ahead"):
            console.clock.advance(-1)

    on_console(scenario)
