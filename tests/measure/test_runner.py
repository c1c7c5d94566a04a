"""Runs over SSH: hosts run jobs together, a silent host does not stop the others, an interrupt leaves no process."""

from __future__ import annotations

import asyncio
import subprocess
import threading
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

import asyncssh
import pytest
from pydantic import SecretStr

from rackproof.connect.credentials import Credential
from rackproof.connect.ssh import Target
from rackproof.measure.remote.commands import command_result, run_commands
from rackproof.measure.remote.runner import HostJobs, HostResult, Job, JobResult, SshRunner
from rackproof.site.access import CredentialReference, DeviceAccess
from tests.measure.fake_tools import install
from tests.measure.test_agent import free_port, gone_within, is_alive

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping
    from pathlib import Path

LOOPBACK: Final = "127.0.0.1"
PATIENCE_S: Final = 20.0


class Anybody(asyncssh.SSHServer):
    def begin_auth(self, username: str) -> bool:  # noqa: ARG002 asyncssh's
        return False


async def run_here(process: asyncssh.SSHServerProcess[bytes]) -> None:
    """Run what a client asks for, as sshd does; the end of the connection is the end of standard input."""
    child = await asyncio.create_subprocess_shell(
        process.command or "", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stderr is not None
    heard = asyncio.create_task(heard_out(process.stdin, child.stdin))
    said = asyncio.create_task(pass_on(child.stdout, process.stdout))
    complained = await child.stderr.read()
    await asyncio.gather(said, child.wait())
    heard.cancel()
    child.stdin.close()
    with suppress(OSError):
        process.stderr.write(complained)
        process.exit(child.returncode or 0)


async def heard_out(source: Any, sink: asyncio.StreamWriter) -> None:  # noqa: ANN401 asyncssh's stream
    await pass_on(source, sink)
    sink.close()


async def pass_on(source: Any, sink: Any) -> None:  # noqa: ANN401 streams of asyncio and of asyncssh
    """Pass on what comes, until it ends or the other side is gone."""
    with suppress(OSError, asyncssh.Error):
        while data := await source.read(65536):
            sink.write(data)


@asynccontextmanager
async def ended(runner: SshRunner) -> AsyncIterator[None]:
    try:
        yield
    finally:
        await runner.close()


@pytest.fixture(name="runner")
def _runner() -> Iterator[SshRunner]:
    """Every host is this machine, which goes on when our own loop ends; ``gone`` does not answer."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    key = asyncssh.generate_private_key("ssh-ed25519")
    server = asyncio.run_coroutine_threadsafe(opened(key), loop).result(PATIENCE_S)

    def target(device: str) -> Target:
        port = free_port() if device == "gone" else server.get_port()
        host_key = key.export_public_key().decode().strip()
        reference = CredentialReference(env="UNUSED")
        access = DeviceAccess(host=LOOPBACK, port=port, user="me", password=reference, host_key=host_key)
        return Target(device, access, lambda: Credential(password=SecretStr("x")))

    yield SshRunner(target)
    asyncio.run_coroutine_threadsafe(closed(server), loop).result(PATIENCE_S)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(PATIENCE_S)
    loop.close()


async def opened(key: asyncssh.SSHKey) -> asyncssh.SSHAcceptor:
    return await asyncssh.create_server(
        Anybody, LOOPBACK, 0, server_host_keys=[key], process_factory=run_here, encoding=None
    )


async def closed(server: asyncssh.SSHAcceptor) -> None:
    server.close()
    await server.wait_closed()
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    await asyncio.wait(others, timeout=PATIENCE_S) if others else None


def test_servers_of_all_hosts_listen_before_any_client_starts(runner: SshRunner, tmp_path: Path) -> None:
    server, client = install(tmp_path)
    port = free_port()

    async def run_jobs() -> Mapping[str, HostResult]:
        host_jobs = {
            "a": HostJobs({"s": Job([server, str(port), str(tmp_path / "pid")], port)}, {}, 30),
            "b": HostJobs({}, {"c": Job([client, str(port)])}, 30),
            "gone": HostJobs({}, {"c": Job(["true"])}, 30),
        }
        async with ended(runner), runner.open_run(host_jobs) as run:
            await run.start_servers()
            assert is_alive(int((tmp_path / "pid").read_text("utf-8")))
            return await run.run_clients()

    results = asyncio.run(run_jobs())

    assert results["a"].results["s"].out == "served hello\n"
    assert results["b"].results["c"].out == "sent\n"
    assert "does not answer" in results["gone"].error


def test_an_interrupt_leaves_no_process(runner: SshRunner, tmp_path: Path) -> None:
    server, _ = install(tmp_path)
    port = free_port()

    async def interrupted() -> None:
        host_jobs = {"a": HostJobs({"s": Job([server, str(port), str(tmp_path / "pid")], port)}, {}, 600)}
        async with ended(runner), runner.open_run(host_jobs) as run:
            await run.start_servers()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(interrupted())

    assert gone_within(int((tmp_path / "pid").read_text("utf-8")), PATIENCE_S)


def test_commands_are_asked_on_many_hosts_at_once(runner: SshRunner) -> None:
    async def asked() -> list[JobResult | str]:
        names = [f"host-{number}" for number in range(4)]
        async with ended(runner):
            await run_commands(runner, {names[0]: {"k": ["true"]}}, 10)  # its connection is used again
            results = await run_commands(runner, {name: {"k": ["printf", "%s", name]} for name in names}, 10)
        return [command_result(results[name], "k") for name in names]

    said = asyncio.run(asked())

    assert [one.out for one in said if isinstance(one, JobResult)] == [f"host-{number}" for number in range(4)]


def test_a_host_whose_python_breaks_off_says_why(runner: SshRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rackproof.measure.remote.runner.agent_command", lambda: "echo no python here >&2; exit 3")

    async def asked() -> JobResult | str:
        async with ended(runner):
            return command_result((await run_commands(runner, {"a": {"k": ["true"]}}, 10))["a"], "k")

    assert asyncio.run(asked()) == "a broke off: no python here"
