"""A real lab: two leaves, two spines, and a virtual machine on each leaf. Made once for these tests, then broken."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import time
from ipaddress import IPv4Address
from typing import TYPE_CHECKING, Final

import pytest
from yaml12 import parse_yaml

from lab.daemon import client
from lab.daemon.client import HostPlan, LabState
from lab.daemon.messages import PortCount
from lab.fabric import namespaces
from lab.folder import LabFolder, lab_id
from lab.hosts.image import image
from lab.hosts.machine import HostNic, HostSpec
from lab.hosts.processes import process_ids
from lab.hosts.redfish.controller import SYSTEM
from lab.hosts.requirements import why_not
from lab.hosts.shell import ssh_command
from lab.spec.kernel_names import kernel_name, namespace_name
from lab.spec.models import LabEnd, port_mac
from lab.traffic.bandwidth import RailEnd, RailPair, RailResult, measure
from lab.traffic.host import Host, connected_hosts
from lab.traffic.nfs import NfsResult, mounted
from lab.traffic.rails import rdma_ports
from rackproof.site.access import Access
from tests.conftest import NO_FABRIC
from tests.lab.fabric.conftest import LEAVES, SPINES, clos_site, leaf_lines, spine_lines, until

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

pytestmark = [pytest.mark.lab_hosts, pytest.mark.slow, pytest.mark.proof]

HOSTS: Final = ("gpu-1", "gpu-2")
RAILS: Final = (0, 1)
PING: Final = "ping -c 1 -W 2 {} -I 10.10.2.10 10.10.1.10 >/dev/null 2>&1 && echo ' passes' || echo ' lost'"
"""From the second host's first rail to the first host's."""
GID: Final = "grep -l ffff:0a0a:020a /sys/class/infiniband/rxe0/ports/1/gids/* | xargs basename"
"""Index of the second host's address on its first rail, 10.10.2.10."""
BOOT_ID: Final = "cat /proc/sys/kernel/random/boot_id"
BOOT_S: Final = 300.0
DEFAULT_TOS: Final = "/sys/kernel/config/rdma_cm/rxe0/ports/1/default_roce_tos"
CARRIER: Final = "/sys/class/net/$(cat /sys/class/infiniband/rxe0/parent)/carrier"
PATIENCE_S: Final = 30.0
ADDRESS: Final = """for address in /sys/class/net/*/address; do
    [ "$(cat "$address")" = {mac} ] || continue
    port=$(basename "$(dirname "$address")")
    ip link set "$port" mtu 9000 up
    ip address replace {address}/24 dev "$port"
    ip route replace default via {gateway} dev "$port" table {table}
    ip rule add from {address} table {table} 2>/dev/null || true
done
"""


def spec(name: str) -> HostSpec:
    """One adapter with both rails, in slot 38 on bus 1a."""
    ends = [LabEnd(name, f"rail{rail}") for rail in RAILS]
    nics = tuple(HostNic(end, port_mac(end), 38, rail, 0x1A, rdma=True) for rail, end in zip(RAILS, ends, strict=True))
    return HostSpec(name, "Dell", "PowerEdge XE9680", nics, controller="iDRAC9")


def start(folder: Path, said: list[str]) -> LabState:
    hosts = HostPlan(image(said.append), tuple(spec(name) for name in HOSTS))
    return client.up(clos_site(), folder, None, hosts, said.append)


@pytest.fixture(scope="module", name="lab")
def _lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    if why_not():
        pytest.skip(NO_FABRIC)
    folder = tmp_path_factory.mktemp("site") / "lab"
    start(folder, [])
    for number, (leaf, spine) in enumerate(zip(LEAVES, SPINES, strict=True), start=1):
        assert client.edit(folder, leaf, leaf_lines(number)) == ()
        assert client.edit(folder, spine, spine_lines(number)) == ()
    yield folder
    client.down(folder)


def on_host(folder: Path, host: str, command: str) -> str:
    words = ssh_command(folder, client.status(folder), host, [command])
    return subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout


def rail_end(number: int, rail: int) -> RailEnd:
    end = LabEnd(HOSTS[number - 1], f"rail{rail}")
    address, at = IPv4Address(f"10.1{rail}.{number}.10"), LabEnd(LEAVES[number - 1], f"Eth1/{rail + 1}")
    return RailEnd(end.device, end.port, port_mac(end), address, at)


def addressed(end: RailEnd, rail: int) -> str:
    gateway = IPv4Address(int(end.address) - 9)
    return ADDRESS.format(mac=end.mac, address=end.address, gateway=gateway, table=100 + rail)


