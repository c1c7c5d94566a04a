"""A lab in this process, and a bench to deploy to it, break it, and look at what is left."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from lab.daemon.in_process import LabThread
from lab.spec.from_plan import lab_site
from rackproof.connect.access import LoadedAccess
from rackproof.connect.ssh import Limits
from rackproof.deploy.events import Event, Progressed
from rackproof.deploy.scheduler import Compared, Run, StepResult, compare
from rackproof.deploy.switch.build_steps import fabric_gates, selected, switch_orders, switch_step
from rackproof.deploy.switch.job import SwitchOptions, Timeouts
from rackproof.plan.from_file import PlannedSite, plan_site
from rackproof.site.access import Access, CredentialReference, DeviceAccess
from tests.deploy.nos_words import CUMULUS, ENTERPRISE_SONIC, EVERY_NOS, NosWords

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rackproof.deploy.switch.step import SwitchStep

PASSWORD: Final = "planted-9c41e7"
VARIABLE: Final = "RACKPROOF_TEST_LAB_PASSWORD"
TIMEOUTS: Final = Timeouts(
    confirm_s=3.0, contradiction_s=0.3, unreachable_s=1.0, restart_s=15.0, settle_s=0.05, poll_s=0.02
)


STARTUPS: Final = ("/etc/sonic/config_db.json", "/etc/nvue.d/startup.yaml")


class Machine(NamedTuple):
    """All that a deployment may leave on a switch."""

    running: str
    startup: str
    files: tuple[str, ...]
    armed: bool


class Bench:
    """A lab of one site and the deployment that works on it."""

    def __init__(self, planned: PlannedSite, lab: LabThread) -> None:
        self.planned = planned
        self.lab = lab
        self.events: list[Event] = []
        self.when: dict[str, Callable[[], object]] = {}
        """What a switch begins to do (the start of its words) to what then goes wrong, once."""

    @property
    def words(self) -> NosWords:
        """What the cases need to know of the NOS that the site's switches run."""
        (nos,) = {switch.nos for switch in self.planned.plan.switches.values() if switch.intent is not None}
        return EVERY_NOS[nos]

    def access(self, **changed: str) -> LoadedAccess:
        """How the switches are reached; ``changed`` gives some another host key."""
        devices = {
            name: DeviceAccess(
                host="127.0.0.1",
                port=self.lab.port(name),
                user=self.lab.lab.switch(name).user,
                host_key=changed.get(name.replace("-", "_"), self.lab.lab.endpoints[name].public_host_key),
                password=CredentialReference(env=VARIABLE),
            )
            for name in self.planned.plan.intents()
        }
        return LoadedAccess(Access(devices=devices), Path("access.yaml"))

    def steps(
        self, *only: str, options: SwitchOptions | None = None, access: LoadedAccess | None = None
    ) -> dict[str, SwitchStep]:
        """The steps of the chosen switches, or of all."""
        loaded = access or self.access()
        limits = Limits(connect_s=2.0, login_s=3.0, command_s=5.0)
        targets = {name: replace(loaded.target(name), limits=limits) for name in selected(self.planned.plan, only)}
        chosen = options or SwitchOptions(timeouts=TIMEOUTS)
        confirmed: set[str] = set()
        return {
            order.target.device: switch_step(order, self.planned.catalogue, chosen, confirmed, self.report)
            for order in switch_orders(self.planned.plan, targets)
        }

    def report(self, event: Event) -> None:
        self.events.append(event)
        if isinstance(event, Progressed):
            for doing in [doing for doing in self.when if event.doing.startswith(doing)]:
                self.when.pop(doing)()

    def up(
        self, *only: str, options: SwitchOptions | None = None, access: LoadedAccess | None = None
    ) -> dict[str, StepResult]:
        """Compare and bring about, as ``rackproof up`` does."""

        async def whole() -> tuple[StepResult, ...]:
            steps = self.steps(*only, options=options, access=access)
            compared = await compare(tuple(steps.values()), self.report)
            ends = fabric_gates(self.planned.plan, steps, options or SwitchOptions(timeouts=TIMEOUTS))
            return await Run([*steps.values(), *ends], compared, self.report).all()

        return {result.step: result for result in asyncio.run(whole())}

    def compared(self, *only: str) -> dict[str, Compared]:
        """Compare, as ``rackproof diff`` does."""
        steps = tuple(self.steps(*only).values())
        return {one.step: one for one in asyncio.run(compare(steps, self.report))}

    def inject(self, fault: str, switch: str, **parameters: str) -> None:
        self.lab.call(self.lab.lab.inject(fault, {"switch": switch, **parameters}))

    def clear(self) -> None:
        self.lab.call(self.lab.lab.clear())

    def power_on_after_its_timer(self) -> None:
        """Give a dead switch its power back when its return has long been due."""
        self.clear()
        self.advance(TIMEOUTS.return_after_s + 1)

    def advance(self, seconds: float) -> None:
        """Move the lab's clock, in the thread where its switches run."""

        async def move() -> None:
            self.lab.lab.advance(seconds)

        self.lab.call(move())

    def type(self, switch: str, *lines: str) -> None:
        """Type lines at a switch's console."""
        refused = self.lab.call(self.lab.lab.edit(switch, lines))
        assert not refused, refused

    def assert_as_before(self, switch: str, before: Machine) -> None:
        """Assert that a deployment left nothing on a switch, neither configuration nor files nor pending changes."""
        assert self.machine(switch) == before
        for command in self.words.empty_output:
            assert not self.lab.call(self.lab.lab.switch(switch).shell.run(command)).out, command

    def machine(self, switch: str) -> Machine:
        """All that a deployment may have left on a switch."""

        async def look() -> Machine:
            device = self.lab.lab.switch(switch)
            units = "/etc/systemd/system"
            folders = [f for f in ("/etc/sonic", units, f"{units}/timers.target.wants") if device.files.is_folder(f)]
            paths = (f"{folder}/{name}" for folder in folders for name in sorted(device.files.names(folder)))
            files = tuple(path for path in paths if not path.endswith(".wants"))
            startup = device.files.read(next(path for path in STARTUPS if device.files.is_file(path)))
            return Machine(device.nos.running_configuration(), startup, files, bool(device.units.armed))

        return self.lab.call(look())


