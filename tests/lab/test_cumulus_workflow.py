"""NVUE on a lab switch: revisions, files, trials, restarts, accounts."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, Final, Self

import pytest

from lab.spec.models import BreakoutSpec, PortSpec, SwitchSpec
from lab.switches.clock import LabClock
from lab.switches.computed_links import ComputedLinks
from lab.switches.nos.cumulus.system import Cumulus
from lab.switches.shell.call import text_input
from lab.switches.switch import LabSwitch

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

PASSWORD: Final = "planted-lab-password"
MODES: Final = {
    "2x400G": BreakoutSpec(2, 400_000),
    "4x200G": BreakoutSpec(4, 200_000),
    "8x100G": BreakoutSpec(8, 100_000, blocks_neighbour=True),
}


def spectrum(name: str, release: str = "5.13") -> SwitchSpec:
    return SwitchSpec(
        name=name,
        nos="cumulus",
        product="Spectrum SN5600",
        hwsku="ACS-SN5600",
        platform="x86_64-nvidia_sn5600-r0",
        asic="NVIDIA Spectrum-4",
        serial_number="LAB0001",
        management_mac="02:00:00:00:00:01",
        ports={number: PortSpec(number, 800_000, MODES, (number - 1) * 8) for number in range(1, 9)},
        management_address="10.30.0.16/16",
        management_gateway="10.30.0.1",
        release=release,
        adaptive_routing_mbps=(200_000, 400_000),
    )


class Nvue:
    """One switch without a network, and ``nv`` on it."""

    def __init__(self, release: str) -> None:
        self.clock = LabClock()
        self.switch = LabSwitch(
            spectrum("leaf-a", release), self.clock, ComputedLinks((), (), lambda _: None), PASSWORD
        )

    async def start(self) -> Self:
        await self.switch.start()
        return self

    async def nv(self, command: str, text: str = "") -> tuple[int, str]:
        outcome = await self.switch.shell.run(f"nv {command}", stdin=text_input(text))
        return outcome.status, outcome.out + outcome.error

    async def done(self, *commands: str) -> str:
        """Run commands that must go well; return what the last one printed."""
        printed = ""
        for command in commands:
            status, printed = await self.nv(command)
            assert status == 0, (command, printed)
        return printed

    async def refused(self, command: str, text: str = "") -> str:
        status, printed = await self.nv(command, text)
        assert status != 0, command
        return printed

    async def states(self) -> dict[str, str]:
        rows: dict[str, dict[str, Any]] = json.loads(await self.done("config revision -o json"))
        return {name: row["state"] for name, row in rows.items() if name.isdigit()}

    async def passes(self, seconds: float) -> None:
        """Let the lab's time pass, and what was due happen."""
        self.clock.advance(seconds)
        for _ in range(20):
            await asyncio.sleep(0)


def scenario(body: Callable[[Nvue], Awaitable[None]], release: str = "5.13") -> None:
    async def run() -> None:
        await body(await Nvue(release).start())

    asyncio.run(run())


def test_what_is_set_is_pending_until_it_is_applied() -> None:
    async def body(switch: Nvue) -> None:
        assert await switch.done("set interface swp1-2 link mtu 9000") == "created [rev_id: 2]\n"
        assert await switch.done("set interface swp3 description 'to gpu-001'") == "updated [rev_id: 2]\n"
        assert "9000" not in await switch.done("config show")
        assert await switch.done("config diff -o commands") == (
            "nv set interface swp1-2 link mtu 9000\nnv set interface swp3 description 'to gpu-001'\n"
        )
        assert await switch.done("config apply") == "applied_and_saved [rev_id: 2]\n"
        assert await switch.done("config diff") == ""
        assert "mtu: 9000" in switch.switch.files.read("/etc/nvue.d/startup.yaml")

    scenario(body)


