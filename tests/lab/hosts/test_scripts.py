"""What faults run on a host, tried in a network namespace: routes that come back, marks that go out."""

from __future__ import annotations

import secrets
import subprocess
from typing import TYPE_CHECKING, Final

import pytest

from lab.faults import gid_moved, wrong_dscp
from tests.conftest import NO_FABRIC
from tests.lab.fabric.conftest import possible

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.lab_hosts

PREPARE: Final = """ip link set lo up
ip link add rail0 type veth peer name far0
ip link set far0 up
ip link set rail0 up
ip address add 10.10.0.11/24 dev rail0
ip route add 10.10.0.0/24 dev rail0 scope link src 10.10.0.11 table 100
ip route add 10.10.0.0/16 via 10.10.0.1 dev rail0 src 10.10.0.11 table 100
ip route add 10.10.0.0/16 via 10.10.0.1 dev rail0 src 10.10.0.11 metric 100
ip rule add from 10.10.0.11 table 100
"""
ROUTES: Final = "ip -4 route show table all dev rail0 | grep -v '^local \\|^broadcast ' | sort; ip rule"
COUNT: Final = """nft -f - <<END
table netdev seen {
    counter roce { }
    counter other { }
    chain arrived {
        type filter hook ingress device far0 priority 0
        udp dport 4791 ip dscp 10 counter name roce
        udp dport 4792 ip dscp 26 counter name other
    }
}
END
"""
SEND: Final = (
    "import socket; s = socket.socket(type=socket.SOCK_DGRAM); s.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 104); "
    's.sendto(b"x", ("10.10.0.1", {port}))'
)
ADDRESSES: Final = "ip -4 -o address show dev rail0 | awk '{ print $4 }'"


class Namespace:
    """Stands in for a host."""

    def __init__(self, name: str) -> None:
        self.name = name

    def run(self, script: str) -> str:
        words = ["ip", "netns", "exec", self.name, "sh", "-eu"]
        done = subprocess.run(words, input=script, capture_output=True, text=True, check=False)
        assert not done.returncode, done.stderr
        return done.stdout


@pytest.fixture(name="host")
def _host() -> Iterator[Namespace]:
    if not possible():
        pytest.skip(NO_FABRIC)
    name = f"rp-test-{secrets.token_hex(3)}"
    subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        host = Namespace(name)
        host.run(PREPARE)
        yield host
    finally:
        subprocess.run(["ip", "netns", "delete", name], check=True)


def test_an_address_gives_its_place_away_and_keeps_its_routes(host: Namespace) -> None:
    before = host.run(ROUTES)

    host.run("port=rail0\n" + gid_moved.MOVE)
    assert host.run(ADDRESSES).split() == ["192.0.2.77/32", "10.10.0.11/24"]
    assert host.run(ROUTES) == before

    host.run("port=rail0\n" + gid_moved.BACK)
    assert host.run(ADDRESSES).split() == ["10.10.0.11/24"]
    assert host.run(ROUTES) == before


def test_roce_leaves_with_another_mark_and_nothing_else_does(host: Namespace) -> None:
    host.run("port=rail0\n" + wrong_dscp.MARK.format(dscp=10))
    host.run(COUNT)
    host.run("ip neighbour replace 10.10.0.1 lladdr 02:00:00:00:00:01 dev rail0")

    for port in (4791, 4792):
        host.run(f"python3 -c '{SEND.format(port=port)}'")

    assert host.run("nft list counters table netdev seen | grep -c 'packets 1 '").strip() == "2"
    host.run("port=rail0\n" + wrong_dscp.UNMARK)
    assert "dscp set" not in host.run("nft list ruleset")