def test_a_host_is_what_the_catalogue_says_and_has_an_rdma_device_on_every_rail(lab: Path) -> None:
    slots = on_host(lab, "gpu-1", "sudo dmidecode -t 9")
    rails = on_host(lab, "gpu-1", "cat /sys/class/infiniband/rxe*/parent").split()
    macs = [on_host(lab, "gpu-1", f"cat /sys/class/net/{port}/address").strip() for port in rails]

    assert "Designation: PCIe Slot 38" in slots
    assert "Bus Address: 0000:1a:00.0" in slots
    assert macs == [port_mac(LabEnd("gpu-1", f"rail{rail}")) for rail in RAILS]
    place = on_host(lab, "gpu-1", f"readlink -f /sys/class/net/{rails[1]}/device/..").strip()
    assert place.endswith("/0000:1a:00.1")
    assert on_host(lab, "gpu-2", "hostname").strip() == "gpu-2"


@pytest.fixture(name="addressed")
def _addressed(lab: Path) -> Path:
    """The lab, with an address on each rail of its hosts; an adapter that was out has lost them."""

    async def give() -> None:
        async with connected_hosts(lab, client.status(lab)) as machines:
            await give_addresses(machines)

    asyncio.run(give())
    return lab


def test_rdma_crosses_leaf_spine_leaf_and_nfs_is_mounted_over_it(addressed: Path) -> None:
    results, nfs = asyncio.run(everything(addressed))

    assert [result.error for result in results] == ["", ""]
    assert all(result.carried for result in results)
    assert {switch for result in results for switch in result.spines} <= set(SPINES)
    assert (nfs.transport, nfs.version, nfs.error) == ("rdma", "4.1", "")


async def everything(folder: Path) -> tuple[list[RailResult], NfsResult]:
    results = await over_rails(folder)
    async with connected_hosts(folder, client.status(folder)) as machines:
        one, two = rail_end(1, 0), rail_end(2, 0)
        return results, await mounted(machines[one.host], one.address, machines[two.host], two.address)


async def over_rails(folder: Path) -> list[RailResult]:
    """Send RDMA from the first host to the second, over each rail."""

    async def count() -> Mapping[LabEnd, PortCount]:
        return await asyncio.to_thread(client.counters, folder)

    async with connected_hosts(folder, client.status(folder)) as machines:
        ports = {name: await rdma_ports(machine) for name, machine in machines.items()}
        pairs = [RailPair(rail, rail_end(1, rail), rail_end(2, rail), dscp=26, queue=3) for rail in RAILS]
        return [await measure(pair, machines, ports, count) for pair in pairs]


async def give_addresses(machines: Mapping[str, Host]) -> None:
    for number, name in enumerate(HOSTS, start=1):
        for rail in RAILS:
            await machines[name].run(addressed(rail_end(number, rail), rail))


@pytest.mark.parametrize(
    ("name", "parameters", "command", "broken", "mended"),
    [
        ("missing-nic", {"port": "rail0"}, "ls /sys/class/infiniband | wc -l", "0", "2"),
        ("no-sudo", {}, "sudo -n true 2>/dev/null && echo yes || echo no", "no", "yes"),
        ("full-host-disk", {}, "dd if=/dev/zero of=/var/tmp/one bs=4k count=1 2>/dev/null || echo full", "full", ""),
    ],
)
def test_a_host_is_broken_and_mended(
    lab: Path, name: str, parameters: dict[str, str], command: str, broken: str, mended: str
) -> None:
    client.fault(lab, name, {"host": "gpu-2", **parameters})
    while_broken = on_host(lab, "gpu-2", command).strip()
    client.clear(lab, name)

    assert (while_broken, on_host(lab, "gpu-2", command).strip()) == (broken, mended)


@pytest.mark.parametrize(
    ("name", "command", "broken", "mended"),
    [
        ("no-rdma", "ls /sys/class/infiniband | wc -l", "1", "2"),
        ("mtu-mismatch", PING.format("-s 8000 -M do"), "lost", "passes"),
        ("cable-out", f"cat {CARRIER}; {PING.format('')}", "0 lost", "1 passes"),
        ("gid-moved", f"{GID}; {PING.format('')}", "2 passes", "1 passes"),
    ],
)
def test_a_rail_is_broken_and_mended(addressed: Path, name: str, command: str, broken: str, mended: str) -> None:
    """What IP carries goes on where the fault says nothing else."""
    client.fault(addressed, name, {"host": "gpu-2", "port": "rail0"})
    while_broken = on_host(addressed, "gpu-2", command).split()
    client.clear(addressed, name)

    assert while_broken == broken.split()
    until_it_says(addressed, command, mended)


def until_it_says(folder: Path, command: str, said: str) -> None:
    """A switch that got a link back speaks to its neighbours first."""
    deadline = time.monotonic() + PATIENCE_S
    while (found := on_host(folder, "gpu-2", command)).split() != said.split():
        assert time.monotonic() < deadline, found


def links_up(folder: Path) -> int:
    return next(switch.links_up for switch in client.status(folder).switches if switch.name == LEAVES[1])