def test_a_file_says_unset_and_set() -> None:
    patch = (
        "- unset:\n    interface:\n      swp1:\n        link:\n"
        "- set:\n    interface:\n      swp1-3,5:\n        type: swp\n"
    )

    async def body(switch: Nvue) -> None:
        await switch.done("set interface swp1 link mtu 9000", "config apply")
        status, printed = await switch.nv("config patch -", patch)
        assert status == 0, printed
        diff = await switch.done("config diff")
        assert "- unset:\n    interface:\n      swp1:\n        link:\n" in diff
        assert "swp1-3,5:\n        type: swp\n" in diff

    scenario(body)


def test_a_patch_is_taken_whole_or_not_at_all() -> None:
    patch = "- set:\n    interface:\n      swp1: {link: {mtu: 9000}}\n      swp2: {link: {mtu: 99999}}\n"

    async def body(switch: Nvue) -> None:
        printed = await switch.refused("config patch -", patch)
        assert "Config invalid at interface.swp2.link.mtu" in printed
        assert await switch.done("config diff") == ""

    scenario(body)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("set interface swp1 frobnicate on", "Invalid Command"),
        ("set interface swp1 link mtu 100000", "(integer:552 - 9216)"),
        ("set interface swp1 link fec strong", "is not of type"),
        ("set interface swp1 link", "Incomplete Command"),
        ("set bridge domain br_default vlan 4095", "Invalid Command"),
        ("set vrf default router bgp neighbor swp1 color blue", "Invalid Command"),
        ("frobnicate", "Invalid Command"),
        ("show interface swp99", "The requested item does not exist"),
        ("config apply 99", "Unknown revision: 99"),
    ],
)
def test_what_nvue_does_not_have_is_refused(command: str, said: str) -> None:
    async def body(switch: Nvue) -> None:
        assert said in await switch.refused(command)

    scenario(body)


@pytest.mark.parametrize(
    ("release", "taken", "refused"),
    [
        ("5.12", "set service syslog mgmt server 192.0.2.1", "set system syslog server 192.0.2.1"),
        ("5.13", "set system syslog server 192.0.2.1 vrf mgmt", "set service syslog mgmt server 192.0.2.1"),
        ("5.13", "set qos roce enable on", "set qos roce state enabled"),
        ("5.15", "set qos roce state enabled", "set qos roce enable on"),
        ("5.15", "set interface swp1 ipv4 address 10.0.0.1/24", "set interface swp1 ip address 10.0.0.1/24"),
        ("5.13", "set vrf default router bgp peer-group a bfd enable on", "set router bfd profile a"),
        ("5.15", "set vrf default router bgp peer-group a bfd profile a", "set service lldp state enabled"),
        ("5.15", "set nve vxlan arp-nd-suppress enabled", "set nve vxlan arp-nd-suppress on"),
    ],
)
def test_every_release_has_its_own_words(release: str, taken: str, refused: str) -> None:
    async def body(switch: Nvue) -> None:
        await switch.done(taken)
        assert "nvalid" in await switch.refused(refused)

    scenario(body, release)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (("interface swp1 link breakout 8x",), "needs swp2 disabled"),
        (("interface swp1s0 link mtu 9000",), "swp1s0 does not exist"),
        (("interface swp1 link state up", "interface swp1 link state down"), "exclude each other"),
        (("interface swp1 router adaptive-routing enable on",), "not supported at 800G"),
        (("interface bond1 bond member swp1", "interface bond1 router adaptive-routing enable on"), "physical layer 3"),
        (("interface vlan10 router adaptive-routing enable on",), "physical layer 3"),
        (
            ("interface swp1 link breakout 2x", "interface swp1s0 ip vrf RED",
             "interface swp1s0 router adaptive-routing enable on"),
            "not in the default VRF",
        ),
        (("interface swp1 link breakout 2x", "interface swp1s0 link speed 800G"), "800G is not supported"),
        (("interface swp1 qos pfc-watchdog state enable",), "PFC is not enabled"),
        (("vrf default router bgp neighbor swp1 peer-group nobody",), "'nobody' does not exist"),
        (("interface bond1 bond member swp1", "interface bond2 bond member swp1"), "is a member of bond1"),
        (("interface swp1 evpn multihoming segment local-id 1",), "is not a bond"),
        (("qos traffic-pool a memory-percent 60", "qos traffic-pool b memory-percent 50"), "greater than 100"),
        (
            ("bridge domain br_default vlan 10", "evpn multihoming enable on", "nve vxlan arp-nd-suppress off"),
            "ARP and ND suppression",
        ),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_refused_when_it_is_applied(lines: tuple[str, ...], said: str) -> None:
    async def body(switch: Nvue) -> None:
        await switch.done(*(f"set {line}" for line in lines))
        printed = await switch.refused("config apply -y")
        assert printed.startswith("Invalid config [rev_id: 2]")
        assert said in printed
        assert (await switch.states())["2"] == "invalid"

    scenario(body)


