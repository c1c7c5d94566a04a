"""What a configuration is made into, without a kernel: names, loops, FRR's words, what is heard."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING, Final

import pytest

from lab.fabric import frr, qos
from lab.fabric.kernel import route_steps, wanted
from lab.fabric.lldp import neighbors
from lab.fabric.loops import blocked
from lab.fabric.switch import usable_targets
from lab.spec.kernel_names import kernel_name, namespace_name
from lab.spec.models import LabEnd, LabLink, port_mac
from lab.switches.device_state import BgpPeer
from lab.switches.forwarding import Forwarding, PortForwarding, QosState, Router, RoutingPeer
from tests.lab.conftest import Console
from tests.lab.fabric.conftest import leaf_lines

if TYPE_CHECKING:
    from pathlib import Path

    from tests.lab.conftest import OnConsole

IPV4: Final = frozenset({"ipv4 unicast"})
NO_VTYSH: Final = "vtysh of FRR is not on the PATH"


@pytest.mark.parametrize(
    ("port", "name"),
    [
        ("Eth1/1/1", "Eth1-1-1"),
        ("swp1s0", "swp1s0"),
        ("Management 0", "Management0"),
        ("Ethernet1000/100/10", "Ethernet10-4f95"),
    ],
)
def test_kernel_names_fit(port: str, name: str) -> None:
    assert kernel_name(port) == name
    assert len(kernel_name(port)) <= 15


def test_names_carry_the_lab_and_addresses_stay() -> None:
    assert namespace_name("a1b2c3", "leaf-01") == "rp-a1b2c3-leaf-01"
    assert port_mac(LabEnd("gpu-001", "rail0")) == port_mac(LabEnd("gpu-001", "rail0"))
    assert port_mac(LabEnd("gpu-001", "rail0")) != port_mac(LabEnd("gpu-001", "rail1"))
    assert int(port_mac(LabEnd("gpu-001", "rail0"))[:2], 16) & 3 == 2


def port(name: str, vlan: int | None = None, **more: object) -> PortForwarding:
    return PortForwarding(name=name, mtu_bytes=9216, access_vlan=vlan, **more)  # type: ignore[arg-type]


def test_all_links_of_a_bundle_but_one_are_left_out() -> None:
    links = [LabLink(LabEnd("one", f"Eth1/{n}"), LabEnd("two", f"Eth1/{n}")) for n in (1, 2, 3)]
    ports = {f"Eth1/{n}": port(f"Eth1/{n}", 10 if n < 3 else None) for n in (1, 2, 3)}
    states = {name: Forwarding(ports) for name in ("one", "two")}
    assert blocked(links, states) == {LabEnd("one", "Eth1/2"), LabEnd("two", "Eth1/2")}


def router(**changes: object) -> Router:
    peers = (
        RoutingPeer(BgpPeer("Eth1/3", "external", IPV4)),
        RoutingPeer(BgpPeer("10.0.0.9", "65009", IPV4), source="Loopback 0", hops=3),
    )
    whole: dict[str, object] = {
        "asn": 65001,
        "router_id": "10.0.0.1",
        "peers": peers,
        "redistribute": frozenset({"connected", "static"}),
        "networks": ("10.9.0.0/16",),
        "paths": 8,
        "relax": True,
    }
    return Router(**{**whole, **changes})  # type: ignore[arg-type]


USABLE: Final = frozenset({"Eth1/3", "10.0.0.9"})


@pytest.mark.skipif(shutil.which("vtysh") is None, reason=NO_VTYSH)
def test_frr_takes_the_whole_text(tmp_path: Path) -> None:
    file = tmp_path / "frr.conf"
    file.write_text(frr.text(router(), USABLE))
    words = ["vtysh", "--dryrun", "--inputfile", str(file)]
    finished = subprocess.run(words, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr


def told(before: Router | None, after: Router | None) -> list[str]:
    return list(frr.change(frr.bgp_statements(before, USABLE), frr.bgp_statements(after, USABLE)))


def test_only_what_changed_is_said() -> None:
    assert told(router(), router()) == []
    assert told(router(), router(paths=2)) == [
        "router bgp 65001",
        *("address-family ipv4 unicast", "no maximum-paths", "exit-address-family"),
        *("address-family ipv4 unicast", "maximum-paths 2", "exit-address-family"),
    ]
    fewer = told(router(), router(peers=router().peers[:1]))
    assert fewer == ["router bgp 65001", "no neighbor 10.0.0.9"]
    assert told(router(), None) == ["no router bgp 65001"]


def test_another_asn_begins_anew() -> None:
    lines = told(router(), router(asn=65002))
    assert lines[:2] == ["no router bgp 65001", "router bgp 65002"]
    assert "neighbor Eth1-3 interface remote-as external" in lines


def test_sessions_that_no_packet_reaches_are_left_to_be_computed() -> None:
    ports = {"Eth1/3": port("Eth1/3"), "Eth1/4": port("Eth1/4", addresses=("192.0.2.0/31",))}
    peers = tuple(RoutingPeer(BgpPeer(target, "65009", IPV4)) for target in ("Eth1/3", "192.0.2.1", "10.0.0.9"))
    state = Forwarding(ports, router=router(peers=peers))
    assert usable_targets(state, {"lo", "Eth1-3"}) == {"Eth1/3", "10.0.0.9"}


def test_static_routes_are_set_once() -> None:
    state = Forwarding({"Eth1/1": port("Eth1/1", 100)}, routes={"10.9.0.0/16": "10.0.0.1"})
    kernel = wanted("leaf-01", state, {"lo"}, (), lambda _: True)
    assert kernel.ports == {}
    assert list(route_steps({}, kernel)) == ["route replace 10.9.0.0/16 via 10.0.0.1 proto static"]
    assert list(route_steps(kernel.routes, kernel)) == []


def test_marks_follow_the_map_of_the_port() -> None:
    state = QosState({26: 3}, {3: 5}, ecn=frozenset({5}), lossless=frozenset({3}))
    text = qos.port_text("Eth1-1", state, qos.Congestion(30, 20))
    assert "26 : 0x103" in text
    assert '0x103 : "Eth1-1-tx5"' in text
    assert "Eth1-1-drop5 drop" not in text
    assert "meta mark { 0x103, 0x105 } ip ecn { ect0, ect1 } numgen random mod 100 < 20 ip ecn set ce" in text
    assert "Eth1-1-drop0 drop" in text
    assert "drop" not in qos.port_text("Eth1-1", state, None).replace("Eth1-1-drop", "")


HEARD: Final = {
    "lldp": [
        {
            "interface": [
                {
                    "name": "Eth1-3",
                    "chassis": [
                        {
                            "id": [{"type": "local", "value": "02:00:00:00:00:01"}],
                            "name": [{"value": "spine-01"}],
                            "descr": [{"value": "SONiC"}],
                            "mgmt-ip": [{"value": "fe80::1"}, {"value": "10.30.0.17"}],
                            "capability": [{"type": "Bridge", "enabled": True}],
                        }
                    ],
                    "port": [{"id": [{"type": "local", "value": "Eth1/1"}], "descr": [{"value": "leaf-01"}]}],
                }
            ]
        }
    ]
}


def test_what_lldpd_prints_is_read() -> None:
    found = neighbors(HEARD)["Eth1-3"]
    assert (found.device, found.port, found.port_description) == ("spine-01", "Eth1/1", "leaf-01")
    assert (found.chassis_mac, found.management_address, found.is_host) == ("02:00:00:00:00:01", "10.30.0.17", False)
    assert neighbors({"lldp": [{}]}) == {}


def test_a_configuration_means_what_it_says(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        assert await console.nos.type_lines(leaf_lines(1)) == ()
        found = console.nos.forwarding
        rail, trunk = found.ports["Eth1/1"], found.ports["Eth1/3"]
        assert (rail.access_vlan, rail.mtu_bytes, rail.ipv6_link_local) == (100, 9216, False)
        assert (trunk.access_vlan, trunk.ipv6_link_local) == (None, True)
        assert {dscp for dscp, one in rail.qos.class_of.items() if one == 3} == {26}
        assert rail.qos.ecn == {3}
        assert rail.qos.lossless == {3}
        assert [(vlan.vlan, vlan.addresses) for vlan in found.vlans] == [
            (100, ("10.10.1.1/24",)),
            (101, ("10.11.1.1/24",)),
        ]
        assert found.loopbacks == ("10.0.0.1/32",)
        assert found.router is not None
        assert (found.router.asn, found.router.paths, found.router.relax) == (65001, 8, True)
        assert [one.peer.target for one in found.router.peers] == ["Eth1/3", "Eth1/4"]

    on_console(scenario)


def test_members_of_a_port_channel_are_in_its_vlan(on_console: OnConsole) -> None:
    lines = ("interface Vlan 200", "exit", "interface PortChannel 1", "mtu 9216", "switchport access Vlan 200", "exit")
    members = [line for n in (1, 2) for line in (f"interface Eth1/{n}", "channel-group 1", "no shutdown", "exit")]

    async def scenario(console: Console) -> None:
        assert await console.nos.type_lines((*lines, *members)) == ()
        ports = console.nos.forwarding.ports
        assert [ports[f"Eth1/{n}"].access_vlan for n in (1, 2, 3)] == [200, 200, None]
        assert [ports[f"Eth1/{n}"].group for n in (1, 2, 3)] == ["1", "1", None]

    on_console(scenario)