def test_a_pulled_cable_is_seen_by_the_switch_too(addressed: Path) -> None:
    words = ["ip", "netns", "exec", namespace_name(lab_id(addressed), LEAVES[1]), "cat"]
    state = [*words, f"/sys/class/net/{kernel_name('Eth1/1')}/operstate"]
    before = links_up(addressed)
    client.fault(addressed, "cable-out", {"host": "gpu-2", "port": "rail0"})
    told = links_up(addressed)
    while_out = subprocess.run(state, capture_output=True, text=True, check=True).stdout.strip()
    client.clear(addressed, "cable-out")

    assert (told, links_up(addressed)) == (before - 1, before)
    assert while_out == "down"
    assert subprocess.run(state, capture_output=True, text=True, check=True).stdout.strip() != "down"


def test_one_adapter_marks_wrongly_and_the_switches_count_it_elsewhere(addressed: Path) -> None:
    client.fault(addressed, "wrong-dscp", {"host": "gpu-1", "port": "rail0", "dscp": "10"})
    default = on_host(addressed, "gpu-1", f"sudo cat {DEFAULT_TOS}").strip()
    wrong, right = asyncio.run(over_rails(addressed))
    client.clear(addressed, "wrong-dscp")

    assert default == "40"
    assert (wrong.error, wrong.lossless_packets, wrong.carried) == ("", 0, False)
    assert (right.error, right.carried) == ("", True)
    assert on_host(addressed, "gpu-1", f"sudo cat {DEFAULT_TOS}").strip() == "0"
    assert [result.carried for result in asyncio.run(over_rails(addressed))] == [True, True]


def test_a_host_that_hangs_is_told_and_goes_on(lab: Path) -> None:
    client.fault(lab, "hung-host", {"host": "gpu-2"})
    powers = [host.power for host in client.status(lab).hosts]
    client.clear(lab)

    assert powers == ["up", "hung"]
    assert on_host(lab, "gpu-2", "hostname").strip() == "gpu-2"


def test_a_reset_by_the_management_controller_restarts_the_host(lab: Path) -> None:
    entry = Access.model_validate(parse_yaml(LabFolder(lab).access.read_text("utf-8"))).devices["gpu-2-bmc"]
    words = ["curl", "--silent", "--fail", "--cacert", str(lab / str(entry.certificates))]
    login = f"{entry.user}:{LabFolder(lab).password.read_text('utf-8').strip()}"
    reset = f"https://{entry.host}:{entry.port}{SYSTEM}/Actions/ComputerSystem.Reset"
    before = on_host(lab, "gpu-2", BOOT_ID)

    subprocess.run([*words, "--user", login, "--json", '{"ResetType": "ForceRestart"}', reset], check=True, timeout=30)

    deadline = time.monotonic() + BOOT_S
    while (found := booted(lab, "gpu-2")) in {"", before}:
        assert time.monotonic() < deadline, found


def booted(folder: Path, host: str) -> str:
    """Return which boot a host is in; empty while it does not answer."""
    words = ssh_command(folder, client.status(folder), host, [BOOT_ID])
    return subprocess.run(["timeout", "10", *words], capture_output=True, text=True, check=False).stdout


def test_after_kill_9_nothing_is_left_and_the_next_start_goes_on_from_the_snapshot(
    lab: Path,
) -> None:
    process_id = client.status(lab).process_id
    first, _ = process_ids(LabFolder(lab).hosts)
    assert process_id is not None
    os.kill(process_id, signal.SIGKILL)
    os.kill(first, signal.SIGKILL)

    assert client.down(lab)
    assert_nothing_is_left(lab)

    said: list[str] = []
    assert [host.power for host in start(lab, said).status.hosts] == ["up", "up"]
    assert said == [], "nothing is made and nothing boots"
    assert client.down(lab)
    assert_nothing_is_left(lab)


def assert_nothing_is_left(lab: Path) -> None:
    assert namespaces.lab_namespaces(lab_id(lab)) == ()
    assert not namespaces.run_folder(lab_id(lab)).exists()
    assert process_ids(LabFolder(lab).hosts) == ()
    assert list(lab.parent.iterdir()) == []


def test_a_host_sees_that_its_switch_is_dark(addressed: Path) -> None:
    client.fault(addressed, "dead-switch", {"switch": LEAVES[1]})
    until_it_says(addressed, f"cat {CARRIER}", "0")
    client.clear(addressed, "dead-switch")
    # Nobody had saved its configuration: it starts with its ports off.
    assert client.edit(addressed, LEAVES[1], leaf_lines(2)) == ()
    until_it_says(addressed, f"cat {CARRIER}; {PING.format('')}", "1 passes")


def test_a_switch_sees_that_a_host_has_switched_a_port_off(addressed: Path) -> None:
    port = f"$(basename $(dirname {CARRIER}))"
    before = links_up(addressed)
    on_host(addressed, "gpu-2", f"sudo ip link set {port} down")
    until(lambda: links_up(addressed) == before - 1, "the switch port stays up")
    on_host(addressed, "gpu-2", f"sudo ip link set {port} up")
    until(lambda: links_up(addressed) == before, "the switch port stays down")
