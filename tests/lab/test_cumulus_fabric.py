"""Switches with Cumulus Linux among others: links, LLDP and BGP follow from both ends, whatever their NOS."""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING, Any, Final

import pytest

from lab.daemon.running_lab import RunningLab
from lab.spec.models import HostEnd, LabEnd, LabLink, LabSite
from tests.lab.conftest import PASSWORD, switch_spec
from tests.lab.test_cumulus_workflow import spectrum

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

SERVER: Final = LabEnd("gpu-001", "rail0")


def mixed_site() -> LabSite:
    """leaf-a and leaf-b with Cumulus Linux, leaf-c with Enterprise SONiC: a to b by swp4, a to c by swp3, a server."""
    links = (
        LabLink(LabEnd("leaf-a", "swp1s0"), SERVER, "OSFP 400G DAC"),
        LabLink(LabEnd("leaf-a", "swp4"), LabEnd("leaf-b", "swp4")),
        LabLink(LabEnd("leaf-a", "swp3"), LabEnd("leaf-c", "Eth1/4")),
    )
    switches = {"leaf-a": spectrum("leaf-a"), "leaf-b": spectrum("leaf-b"), "leaf-c": switch_spec("leaf-c")}
    return LabSite("mixed", switches, links, (HostEnd(SERVER, 400_000, "rs"),))


class Mixed:
    """The running lab."""

    def __init__(self, lab: RunningLab) -> None:
        self.lab = lab

    async def type(self, switch: str, *lines: str) -> None:
        assert await self.lab.edit(switch, lines) == ()
        nos = self.lab.switch(switch).nos
        while getattr(nos, "frr_down", False):  # noqa: ASYNC110 the lab has no event for it
            await asyncio.sleep(0)

    async def show(self, switch: str, what: str) -> dict[str, Any]:
        outcome = await self.lab.switch(switch).shell.run(f"nv show {what} -o json")
        assert not outcome.status, outcome.error
        found: dict[str, Any] = json.loads(outcome.out)
        return found

    async def state(self, switch: str, port: str) -> str:
        return str((await self.show(switch, f"interface {port}"))["link"]["oper-status"])


def on_mixed(body: Callable[[Mixed], Awaitable[None]]) -> None:
    async def run() -> None:
        async with RunningLab(mixed_site(), PASSWORD) as lab:
            await body(Mixed(lab))

    asyncio.run(run())


SONIC: Final = ("interface Eth1/4", "no shutdown", "exit")


def test_a_link_is_up_when_both_ends_agree() -> None:
    async def body(fabric: Mixed) -> None:
        assert await fabric.state("leaf-a", "swp4") == "down"
        await fabric.type("leaf-a", "nv set interface swp3-4 type swp")
        assert await fabric.state("leaf-a", "swp4") == "down"
        await fabric.type("leaf-b", "nv set interface swp4 type swp")
        assert await fabric.state("leaf-a", "swp4") == "up"
        await fabric.type("leaf-c", *SONIC)
        assert await fabric.state("leaf-a", "swp3") == "up"
        await fabric.type("leaf-a", "nv set interface swp4 link speed 400G", "nv set interface swp3 link fec off")
        assert await fabric.state("leaf-a", "swp4") == "down"
        assert await fabric.state("leaf-a", "swp3") == "down"

    on_mixed(body)


def test_a_split_port_reaches_its_server() -> None:
    async def body(fabric: Mixed) -> None:
        await fabric.type("leaf-a", "nv set interface swp1 link breakout 2x", "nv set interface swp1s0 link state up")
        port = await fabric.show("leaf-a", "interface swp1s0")
        assert port["link"]["speed"] == "400G"
        assert port["lldp"]["neighbor"]["gpu-001"]["port"]["name"] == "rail0"

    on_mixed(body)


def test_neighbours_hear_each_other_across_noses() -> None:
    async def body(fabric: Mixed) -> None:
        await fabric.type("leaf-a", "nv set interface swp3 description 'to leaf-c'")
        await fabric.type("leaf-c", *SONIC)
        heard = await fabric.show("leaf-a", "interface lldp")
        assert heard["swp3"]["lldp"]["neighbor"]["leaf-c"]["port"]["name"] == "Eth1/4"
        table = (await fabric.lab.switch("leaf-c").shell.run("sonic-cli -c 'show lldp table'")).out
        assert "leaf-a" in table
        assert "swp3" in table

    on_mixed(body)


@pytest.mark.parametrize(("remote", "state"), [("external", "established"), ("internal", "idle"), ("65099", "idle")])
def test_sessions_come_up_across_noses_when_both_expect_each_other(remote: str, state: str) -> None:
    async def body(fabric: Mixed) -> None:
        await fabric.type(
            "leaf-a",
            "nv set interface swp3 type swp",
            "nv set router bgp enable on",
            "nv set router bgp autonomous-system 65001",
            "nv set vrf default router bgp enable on",
            f"nv set vrf default router bgp peer-group fabric remote-as {remote}",
            "nv set vrf default router bgp neighbor swp3 peer-group fabric",
        )
        family = ("address-family ipv4 unicast", "activate", "exit")
        neighbor = ("neighbor interface Eth1/4", "remote-as external", *family)
        await fabric.type(
            "leaf-c", "interface Eth1/4", "ipv6 enable", "no shutdown", "exit", "router bgp 65002", *neighbor
        )
        found = await fabric.show("leaf-a", "vrf default router bgp neighbor")
        assert found["swp3"]["state"] == state
        assert found["swp3"].get("remote-as") == (65002 if state == "established" else None)

    on_mixed(body)


def test_a_switch_restart_takes_its_ports_down_for_a_moment() -> None:
    async def body(fabric: Mixed) -> None:
        await fabric.type("leaf-a", "nv set interface swp4 type swp")
        await fabric.type("leaf-b", "nv set interface swp4 type swp", "nv set bridge domain br_default type vlan-aware")
        await fabric.type("leaf-b", "nv set evpn multihoming enable on")
        assert await fabric.state("leaf-a", "swp4") == "down"
        while getattr(fabric.lab.switch("leaf-b").nos, "resetting", False):  # noqa: ASYNC110 the lab has no event for it
            await asyncio.sleep(0)
        assert await fabric.state("leaf-a", "swp4") == "up"

    on_mixed(body)


def test_hundreds_start_in_seconds() -> None:
    names = [f"leaf-{number:03d}" for number in range(200)]

    async def body() -> None:
        began = time.perf_counter()
        async with RunningLab(LabSite("big", {name: spectrum(name) for name in names}), PASSWORD) as lab:
            shown = [(await lab.switch(name).shell.run("nv config show")).out for name in names]
        assert all(f"hostname: {name}" in text for name, text in zip(names, shown, strict=True))
        assert time.perf_counter() - began < 20

    asyncio.run(body())