@pytest.fixture(autouse=True)
def _password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, PASSWORD)


@contextmanager
def lab_bench(site_file: Path) -> Iterator[Bench]:
    """Start the lab of a site, whose switches all run the same NOS."""
    planned = plan_site(site_file)
    with LabThread(lab_site(planned.plan, planned.catalogue), PASSWORD) as lab:
        yield Bench(planned, lab)


@pytest.fixture
def bench() -> Iterator[Bench]:
    """The published two-server site."""
    with lab_bench(ENTERPRISE_SONIC.site) as bench:
        yield bench


@pytest.fixture
def spectrum() -> Iterator[Bench]:
    """Switches with Cumulus Linux."""
    with lab_bench(CUMULUS.site) as bench:
        yield bench


@pytest.fixture
def pair() -> Iterator[Bench]:
    """Two switches of one redundancy group, and the out-of-band switch."""
    with lab_bench(ENTERPRISE_SONIC.pair_site) as bench:
        yield bench


@pytest.fixture(params=EVERY_NOS)
def any_nos(request: pytest.FixtureRequest) -> Iterator[Bench]:
    """A site of each NOS in turn."""
    with lab_bench(EVERY_NOS[request.param].site) as bench:
        yield bench


@pytest.fixture(params=EVERY_NOS)
def any_nos_pair(request: pytest.FixtureRequest) -> Iterator[Bench]:
    """A site with a redundancy group of each NOS in turn."""
    with lab_bench(EVERY_NOS[request.param].pair_site) as bench:
        yield bench
