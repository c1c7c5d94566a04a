"""The agent on a host: it runs its jobs, and ends all of them when the connection ends."""

from __future__ import annotations

import inspect
import json
import os
import select
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from rackproof.measure.remote import agent
from tests.measure.fake_tools import install

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE: Final = inspect.getsource(agent).replace("SERVER_GRACE_S = 3.0", "SERVER_GRACE_S = 0.2")
PATIENCE_S: Final = 20.0


class Agent:
    """A running agent, line by line."""

    def __init__(self, root: Path | str = "/") -> None:
        argv = [sys.executable, "-c", f"{SOURCE}\nmain({str(root)!r})\n"]
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def request(self, **wanted: object) -> None:
        self.say(json.dumps({"servers": {}, "clients": {}, "limit_s": 30, "inventory": False, **wanted}))

    def hear(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        readable, _, _ = select.select([self.process.stdout], [], [], PATIENCE_S)
        assert readable, "the agent said nothing"
        message: dict[str, Any] = json.loads(self.process.stdout.readline())
        return message


@pytest.fixture(name="started")
def _started() -> Iterator[list[Agent]]:
    agents: list[Agent] = []
    yield agents
    for one in agents:
        for stream in (one.process.stdin, one.process.stdout):
            assert stream is not None
            stream.close()
        one.process.wait(PATIENCE_S)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def is_alive(pid: int) -> bool:
    status = Path(f"/proc/{pid}/stat")
    try:
        return status.read_text("utf-8").rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def gone_within(pid: int, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while is_alive(pid) and time.monotonic() < until:
        select.select([], [], [], 0.01)
    return not is_alive(pid)


def test_servers_listen_before_clients_start_and_both_are_heard_out(tmp_path: Path, started: list[Agent]) -> None:
    server, client = install(tmp_path)
    port = free_port()
    one = Agent()
    started.append(one)
    one.request(
        servers={"s0": {"argv": [server, str(port), str(tmp_path / "pid")], "port": port}},
        clients={"c0": {"argv": [client, str(port)]}, "c1": {"argv": ["no-such-tool"]}},
    )

    assert one.hear()["ready"]
    assert is_alive(int((tmp_path / "pid").read_text("utf-8")))
    one.say("go")
    assert one.hear() == {"ended": True}
    one.say("stop")
    answers = one.hear()["results"]

    assert {key: (row["status"], row["out"]) for key, row in answers.items()} == {
        "s0": (0, "served hello\n"),
        "c0": (0, "sent\n"),
        "c1": (127, ""),
    }
    assert "no-such-tool" in answers["c1"]["err"]
    assert one.process.wait(PATIENCE_S) == 0


@pytest.mark.parametrize("moment", ["before go", "after go"])
def test_end_of_our_connection_leaves_no_process(tmp_path: Path, started: list[Agent], moment: str) -> None:
    server, _ = install(tmp_path)
    port = free_port()
    one = Agent()
    started.append(one)
    one.request(servers={"s0": {"argv": [server, str(port), str(tmp_path / "pid")], "port": port}})
    one.hear()
    pid = int((tmp_path / "pid").read_text("utf-8"))
    if moment == "after go":
        one.say("go")
        assert one.hear() == {"ended": True}

    assert one.process.stdin is not None
    one.process.stdin.close()

    assert one.process.wait(PATIENCE_S) == 1
    assert gone_within(pid, PATIENCE_S)


def test_a_command_that_hangs_is_ended_and_said_so(started: list[Agent]) -> None:
    one = Agent()
    started.append(one)
    one.request(clients={"c0": {"argv": ["sleep", "600"]}}, limit_s=0.2)
    one.hear()
    one.say("go")
    one.hear()
    one.say("stop")

    assert one.hear()["results"]["c0"]["status"] is None


def test_a_server_that_nobody_spoke_to_is_ended(tmp_path: Path, started: list[Agent]) -> None:
    server, _ = install(tmp_path)
    port = free_port()
    one = Agent()
    started.append(one)
    one.request(servers={"s0": {"argv": [server, str(port), str(tmp_path / "pid")], "port": port}})
    one.hear()
    one.say("go")
    one.hear()
    one.say("stop")

    assert one.hear()["results"]["s0"]["status"] is None
    assert not is_alive(int((tmp_path / "pid").read_text("utf-8")))


def device_tree(root: Path) -> Path:
    """A ConnectX on rail3 beside a GPU, and software RoCE on rail4, as sysfs shows them."""
    function = root / "sys/devices/pci0000:15/0000:15:01.0/0000:18:00.0"
    gpu = root / "sys/devices/pci0000:15/0000:15:01.0/0000:19:00.0"
    files = {
        function / "net/rail3/mtu": "9216",
        function / "vendor": "0x15b3",
        function / "class": "0x020000",
        function / "driver_of": "",
        gpu / "vendor": "0x10de",
        gpu / "class": "0x030200",
        root / "sys/class/net/rail3/mtu": "9216",
        root / "sys/class/net/rail3/carrier_changes": "1",
        root / "sys/class/net/rail3/statistics/rx_bytes": "77",
        root / "sys/class/net/rail4/mtu": "1500",
        root / "sys/class/infiniband/rail3/ports/1/state": "4: ACTIVE",
        root / "sys/class/infiniband/rail3/ports/1/link_layer": "Ethernet",
        root / "sys/class/infiniband/rail3/ports/1/gids/3": "0000:0000:0000:0000:0000:ffff:0a0a:0310",
        root / "sys/class/infiniband/rail3/ports/1/gid_attrs/types/3": "RoCE v2",
        root / "sys/class/infiniband/rail3/ports/1/gids/7": "0000:0000:0000:0000:0000:0000:0000:0000",
        root / "sys/class/infiniband/rail3/ports/1/counters/port_xmit_data": "1000",
        root / "sys/class/infiniband/rail3/ports/1/hw_counters/np_cnp_sent": "5",
        root / "sys/class/infiniband/rxe4/parent": "rail4",
        root / "sys/class/infiniband/rxe4/ports/1/hw_counters/sent_pkts": "9",
        root / "proc/net/tcp": "",
        root / "sys/bus/pci/drivers/mlx5_core/bind": "",
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
    (function / "driver").symlink_to(root / "sys/bus/pci/drivers/mlx5_core")
    (root / "sys/class/infiniband/rail3/device").symlink_to(function)
    (root / "sys/bus/pci/devices").mkdir(parents=True)
    for one in (function, gpu):
        (root / "sys/bus/pci/devices" / one.name).symlink_to(one)
    return root


def test_it_says_what_devices_there_are_and_what_they_count(tmp_path: Path, started: list[Agent]) -> None:
    one = Agent(device_tree(tmp_path))
    started.append(one)
    one.request(inventory=True)
    said = one.hear()

    real, soft = said["inventory"]["devices"]["rail3"], said["inventory"]["devices"]["rxe4"]
    assert (real["netdev"], real["driver"], real["mtu"]) == ("rail3", "mlx5_core", "9216")
    assert real["gids"] == [{"index": 3, "gid": "0000:0000:0000:0000:0000:ffff:0a0a:0310", "type": "RoCE v2"}]
    assert real["pci"][-1] == "0000:18:00.0"
    assert (soft["netdev"], soft["driver"]) == ("rail4", "")
    assert said["inventory"]["gpus"] == [{"vendor": "nvidia", "pci": ["0000:15:01.0", "0000:19:00.0"]}]
    assert said["before"]["rail3"]["rdma"] == {"port_xmit_data": 1000, "np_cnp_sent": 5}
    assert said["before"]["rail3"]["net"] == {"rx_bytes": 77, "carrier_changes": 1}
    assert said["before"]["rxe4"]["rdma"] == {"sent_pkts": 9}
    os.kill(one.process.pid, 0)  # it waits for "go"
