"""A difference between two intents, in the words of a network engineer."""

from dataclasses import dataclass

import pytest

from rackproof.deploy.switch.compare.change_text import change_text
from rackproof.deploy.switch.compare.diff import Difference, differences
from rackproof.plan.model.plan import BgpNeighborIntent, PortIntent, VlanIntent

PORT = PortIntent("gpu-001 rail0", 200, "rs", 9216, vlan=100, lossless=True)


@pytest.mark.parametrize(
    ("difference", "text"),
    [
        (Difference(("ports", "3", "mtu_bytes"), 9100, 9216), "Ethernet 1/3: MTU 9100 → 9216"),
        (Difference(("ports", "3/2", "fec"), "rs", "none"), "Ethernet 1/3/2: FEC rs → none"),
        (Difference(("ports", "3", "speed_gbps"), 200, 400), "Ethernet 1/3: speed 200 → 400 Gb/s"),
        (Difference(path=("ports", "3", "lossless"), before=False, after=True), "Ethernet 1/3: lossless off → on"),
        (Difference(("ports", "3", "vlan"), None, 100), "Ethernet 1/3: VLAN added (100)"),
        (Difference(("breakouts", "3"), None, "4x200G"), "Ethernet 1/3: breakout none → 4x200G"),
        (Difference(("hostname",), "sonic", "leaf-01"), "hostname sonic → leaf-01"),
        (Difference(("ntp",), ("192.0.2.1",), ("192.0.2.1", "192.0.2.2")), "NTP 192.0.2.1 → 192.0.2.1, 192.0.2.2"),
        (
            Difference(("ports", "1/1"), None, PORT),
            "Ethernet 1/1/1 added (gpu-001 rail0, speed 200 Gb/s, FEC rs, MTU 9216, VLAN 100, lossless)",
        ),
        (Difference(("vlans", 100), VlanIntent("rail 0", 9216), None), "VLAN 100 removed (rail 0, MTU 9216)"),
        (
            Difference(("bgp", "neighbors", "49"), BgpNeighborIntent("spine-01", None), None),
            "BGP neighbour on Ethernet 1/49 removed (spine-01)",
        ),
        (
            Difference(("bgp", "neighbors", "192.0.2.1", "remote_asn"), 65000, 65001),
            "BGP neighbour 192.0.2.1: remote ASN 65000 → 65001",
        ),
        (Difference(("roce", "lossless", 3, "ecn_kmin_bytes"), 1, 2), "RoCE class 3: ECN kmin 1 → 2 bytes"),
        (Difference(("roce", "pfc_watchdog", "detect_ms"), 100, 200), "RoCE PFC watchdog detect 100 → 200 ms"),
    ],
)
def test_says_what_differs(difference: Difference, text: str) -> None:
    assert change_text(difference) == text


@dataclass(frozen=True)
class Leaf:
    mtu: int
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Tree:
    leaves: dict[str, Leaf]
    one: Leaf | None = None


def test_goes_as_deep_as_the_difference() -> None:
    before = Tree({"a": Leaf(1), "b": Leaf(2), "gone": Leaf(3)}, None)
    after = Tree({"a": Leaf(1), "b": Leaf(9, ("x",)), "new": Leaf(4)}, Leaf(5))
    assert list(differences(before, after)) == [
        Difference(("leaves", "b", "mtu"), 2, 9),
        Difference(("leaves", "b", "names"), (), ("x",)),
        Difference(("leaves", "gone"), Leaf(3), None),
        Difference(("leaves", "new"), None, Leaf(4)),
        Difference(("one",), None, Leaf(5)),
    ]


def test_nothing_differs_from_itself() -> None:
    assert not list(differences(Tree({"a": Leaf(1)}), Tree({"a": Leaf(1)})))
