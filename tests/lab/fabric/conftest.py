"""Two leaves, two spines, a host on each leaf: real packets between network namespaces."""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from lab.daemon.in_process import LabThread
from lab.fabric.command import missing
from lab.fabric.fabric import Fabric
from lab.spec.kernel_names import kernel_name, namespace_name
from lab.spec.models import HostEnd, LabEnd, LabLink, LabSite, port_mac
from tests.conftest import NO_FABRIC
from tests.lab.conftest import PASSWORD, switch_spec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LEAVES: Final = ("leaf-01", "leaf-02")
SPINES: Final = ("spine-01", "spine-02")
PATIENCE_S: Final = 60.0
QOS: Final = (
    "qos map dscp-tc ROCE",
    "dscp 0-63 traffic-class 0",
    "dscp 26 traffic-class 3",
    "exit",
    "qos wred-policy ROCE",
    "green minimum-threshold 1048 maximum-threshold 2097 drop-probability 5",
    "ecn green",
    "exit",
)
PORT_QOS: Final = ("qos-map dscp-tc ROCE", "queue 3 wred-policy ROCE", "priority-flow-control priority 3")


def possible() -> bool:
    return os.geteuid() == 0 and not missing()


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("lab_hosts") and not possible():
        pytest.skip(NO_FABRIC)


def clos_site() -> LabSite:
    """Each leaf: Eth1/1 and Eth1/2 to its host, Eth1/3 to spine-01, Eth1/4 to spine-02."""
    ends = [LabEnd(f"gpu-{leaf}", f"rail{rail}") for leaf in (1, 2) for rail in (0, 1)]
    hosts = [
        LabLink(LabEnd(leaf, f"Eth1/{rail + 1}"), LabEnd(f"gpu-{number}", f"rail{rail}"))
        for number, leaf in enumerate(LEAVES, start=1)
        for rail in (0, 1)
    ]
    trunks = [
        LabLink(LabEnd(leaf, f"Eth1/{3 + place}"), LabEnd(spine, f"Eth1/{number}"))
        for number, leaf in enumerate(LEAVES, start=1)
        for place, spine in enumerate(SPINES)
    ]
    chassis = {name: port_mac(LabEnd(name, "eth0")) for name in (*LEAVES, *SPINES)}
    specs = {name: replace(switch_spec(name), management_mac=mac) for name, mac in chassis.items()}
    return LabSite("clos", specs, (*hosts, *trunks), tuple(HostEnd(end, 800_000, "rs") for end in ends))


def leaf_lines(number: int, asn: int | None = None) -> tuple[str, ...]:
    lines = [*QOS, "interface Loopback 0", f"ip address 10.0.0.{number}/32", "exit"]
    for rail in (0, 1):
        lines += [f"interface Vlan {100 + rail}", "mtu 9216", f"ip address 10.1{rail}.{number}.1/24", "exit"]
        lines += [f"interface Eth1/{rail + 1}", "mtu 9216", f"switchport access Vlan {100 + rail}", *PORT_QOS]
        lines += ["no shutdown", "exit"]
    for port in (3, 4):
        lines += [f"interface Eth1/{port}", "mtu 9216", "ipv6 enable", *PORT_QOS, "no shutdown", "exit"]
    return (*lines, *bgp_lines(asn or 65000 + number, number, (3, 4)))


def spine_lines(number: int) -> tuple[str, ...]:
    lines = [*QOS, "interface Loopback 0", f"ip address 10.0.0.{10 + number}/32", "exit"]
    for port in (1, 2):
        lines += [f"interface Eth1/{port}", "mtu 9216", "ipv6 enable", *PORT_QOS, "no shutdown", "exit"]
    return (*lines, *bgp_lines(65100, 10 + number, (1, 2)))


def bgp_lines(asn: int, number: int, ports: tuple[int, int]) -> tuple[str, ...]:
    lines = [f"router bgp {asn}", f"router-id 10.0.0.{number}", "bestpath as-path multipath-relax"]
    lines += ["address-family ipv4 unicast", "redistribute connected", "maximum-paths 8", "exit"]
    for port in ports:
        lines += [f"neighbor interface Eth1/{port}", "remote-as external", "capability extended-nexthop"]
        lines += ["address-family ipv4 unicast", "activate", "exit", "exit"]
    return (*lines, "exit")


def sh(command: str, *, check: bool = True) -> str:
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=check).stdout


def until(condition: Callable[[], object], what: str, patience_s: float = PATIENCE_S) -> None:
    deadline = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


class Clos:
    """The running lab and a namespace for each host."""

    def __init__(self, lab: LabThread, fabric: Fabric) -> None:
        self.lab = lab
        self.fabric = fabric
        self.hosts = [f"rp-{fabric.lab_id}-host-{number}" for number in (1, 2)]

    def plug_hosts(self) -> None:
        """Wires like the taps of virtual machines, with addresses as a host has them."""
        for number, (leaf, host) in enumerate(zip(LEAVES, self.hosts, strict=True), start=1):
            sh(f"ip netns add {host}; ip -n {host} link set lo up")
            for rail in (0, 1):
                port, inside = kernel_name(f"Eth1/{rail + 1}"), namespace_name(self.fabric.lab_id, leaf)
                sh(f"ip link add {port} netns {inside} type veth peer name rail{rail} netns {host}")
                sh(f"ip -n {host} link set rail{rail} mtu 9216 up")
                sh(f"ip -n {host} address add 10.1{rail}.{number}.10/24 dev rail{rail}")
            sh(f"ip -n {host} route add default via 10.10.{number}.1")
            self.lab.call(self.fabric.apply(leaf))

    def type(self, switch: str, *lines: str) -> None:
        assert self.lab.call(self.lab.lab.edit(switch, lines)) == ()
        self.lab.call(self.fabric.settled())

    def show(self, switch: str, command: str) -> str:
        work = self.lab.lab.switch(switch).shell.run(f"sonic-cli -c '{command}'")
        outcome = self.lab.call(work)
        assert not outcome.status, outcome.error
        return outcome.out

    def ping(self, target: str = "10.10.2.10", *, size: int = 56, tos: int = 0, count: int = 2) -> int:
        """Return how many of the echoes that host 1 sent were answered."""
        words = f"-M do -s {size} -Q {tos} -c {count} -i 0.002 -W 0.3 -q {target}"
        out = sh(f"ip netns exec {self.hosts[0]} ping {words}", check=False)
        found = re.search(r"(\d+) received", out)
        return int(found[1]) if found else 0

    def until_reached(self, target: str = "10.10.2.10") -> None:
        until(lambda: self.ping(target) == 2, f"{target} is not reached")

    def queue(self, switch: str, port: str, number: int) -> tuple[int, int]:
        """Return packets sent and dropped by a queue, as the switch shows them."""
        rows = [line.split() for line in self.show(switch, "show queue counters").splitlines()]
        row = next(row for row in rows if row[:2] == [port, f"UC{number}"])
        return int(row[2]), int(row[7])


@pytest.fixture(scope="package")
def clos() -> Iterator[Clos]:
    if not possible():
        pytest.skip(NO_FABRIC)
    fabric = Fabric(f"t{secrets.token_hex(2)}", clos_site())
    with LabThread(fabric.site, PASSWORD, fabric) as lab:
        found = Clos(lab, fabric)
        for number, leaf in enumerate(LEAVES, start=1):
            found.type(leaf, *leaf_lines(number))
        for number, spine in enumerate(SPINES, start=1):
            found.type(spine, *spine_lines(number))
        found.plug_hosts()
        found.until_reached()
        yield found
