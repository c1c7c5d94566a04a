"""Two small switches, a host and the ways to talk to them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, Self

import asyncssh
import pytest

from lab.daemon.in_process import LabThread
from lab.daemon.running_lab import RunningLab
from lab.spec.models import BreakoutSpec, HostEnd, LabEnd, LabLink, LabSite, PortSpec, SwitchSpec
from lab.switches.clock import LabClock
from lab.switches.computed_links import ComputedLinks
from lab.switches.nos.enterprise_sonic.cli import Klish
from lab.switches.nos.enterprise_sonic.system import EnterpriseSonic
from lab.switches.switch import LabSwitch

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    OnConsole = Callable[[Callable[["Console"], Awaitable[None]]], None]
    OnFabric = Callable[[Callable[["Fabric"], Awaitable[None]]], None]

PASSWORD: Final = "planted-lab-password"
MODES: Final = {"2x400G": BreakoutSpec(2, 400_000), "4x200G": BreakoutSpec(4, 200_000)}


def switch_spec(name: str, ports: int = 4) -> SwitchSpec:
    return SwitchSpec(
        name=name,
        nos="enterprise-sonic",
        product="PowerSwitch Z9864F-ON",
        hwsku="Dell-Z9864F-O64",
        platform="x86_64-dell_z9864f-r0",
        asic="broadcom",
        serial_number="LAB0001",
        management_mac="02:00:00:00:00:01",
        ports={number: PortSpec(number, 800_000, MODES, (number - 1) * 8) for number in range(1, ports + 1)},
        management_address="10.30.0.16/16",
        management_gateway="10.30.0.1",
        hash_queue_pair=True,
    )


def small_site() -> LabSite:
    """leaf-a and leaf-b joined by Eth1/4; gpu-001 on Eth1/1/1 and Eth1/1/2 of leaf-a."""
    rail0, rail1 = LabEnd("gpu-001", "rail0"), LabEnd("gpu-001", "rail1")
    links = (
        LabLink(LabEnd("leaf-a", "Eth1/1/1"), rail0, "QSFP112 200G DAC"),
        LabLink(LabEnd("leaf-a", "Eth1/1/2"), rail1, "QSFP112 200G DAC"),
        LabLink(LabEnd("leaf-a", "Eth1/4"), LabEnd("leaf-b", "Eth1/4")),
    )
    return LabSite(
        name="small",
        switches={name: switch_spec(name) for name in ("leaf-a", "leaf-b")},
        links=links,
        hosts=(HostEnd(rail0, 200_000, "rs"), HostEnd(rail1, 200_000, "rs")),
    )


class Console:
    """One switch without a network, and a sonic-cli on it whose questions are answered as told."""

    def __init__(self) -> None:
        self.clock = LabClock()
        self.answers: list[str] = []
        self.asked: list[str] = []
        self.dropped = False

    async def start(self) -> Self:
        wiring = ComputedLinks((), (), lambda _: None)
        self.switch = LabSwitch(switch_spec("leaf-a"), self.clock, wiring, PASSWORD)
        await self.switch.start()
        return self

    @property
    def nos(self) -> EnterpriseSonic:
        assert isinstance(self.switch.nos, EnterpriseSonic)
        return self.switch.nos

    async def read_line(self, prompt: str) -> str | None:
        self.asked.append(prompt)
        return self.answers.pop(0) if self.answers else None

    async def write(self, text: str) -> None:
        """A page that nobody looks at."""

    def drop(self) -> None:
        self.dropped = True

    async def typed(self, *lines: str) -> list[tuple[str, str]]:
        """Type lines in a fresh sonic-cli; return what stood before and after each."""
        klish = Klish(self.nos, self)
        klish.page_lines = 0
        return [(klish.prompt, await klish.run(line)) for line in lines]

    async def configured(self, *lines: str) -> str:
        """Type lines in configuration mode and return what the last one printed."""
        return (await self.typed("configure terminal", *lines))[-1][1]

    async def sh(self, line: str) -> tuple[int, str]:
        outcome = await self.switch.shell.run(line)
        return outcome.status, outcome.out + outcome.error

    def block(self, header: str) -> list[str]:
        """Return the lines of a block of the running configuration, header first."""
        lines = self.nos.running_configuration().splitlines()
        start = lines.index(header)
        end = next((number for number in range(start + 1, len(lines)) if not lines[number].startswith(" ")), len(lines))
        return lines[start:end]

    async def until_up(self) -> None:
        if self.switch.power != "up":
            await self.switch.booted.wait()


@pytest.fixture(name="on_console")
def _on_console() -> OnConsole:
    """Run a scenario on a fresh switch."""

    def run(scenario: Callable[[Console], Awaitable[None]]) -> None:
        async def body() -> None:
            await scenario(await Console().start())

        asyncio.run(body())

    return run


@pytest.fixture(name="small_lab")
def _small_lab() -> Iterator[LabThread]:
    with LabThread(small_site(), PASSWORD) as lab:
        yield lab


@pytest.fixture(name="site")
def _site() -> LabSite:
    return small_site()


@pytest.fixture(name="big_site")
def _big_site() -> LabSite:
    names = [f"leaf-{number:03d}" for number in range(100)]
    return LabSite("big", {name: switch_spec(name, ports=64) for name in names})


class Fabric:
    """Clients of a running lab."""

    def __init__(self, lab: RunningLab) -> None:
        self.lab = lab

    def connect(self, switch: str, password: str = PASSWORD) -> asyncssh.misc._ACMWrapper[asyncssh.SSHClientConnection]:
        endpoint = self.lab.endpoints[switch]
        return asyncssh.connect(
            "127.0.0.1",
            endpoint.port,
            username="admin",
            password=password,
            known_hosts=None,
            client_keys=None,
            agent_path=None,
            config=None,
            connect_timeout=5,
        )

    async def run(self, switch: str, command: str, text: str | None = None) -> tuple[int | None, str]:
        async with self.connect(switch) as connection:
            result = await connection.run(command, input=text)
            return result.exit_status, f"{result.stdout!s}{result.stderr!s}"

    async def show(self, switch: str, command: str) -> str:
        return (await self.run(switch, f"sonic-cli -c '{command}'"))[1]

    async def edit(self, switch: str, *lines: str) -> None:
        assert await self.lab.edit(switch, lines) == ()

    async def until_up(self, switch: str) -> None:
        if self.lab.switches[switch].power != "up":
            await self.lab.switches[switch].booted.wait()


@pytest.fixture(name="on_fabric")
def _on_fabric() -> OnFabric:
    """Run a scenario on the running lab of the small site."""

    def run(scenario: Callable[[Fabric], Awaitable[None]]) -> None:
        async def body() -> None:
            async with RunningLab(small_site(), PASSWORD) as lab:
                await scenario(Fabric(lab))

        asyncio.run(body())

    return run
