"""`rackproof discover` against servers that answer over SSH: what is recorded, what is refused, what is told."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import asyncssh
import pytest
import yaml12

from rackproof import paths
from rackproof.cli.app import run
from rackproof.cli.output import ExitStatus
from tests.facts.machine import NETXTREME, Machine, xe9680

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import Golden

GOLDEN: Final = Path(__file__).parent / "discover"
PASSWORD: Final = "planted-9c41e7"
SUDO: Final = "sudo -n python3 -"


class AnyPassword(asyncssh.SSHServer):
    """Lets in who has the password."""

    def begin_auth(self, username: str) -> bool:  # noqa: ARG002 asyncssh's
        return True

    def password_auth_supported(self) -> bool:
        return True

    def validate_password(self, username: str, password: str) -> bool:  # noqa: ARG002 asyncssh's
        return password == PASSWORD


class Servers:
    """SSH servers of this process: what is sent to one is run by this Python, on the files of its machine."""

    def __init__(self, folder: Path) -> None:
        self.machines = {f"gpu-00{number}": xe9680(folder / f"gpu-00{number}", number) for number in (1, 2)}
        self.refuses_sudo: set[str] = set()
        self.ports: dict[str, int] = {}
        self.key = asyncssh.generate_private_key("ssh-ed25519")

    async def start(self) -> list[asyncssh.SSHAcceptor]:
        listening = []
        for name in self.machines:

            async def answer(process: asyncssh.SSHServerProcess[str], name: str = name) -> None:
                await self.answer(name, process)

            listening.append(
                await asyncssh.listen(
                    "127.0.0.1", 0, server_host_keys=[self.key], server_factory=AnyPassword, process_factory=answer
                )
            )
            self.ports[name] = listening[-1].get_port()
        return listening

    async def answer(self, name: str, process: asyncssh.SSHServerProcess[str]) -> None:
        assert SUDO in (process.command or "")
        script = await process.stdin.read()
        if name in self.refuses_sudo:
            process.stderr.write("sudo: a password is required\n")
            process.exit(1)
            return
        script = script.replace("gather()", f"gather({str(self.machines[name].root)!r})")
        ended = await asyncio.to_thread(
            subprocess.run, [sys.executable, "-"], input=script, capture_output=True, text=True, check=False
        )
        process.stdout.write(ended.stdout)
        process.stderr.write(ended.stderr)
        process.exit(ended.returncode)


@contextmanager
def running(servers: Servers) -> Iterator[None]:
    """Serve in a thread of its own while a command runs in this one."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    listening = asyncio.run_coroutine_threadsafe(servers.start(), loop).result()
    try:
        yield
    finally:

        async def stop() -> None:
            for one in listening:
                one.close()
                await one.wait_closed()

        asyncio.run_coroutine_threadsafe(stop(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


class Desk:
    """A person at the command line."""

    def __init__(self, servers: Servers, folder: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.servers = servers
        self.machines = servers.machines
        self.access = folder / "access.yaml"
        self.record = folder / "as-built.yaml"
        self.capture = capture
        self.write_access(*servers.machines)

    def write_access(self, *names: str) -> None:
        host_key = " ".join(self.servers.key.export_public_key().decode().split()[:2])
        devices = {
            name: {
                "host": "127.0.0.1",
                "port": self.servers.ports[name],
                "user": "rackproof",
                "host_key": host_key,
                "password": {"env": "RACKPROOF_TEST_HOSTS_PASSWORD"},
            }
            for name in names
        }
        self.access.write_text(yaml12.format_yaml({"devices": devices}))

    def discover(self, *words: str) -> tuple[int, str]:
        """Exit status, and what is told, without the site's warnings and places."""
        status = run(["discover", "metrum-h200", "--access", str(self.access), *words])
        return status, self.capture.readouterr().out.replace(str(self.access.parent), "<folder>")

    def recorded(self) -> Any:  # noqa: ANN401 YAML
        document: Any = yaml12.read_yaml(self.record)
        return document["servers"]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Desk]:
    monkeypatch.setenv("RACKPROOF_TEST_HOSTS_PASSWORD", PASSWORD)
    servers = Servers(tmp_path)
    with running(servers):
        yield Desk(servers, tmp_path, capsys)


def without(machine: Machine, *names: str) -> None:
    """Take adapters out."""
    for name in names:
        address = (machine.root / "sys/class/net" / name / "device").readlink().name
        for place in [f"class/net/{name}/{part}" for part in ("address", "type", "dev_port", "device")]:
            (machine.root / "sys" / place).unlink()
        (machine.root / "sys/class/net" / name).rmdir()
        for rdma in (machine.root / "sys/class/infiniband").iterdir():
            if (rdma / "device").is_symlink() and (rdma / "device").readlink().name == address:
                (rdma / "device").unlink()


def test_servers_are_recorded_once(desk: Desk) -> None:
    status, said = desk.discover()

    assert status == ExitStatus.DONE
    assert "gpu-001:rail13: slot 38, 0000:1a:00.1, 02:00:00:01:26:01, 14e4:1760" in said
    assert desk.recorded()["gpu-002"]["serial"] == "7XK9QW2"
    assert desk.recorded()["gpu-001"]["ports"]["rail12"] == {
        "slot": 38,
        "pci_address": "0000:1a:00.0",
        "mac_address": "02:00:00:01:26:00",
        "numa_node": 0,
        "rdma_device": "bnxt_re12",
        "device_id": "14e4:1760",
    }
    before = desk.record.stat()

    assert desk.discover() == (ExitStatus.DONE, "nothing new for <folder>/as-built.yaml\n")
    assert desk.record.stat() == before


def test_the_inventory_takes_addresses_from_the_record(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "BUILD", tmp_path / "build")
    desk.discover()
    desk.write_access("gpu-001")

    assert run(["inventory", "metrum-h200", "--access", str(desk.access)]) == ExitStatus.DONE

    inventory = tmp_path / "build" / "metrum-h200" / "ansible"
    assert [file.name for file in (inventory / "host_vars").iterdir()] == ["gpu-001.yaml"]
    variables: Any = yaml12.read_yaml(inventory / "host_vars" / "gpu-001.yaml")
    assert [
        (port["pci_address"], port["mac_address"]) for port in variables["port_names_ports"] if port["name"] == "rail12"
    ] == [("0000:1a:00.0", "02:00:00:01:26:00")]
    assert "left out, because access.yaml does not say how they are reached: gpu-002" in desk.capture.readouterr().err


def test_host_keys_of_servers_are_recorded(desk: Desk) -> None:
    trusted: Any = yaml12.parse_yaml(desk.access.read_text())
    devices = {name: {**entry, "host_key": None} for name, entry in trusted["devices"].items()}
    desk.access.write_text(yaml12.format_yaml({"devices": devices}))
    assert desk.discover()[0] == ExitStatus.UNKNOWN

    status = run(["trust", "metrum-h200", "--access", str(desk.access), "--yes", "--only", "gpu"])

    assert status == ExitStatus.DONE
    assert yaml12.parse_yaml(desk.access.read_text()) == trusted
    assert desk.discover()[0] == ExitStatus.DONE


def test_a_renamed_rdma_device_is_no_change(desk: Desk) -> None:
    desk.discover()
    device = desk.machines["gpu-001"].root / "sys/class/infiniband/bnxt_re12"
    device.rename(device.with_name("rdma_rail12"))

    assert desk.discover()[0] == ExitStatus.DONE
    assert desk.recorded()["gpu-001"]["ports"]["rail12"]["rdma_device"] == "bnxt_re12"


def test_what_contradicts_is_told_and_not_recorded(desk: Desk, golden: Golden) -> None:
    desk.discover()
    first = desk.machines["gpu-001"]
    first.file("sys/class/net/ens38f0np0/address", "02:00:00:99:99:99")
    first.file("sys/class/net/ens39f0np0/address", "02:00:00:01:20:00")
    second = desk.machines["gpu-002"]
    without(second, "ens35f0np0", "ens35f1np1", "eno1", "ens33f0np0", "ens33f1np1")
    for port in (0, 1):
        second.adapter(f"ens40f{port}", f"0000:1b:00.{port}", f"02:00:00:02:23:0{port}")
    second.adapter("ens34f0np0", "0000:cc:00.0", "02:00:00:02:22:00", NETXTREME)
    second.serial = "OTHER"
    second.firmware()
    before = desk.record.read_bytes()

    status, said = desk.discover()

    assert status == ExitStatus.FAILED
    assert desk.record.read_bytes() == before
    golden(GOLDEN / "contradictions.txt", said)


def test_a_replaced_adapter_is_accepted_by_name(desk: Desk) -> None:
    desk.discover()
    desk.machines["gpu-001"].file("sys/class/net/ens38f0np0/address", "02:00:00:99:99:99")

    assert desk.discover("--accept", "gpu-001:rail13")[0] == ExitStatus.FAILED
    assert desk.discover("--accept", "gpu-001:rail12")[0] == ExitStatus.DONE
    assert desk.recorded()["gpu-001"]["ports"]["rail12"]["mac_address"] == "02:00:00:99:99:99"
    assert desk.discover()[0] == ExitStatus.DONE


def test_others_are_recorded_when_one_cannot_be_asked(desk: Desk) -> None:
    desk.servers.refuses_sudo.add("gpu-002")

    status, said = desk.discover()

    assert status == ExitStatus.UNKNOWN
    assert "gpu-002: could not be read" in said
    assert "a password is required" in said
    assert list(desk.recorded()) == ["gpu-001"]


def test_firmware_that_shows_no_slots(desk: Desk) -> None:
    machine = desk.machines["gpu-001"]
    (machine.root / "sys/firmware/dmi/tables/DMI").unlink()

    status, said = desk.discover()

    assert status == ExitStatus.FAILED
    assert "nothing says which slots this server has (SMBIOS type 9)" in said


@pytest.mark.parametrize("name", ["gpu-009", "gpu-001:rail99", "rail3"])
def test_only_what_the_plan_has_can_be_accepted(desk: Desk, name: str) -> None:
    assert desk.discover("--accept", name)[0] == ExitStatus.BAD_INPUT


def test_a_program_reads_it(desk: Desk) -> None:
    desk.servers.refuses_sudo.add("gpu-002")

    _, said = desk.discover("--json")

    document = json.loads(said)
    assert document["changed"] is True
    assert [one["server"] for one in document["servers"]] == ["gpu-001"]
    assert [(one["server"], one["hint"]) for one in document["silent"]] == [
        ("gpu-002", "it needs python3, and its user sudo without a password")
    ]
    assert PASSWORD not in said


@pytest.mark.parametrize(
    ("case", "text"),
    [
        ("not-yaml", "servers: [\n"),
        ("wrong-values", "servers: {gpu-001: {ports: {rail0: {slot: a, pci_address: 1a:00.0, device_id: 1760}}}}\n"),
        ("unknown-key", "servers: {gpu-001: {asset: 7}}\n"),
    ],
)
def test_a_bad_record_is_refused(desk: Desk, case: str, text: str, golden: Golden) -> None:
    desk.record.write_text(text)

    status = run(["discover", "metrum-h200", "--access", str(desk.access)])

    said = desk.capture.readouterr().err.replace(str(desk.access.parent), "<folder>")
    assert status == ExitStatus.BAD_INPUT
    assert desk.record.read_text() == text
    golden(GOLDEN / f"{case}.txt", said[said.index("error:") :])
