"""A VLAN that two leaves stretch over VXLAN: frames go from one to the other, as far as both configurations agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.lab.fabric.conftest import LEAVES, SPINES, sh, until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.lab.fabric.conftest import Clos

pytestmark = [pytest.mark.lab_hosts]

VLAN, VNI = 200, 10200


def evpn(asn: int, ports: tuple[int, int], *more: str) -> tuple[str, ...]:
    lines = [f"router bgp {asn}", "address-family l2vpn evpn", *more, "exit"]
    for port in ports:
        lines += [f"neighbor interface Eth1/{port}", "address-family l2vpn evpn", "activate", "exit", "exit"]
    return (*lines, "exit")


@pytest.fixture(scope="module", name="stretched")
def _stretched(clos: Clos) -> Iterator[Clos]:
    """The second port of both hosts is in one VLAN."""
    for number, leaf in enumerate(LEAVES, start=1):
        clos.type(leaf, f"interface Vlan {VLAN}", "exit", "interface Eth1/2", "no switchport access Vlan", "exit")
        clos.type(leaf, "interface Eth1/2", f"switchport access Vlan {VLAN}", "exit")
        tunnel = ("interface vxlan vtep1", f"source-ip 10.0.0.{number}", f"map vni {VNI} vlan {VLAN}", "exit")
        clos.type(leaf, *tunnel, *evpn(65000 + number, (3, 4), "advertise-all-vni"))
        sh(f"ip -n {clos.hosts[number - 1]} address add 10.200.0.{number}/24 dev rail1")
    for spine in SPINES:
        clos.type(spine, *evpn(65100, (1, 2)))
    yield clos
    for number, leaf in enumerate(LEAVES, start=1):
        clos.type(leaf, "interface vxlan vtep1", f"no map vni {VNI} vlan {VLAN}", "exit", "no interface vxlan vtep1")
        clos.type(leaf, "interface Eth1/2", "no switchport access Vlan", f"switchport access Vlan {100 + 1}", "exit")
        sh(f"ip -n {clos.hosts[number - 1]} address del 10.200.0.{number}/24 dev rail1")


def test_hosts_of_two_leaves_share_a_vlan(stretched: Clos) -> None:
    stretched.until_reached("10.200.0.2")
    assert "  10.0.0.2 flood: HER\n" in stretched.show("leaf-01", "show evpn vni detail")


def test_frames_find_a_host_that_moves_to_another_leaf(stretched: Clos) -> None:
    stretched.until_reached("10.200.0.2")
    one, two = stretched.hosts
    mac = sh(f"ip netns exec {two} cat /sys/class/net/rail1/address").strip()
    sh(f"ip -n {two} link set rail1 address 02:00:00:00:00:99; ip -n {two} address del 10.200.0.2/24 dev rail1")
    sh(f"ip -n {one} address del 10.200.0.1/24 dev rail1; ip -n {two} address add 10.200.0.1/24 dev rail1")
    sh(f"ip -n {one} link set rail1 address {mac}; ip -n {one} address add 10.200.0.2/24 dev rail1")
    try:
        answered = f"ip netns exec {two} ping -c 1 -W 0.3 -q 10.200.0.2"
        until(lambda: "1 received" in sh(answered, check=False), "the host is not found at its new place")
    finally:
        sh(f"ip -n {one} address del 10.200.0.2/24 dev rail1; ip -n {one} address add 10.200.0.1/24 dev rail1")
        sh(f"ip -n {one} link set rail1 address 02:00:00:00:00:98")
        sh(f"ip -n {two} address del 10.200.0.1/24 dev rail1; ip -n {two} address add 10.200.0.2/24 dev rail1")


def test_another_number_of_the_network_parts_them(stretched: Clos) -> None:
    stretched.until_reached("10.200.0.2")
    stretched.type("leaf-02", "interface vxlan vtep1", f"no map vni {VNI} vlan {VLAN}", f"map vni 10201 vlan {VLAN}")
    until(lambda: stretched.ping("10.200.0.2") == 0, "packets still pass")
    assert "10.0.0.2" not in stretched.show("leaf-01", "show evpn vni detail")
    stretched.type("leaf-02", "interface vxlan vtep1", f"no map vni 10201 vlan {VLAN}", f"map vni {VNI} vlan {VLAN}")
    stretched.until_reached("10.200.0.2")
