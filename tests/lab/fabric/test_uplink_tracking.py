"""What FRR makes of the planned uplinks of EVPN multihoming when the other switch of the pair is lost.

zebra counts the uplinks that are up, and keeps why it takes the links of Ethernet segments down: `show evpn`.
The segments themselves need bonds, which this kernel lacks.
"""

from __future__ import annotations

import re
import secrets
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from rackproof.hardware.load import Catalogue
from rackproof.plan.build import build_plan
from rackproof.render.nos.cumulus.frr import render_frr
from rackproof.site.load import load_site
from tests.lab.fabric.conftest import sh, until

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.lab_hosts]

SITE: Final = Path(__file__).resolve().parents[3] / "inventory" / "dell-xe9680-spectrum-x" / "site.yaml"
LEAF: Final = "frontend-leaf-01"
PEER: Final = "frontend-leaf-02"
FRR: Final = "/usr/lib/frr"
TRACKED: Final = re.compile(r"^interface (\S+)\n evpn mh uplink\nexit\n", re.MULTILINE)


class Zebra(NamedTuple):
    """zebra and bgpd of one switch, in a namespace of their own."""

    namespace: str
    folder: Path

    def type(self, text: str) -> None:
        file = self.folder / "frr.conf"
        file.write_text(text, "utf-8")
        sh(f"vtysh --vty_socket {self.folder} -f {file}", check=False)

    def multihoming(self) -> str:
        """What zebra says of uplinks, and of the reasons to take segments down."""
        out = sh(f"vtysh --vty_socket {self.folder} -d zebra -c 'show evpn'", check=False)
        return " ".join(line.strip() for line in out.splitlines() if "uplink-" in line or "protodown" in line)

    def until_says(self, *words: str, without: str = "") -> None:
        until(
            lambda: (
                all(word in self.multihoming() for word in words) and not (without and without in self.multihoming())
            ),
            f"expected {words}, without {without}: {self.multihoming()}",
        )


@pytest.fixture(name="zebra")
def _zebra() -> Iterator[Zebra]:
    folder = Path(tempfile.mkdtemp(prefix="rackproof-frr-"))  # its user is frr, who may not enter pytest's own folders
    namespace = f"rp-mh-{secrets.token_hex(2)}"
    sh(f"chown frr:frr {folder}; ip netns add {namespace}")
    sh(f"ip -n {namespace} link set lo up")
    daemons: list[subprocess.Popen[bytes]] = []
    try:
        start_daemons(namespace, folder, daemons)
        yield Zebra(namespace, folder)
    finally:
        for process in daemons:
            process.terminate()
            process.wait()
        sh(f"ip netns del {namespace}")
        shutil.rmtree(folder)


def start_daemons(namespace: str, folder: Path, daemons: list[subprocess.Popen[bytes]]) -> None:
    for name, socket in (("zebra", "zserv.api"), ("bgpd", "bgpd.vty")):
        words = f"{FRR}/{name} -u frr -g frr -P 0 --vty_socket {folder} -z {folder}/zserv.api -i {folder}/{name}.pid"
        words += " -p 0" if name == "bgpd" else ""
        process = subprocess.Popen(
            ["ip", "netns", "exec", namespace, *words.split(), "-f", "/dev/null"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        daemons.append(process)
        until((folder / socket).exists, f"{name} did not start")


def planned() -> tuple[str, dict[str, str]]:
    """The routing of a switch as FRR has it, and its tracked ports with what they lead to."""
    catalogue = Catalogue()
    plan = build_plan(load_site(SITE).site, catalogue)
    text = render_frr(catalogue.nos("cumulus"), catalogue.switch("nvidia-sn5600"), plan.intents()[LEAF])
    far = {link.a.port: link.b.device for link in plan.links if link.a.device == LEAF}
    far |= {link.b.port: link.a.device for link in plan.links if link.b.device == LEAF}
    return text, {port: far.get(port, "outside") for port in TRACKED.findall(text)}


def plug(zebra: Zebra, ports: dict[str, str]) -> None:
    for number, port in enumerate(ports):
        sh(f"ip -n {zebra.namespace} link add {port} type veth peer name far{number}")
        sh(f"ip -n {zebra.namespace} link set {port} up; ip -n {zebra.namespace} link set far{number} up")


def lose(zebra: Zebra, ports: dict[str, str], device: str, state: str = "down") -> None:
    """Take the far end of every port towards a device down, as when it loses power."""
    for number, port in enumerate(ports):
        if ports[port] == device:
            sh(f"ip -n {zebra.namespace} link set far{number} {state}")


def test_the_planned_uplinks_keep_the_hosts_of_the_switch_that_is_left(zebra: Zebra) -> None:
    text, ports = planned()
    assert sorted(ports.values()) == [PEER, PEER, "outside"]
    plug(zebra, ports)
    zebra.type(text)
    zebra.until_says("uplink-cfg-cnt: 3, uplink-active-cnt: 3")

    lose(zebra, ports, PEER)

    zebra.until_says("uplink-cfg-cnt: 3, uplink-active-cnt: 1", without="uplinks-down")


def test_an_isolated_switch_lets_its_hosts_use_the_other_one(zebra: Zebra) -> None:
    text, ports = planned()
    plug(zebra, ports)
    zebra.type(text)
    zebra.until_says("uplink-active-cnt: 3")

    lose(zebra, ports, PEER)
    lose(zebra, ports, "outside")
    zebra.until_says("uplink-active-cnt: 0", "uplinks-down")

    lose(zebra, ports, "outside", "up")
    zebra.until_says("uplink-active-cnt: 1", without="uplinks-down")


def test_with_the_links_between_the_switches_alone_the_hosts_lose_both_links(zebra: Zebra) -> None:
    """NVIDIA's exports (enterprise-ras 3.0.0) track no other port."""
    text, ports = planned()
    outside = next(port for port, device in ports.items() if device == "outside")
    plug(zebra, ports)
    zebra.type(text.replace(f"interface {outside}\n evpn mh uplink\nexit\n", ""))
    zebra.until_says("uplink-cfg-cnt: 2, uplink-active-cnt: 2")

    lose(zebra, ports, PEER)

    zebra.until_says("uplink-cfg-cnt: 2, uplink-active-cnt: 0", "uplinks-down")