def test_a_split_8x_with_its_neighbour_disabled_is_taken() -> None:
    async def body(switch: Nvue) -> None:
        await switch.done(
            "set interface swp1 link breakout 8x lanes-per-port 1", "set interface swp2 link breakout disabled"
        )
        await switch.done("set interface swp1s7 link state up", "config apply")
        names = json.loads(await switch.done("show interface -o json"))
        assert {"swp1s0", "swp1s7", "swp3"} <= names.keys()
        assert not {"swp1", "swp2"} & names.keys()

    scenario(body)


def test_a_trial_returns_by_itself_and_is_not_saved_before_it_is_confirmed() -> None:
    async def body(switch: Nvue) -> None:
        before = await switch.done("config show")
        await switch.done("set interface swp1 link mtu 9000", "config apply -y --confirm 5")
        assert (await switch.states())["2"] == "confirm"
        assert "9000" not in switch.switch.files.read("/etc/nvue.d/startup.yaml")
        assert [timer.name for timer in switch.switch.units.armed] == ["nvue-confirm.timer"]
        await switch.passes(4 * 60)
        assert "9000" in await switch.done("config show")
        await switch.passes(61)
        assert await switch.done("config show") == before
        assert (await switch.states())["2"] == "confirm_fail"

    scenario(body)


@pytest.mark.parametrize(("option", "seconds"), [("", 600), ("30s", 30), ("2m", 120), ("1", 60), ("1h", 3600)])
def test_a_trial_lasts_as_long_as_was_said(option: str, seconds: int) -> None:
    async def body(switch: Nvue) -> None:
        await switch.done("set interface swp1 link mtu 9000", f"config apply -y --confirm {option}")
        await switch.passes(seconds - 5)
        assert (await switch.states())["2"] == "confirm"
        await switch.passes(6)
        assert (await switch.states())["2"] == "confirm_fail"

    scenario(body)


@pytest.mark.parametrize(("end", "kept"), [("--confirm-yes", True), ("--confirm-no", False)])
def test_a_trial_is_ended(end: str, kept: bool) -> None:  # noqa: FBT001 parametrised
    async def body(switch: Nvue) -> None:
        await switch.done("set interface swp1 link mtu 9000", "config apply -y --confirm", f"config apply 2 {end}")
        await switch.passes(3600)
        assert ("9000" in await switch.done("config show")) is kept
        assert ("9000" in switch.switch.files.read("/etc/nvue.d/startup.yaml")) is kept
        assert not switch.switch.units.armed
        assert "not waiting" in await switch.refused("config apply 2 --confirm-yes")

    scenario(body)


def test_a_restart_ends_a_trial_with_what_was_saved() -> None:
    async def body(switch: Nvue) -> None:
        await switch.done("set interface swp1 link mtu 9000", "config apply -y --confirm 5")
        switch.switch.power_off()
        await switch.switch.start()
        assert "9000" not in await switch.done("config show")
        assert not switch.switch.units.armed

    scenario(body)


def test_without_auto_save_a_restart_forgets() -> None:
    async def body(switch: Nvue) -> None:
        await switch.done("set system config auto-save state disabled", "config apply", "config save")
        printed = await switch.done("set interface swp1 link mtu 9000", "config apply")
        assert printed == "applied [rev_id: 3]\n"
        assert "mtu: 9000" in await switch.done("config diff startup applied")
        switch.switch.power_off()
        await switch.switch.start()
        assert "9000" not in await switch.done("config show")

    scenario(body)


