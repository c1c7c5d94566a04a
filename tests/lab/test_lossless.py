"""roce enable, buffer init, and breaking ports out around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.lab.conftest import Console, OnConsole


QUESTION = "[y/N]:"


def test_roce_asks_saves_and_reboots_into_its_defaults(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        boot_id = console.switch.boot_id
        console.answers = ["y"]
        assert await console.configured("roce enable") == ""
        assert console.asked[-1].endswith(QUESTION)
        assert console.switch.power == "booting"
        await console.until_up()
        assert console.switch.boot_id != boot_id
        assert "roce enable" in console.nos.running_configuration().splitlines()
        assert console.block("qos map dscp-tc ROCE")[1:] == [
            " dscp 0-3,5-23,25,27-47,49-63 traffic-class 0",
            " dscp 24,26 traffic-class 3",
            " dscp 4 traffic-class 4",
            " dscp 48 traffic-class 6",
        ]
        assert console.block("qos wred-policy ROCE")[1:] == [
            " green minimum-threshold 1048 maximum-threshold 2097 drop-probability 5",
            " ecn green",
        ]
        assert console.block("qos scheduler-policy ROCE")[-2:] == [" queue 6", "  type strict"]
        assert console.block("interface Eth1/2")[-7:] == [
            " qos-map pfc-priority-queue ROCE",
            " qos-map pfc-priority-pg ROCE",
            " priority-flow-control priority 3",
            " priority-flow-control priority 4",
            " priority-flow-control watchdog action drop",
            " priority-flow-control watchdog on detect-time 200",
            " priority-flow-control watchdog restore-time 400",
        ]

    on_console(scenario)


@pytest.mark.parametrize("answer", ["n", "", "yes please"])
def test_anything_but_y_changes_nothing(on_console: OnConsole, answer: str) -> None:
    async def scenario(console: Console) -> None:
        before = console.nos.running_configuration()
        console.answers = [answer]
        await console.configured("roce enable")
        assert console.switch.power == "up"
        assert console.nos.running_configuration() == before

    on_console(scenario)


def test_chosen_priorities_are_shown_and_used(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        console.answers = ["y"]
        await console.configured("roce enable pfc-priority 2,5")
        await console.until_up()
        assert "roce enable pfc-priority 2,5" in console.nos.running_configuration().splitlines()
        assert " priority-flow-control priority 5" in console.block("interface Eth1/1")
        assert " dscp 24,26 traffic-class 2" in console.block("qos map dscp-tc ROCE")

    on_console(scenario)


def test_conflicting_settings_stop_it_unless_forced(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        await console.configured("qos map dscp-tc MINE", "interface Eth1/1", "qos-map dscp-tc MINE")
        assert await console.configured("roce enable") == "%Error: Conflicting QoS configuration exists: Eth1/1\n"
        console.answers = ["y"]
        await console.configured("roce enable force-defaults")
        await console.until_up()
        assert " qos-map dscp-tc ROCE" in console.block("interface Eth1/1")

    on_console(scenario)


def test_roce_and_buffer_init_exclude_each_other(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        console.answers = ["y"]
        await console.configured("buffer init lossless")
        await console.until_up()
        assert (await console.configured("roce enable")).startswith("%Error")
        assert await console.configured("buffer pool ingress_lossless_pool shared-headroom-size 1000") == ""
        console.answers = ["y"]
        await console.configured("no buffer init")
        await console.until_up()
        assert "buffer" not in console.nos.running_configuration()

    on_console(scenario)


def test_leaving_roce_takes_its_settings_away(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        console.answers = ["y", "y"]
        await console.configured("roce enable")
        await console.until_up()
        await console.configured("no roce enable")
        await console.until_up()
        assert "ROCE" not in console.nos.running_configuration()
        assert "priority-flow-control" not in console.nos.running_configuration()

    on_console(scenario)


def test_a_full_disk_stops_it_and_leaves_things_as_they_were(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        before = console.nos.running_configuration()
        console.switch.files.full = True
        console.answers = ["y"]
        assert await console.configured("roce enable") == "%Error: No space left on device\n"
        assert console.switch.power == "up"
        assert console.nos.running_configuration() == before

    on_console(scenario)


def test_without_a_terminal_the_answer_is_no(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        status, _ = await console.sh("sonic-cli -c 'configure terminal' -c 'roce enable'")
        assert (status, console.switch.power) == (0, "up")
        assert "roce" not in console.nos.running_configuration()

    on_console(scenario)


def test_breaking_a_port_out_replaces_it_and_what_hung_on_it(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        await console.configured(
            "interface Eth1/3",
            "description old",
            "router bgp 65001",
            "neighbor interface Eth1/3",
            "remote-as external",
        )
        printed = await console.configured("interface breakout port 1/3 mode 4x200G")
        assert printed == (
            "Dynamic Port Breakout in-progress, use 'show interface breakout port 1/3' to check status.\n"
        )
        text = console.nos.running_configuration().splitlines()
        assert "interface breakout port 1/3 mode 4x200G" in text
        assert [line for line in text if line.startswith("interface Eth1/3")] == [
            "interface Eth1/3/1",
            "interface Eth1/3/2",
            "interface Eth1/3/3",
            "interface Eth1/3/4",
        ]
        assert "interface Eth1/3" not in text
        assert console.block("router bgp 65001") == ["router bgp 65001"]
        assert console.block("interface Eth1/3/2")[1:] == [
            " mtu 9100",
            " speed 200000",
            " unreliable-los auto",
            " shutdown",
        ]
        assert await console.configured("interface breakout port 1/3 mode 4x200G") == (
            "%Error: No change in port breakout mode\n"
        )
        await console.configured("no interface breakout port 1/3")
        assert console.block("interface Eth1/3")[1:] == [
            " mtu 9100",
            " speed 800000",
            " unreliable-los auto",
            " shutdown",
        ]

    on_console(scenario)


def test_a_mode_the_port_has_not_is_refused(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        assert await console.configured("interface breakout port 1/1 mode 8x100G") == (
            "%Error: Port 1/1 does not support breakout mode 8x100G\n"
        )
        assert await console.configured("interface breakout port 1/9 mode 2x400G") == (
            "%Error: Port 1/9 does not support breakout mode 2x400G\n"
        )

    on_console(scenario)


def test_in_lossless_mode_new_ports_wait_for_the_next_boot(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        console.answers = ["y"]
        await console.configured("roce enable")
        await console.until_up()
        printed = await console.configured("interface breakout port 1/1 mode 2x400G")
        assert printed.startswith('Warning: Switch in "lossless" mode, Ports created can be used only after reboot\n')
        assert [console.nos.state.ports["Eth1/1/1"].usable] == [False]
        await console.typed("write memory", "reboot")
        await console.until_up()
        assert [console.nos.state.ports["Eth1/1/1"].usable] == [True]
        assert " qos-map dscp-tc ROCE" in console.block("interface Eth1/1/2")

    on_console(scenario)


def test_what_was_not_saved_is_gone_after_a_reboot(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        await console.configured("interface Eth1/1", "mtu 9216")
        await console.typed("write memory")
        await console.configured("interface Eth1/1", "mtu 1500")
        await console.typed("reboot")
        await console.until_up()
        assert " mtu 9216" in console.block("interface Eth1/1")

    on_console(scenario)
