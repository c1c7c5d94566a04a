"""Device control over SSH on switches of a lab: a restarted device is back only in its next boot."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from rackproof.connect.errors import UnreadableError
from rackproof.connect.ssh import connected
from rackproof.measure.remote import device_control
from rackproof.measure.remote.device_control import BOOT_COMMAND, SshDeviceControl
from tests.deploy.nos_words import BACKEND

if TYPE_CHECKING:
    from rackproof.connect.ssh import Target
    from tests.deploy.conftest import Bench

pytestmark = pytest.mark.lab
SOON_S = 0.05


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_control, "POLL_S", SOON_S)


async def boot_value(target: Target) -> str:
    async with connected(target) as connection:
        return str((await connection.run(BOOT_COMMAND, check=True)).stdout)


@pytest.mark.parametrize("kind", ["bench", "spectrum"])
def test_what_restarts_comes_back(kind: str, request: pytest.FixtureRequest) -> None:
    lab: Bench = request.getfixturevalue(kind)
    found = lab.access()
    device = next(name for name in found.access.devices if "leaf" in name)
    control = SshDeviceControl(found.target)

    async def restarted() -> tuple[str, float | None, str]:
        start = await control.restart(device)
        return start, await control.wait_restarted(device, start, 20.0), await boot_value(found.target(device))

    before, back, after = asyncio.run(restarted())

    assert back is not None
    assert before.strip()
    assert before != after


def test_what_answers_without_having_restarted_is_not_back(bench: Bench) -> None:
    target = bench.access().target

    async def waited() -> float | None:
        return await SshDeviceControl(target).wait_restarted(BACKEND, await boot_value(target(BACKEND)), 4 * SOON_S)

    assert asyncio.run(waited()) is None


def test_who_may_not_restart_it_is_told_so(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_control, "RESTART_COMMAND", "reboot")

    with pytest.raises(UnreadableError, match=r"it did not restart: .*Root privileges"):
        asyncio.run(SshDeviceControl(bench.access().target).restart(BACKEND))