def test_an_earlier_revision_returns() -> None:
    async def body(switch: Nvue) -> None:
        await switch.done("set interface swp1 link mtu 9000", "config apply", "set interface swp1 link mtu 1500")
        await switch.done("config apply", "config apply 2 -y")
        assert "mtu: 9000" in await switch.done("config show")
        history = await switch.done("config history")
        assert "rev_2_apply_2" in history
        assert await switch.done("config apply 2 -y") == "config apply executed with no config diff\n"

    scenario(body)


def test_replacing_without_the_account_deletes_it() -> None:
    async def body(switch: Nvue) -> None:
        await switch.nv("config replace -", "- set:\n    system:\n      hostname: leaf-a\n")
        await switch.done("config apply -y --confirm 1")
        assert "cumulus" not in switch.switch.passwords
        await switch.passes(61)
        assert switch.switch.passwords == {"cumulus": PASSWORD}

    scenario(body)


def test_pending_changes_are_each_users_own_and_can_be_let_go() -> None:
    async def body(switch: Nvue) -> None:
        await switch.done("set interface swp1 link mtu 9000")
        await switch.switch.shell.run("nv set interface swp2 link mtu 1500", root=True)
        assert "1500" not in await switch.done("config diff")
        assert await switch.done("config detach") == "detached [rev_id: 2]\n"
        assert await switch.done("config diff") == ""
        assert "9000" in await switch.done("config diff applied 2")

    scenario(body)


@pytest.mark.parametrize(
    ("release", "lines", "switchd", "frr"),
    [
        ("5.12", ("interface swp1 link breakout 2x", "interface swp1s0 router adaptive-routing enable on"), 1, 0),
        ("5.13", ("interface swp1 link breakout 2x", "interface swp1s0 router adaptive-routing enable on"), 0, 0),
        ("5.13", ("bridge domain br_default type vlan-aware", "evpn multihoming enable on"), 1, 0),
        ("5.13", ("router bgp enable on", "router bgp autonomous-system 65001"), 0, 1),
        ("5.13", ("interface swp1 link mtu 9000",), 0, 0),
    ],
)
def test_what_applying_restarts(release: str, lines: tuple[str, ...], switchd: int, frr: int) -> None:
    async def body(switch: Nvue) -> None:
        nos = switch.switch.nos
        assert isinstance(nos, Cumulus)
        await switch.done(*(f"set {line}" for line in lines))
        status, printed = await switch.nv("config apply --assume-no")
        assert bool(status) is bool(switchd or frr)
        assert ("restarted" in printed) is bool(switchd or frr)
        await switch.done("config apply -y") if status else None
        assert (nos.resets, nos.frr_restarts) == (switchd, frr)
        assert nos.resetting is bool(switchd)

    scenario(body, release)


def test_a_full_disk_keeps_a_trial_from_being_confirmed() -> None:
    async def body(switch: Nvue) -> None:
        await switch.done("set interface swp1 link mtu 9000", "config apply -y --confirm 5")
        switch.switch.files.full = True
        assert "No space left on device" in await switch.refused("config apply 2 --confirm-yes")
        assert (await switch.states())["2"] == "confirm"
        await switch.passes(301)
        assert "9000" not in await switch.done("config show")

    scenario(body)


@pytest.mark.shared
def test_nvidias_own_exports_are_taken_and_shown_as_they_were(shared: Path) -> None:
    text = (shared / "upstream" / "era-2-4-3" / "core-01.yaml").read_text("utf-8")

    async def body(switch: Nvue) -> None:
        status, printed = await switch.nv("config replace -", text)
        assert status == 0, printed
        shown = await switch.done("config diff empty pending")
        lines = text.splitlines()
        bridge = lines[lines.index("- set:") : lines.index("    interface:")]
        assert shown.splitlines()[: len(bridge)] == bridge

    scenario(body)
