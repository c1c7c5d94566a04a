"""Packets go where the accepted running configuration sends them, and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.lab.fabric.conftest import LEAVES, SPINES, bgp_lines, leaf_lines, sh, until

if TYPE_CHECKING:
    from tests.lab.fabric.conftest import Clos

pytestmark = [pytest.mark.lab_hosts]


def established(clos: Clos, switch: str) -> int:
    return int(clos.show(switch, "show bgp ipv4 unicast summary").split()[-1])


def test_sessions_and_neighbours_are_read_from_the_daemons(clos: Clos) -> None:
    for name in (*LEAVES, *SPINES):
        until(lambda name=name: established(clos, name) == 2, f"sessions of {name}")  # type: ignore[misc]
    until(lambda: "spine-02" in clos.show("leaf-01", "show lldp table"), "spine-02 is heard")
    rows = [line.split() for line in clos.show("leaf-01", "show lldp table").splitlines()]
    assert [row[:3] for row in rows if row[0] in {"Eth1/3", "Eth1/4"}] == [
        ["Eth1/3", "spine-01", "Eth1/1"],
        ["Eth1/4", "spine-02", "Eth1/1"],
    ]
    assert "    MgmtIP:       10.30.0.16\n" in clos.show("leaf-01", "show lldp neighbor Eth1/3")


def test_flows_spread_over_both_spines_and_their_counters_show_it(clos: Clos) -> None:
    def sent() -> list[int]:
        return [clos.queue(spine, "Eth1/2", 3)[0] for spine in SPINES]

    before = sent()
    host = clos.hosts[0]
    for port in range(40):
        sh(f"ip netns exec {host} bash -c 'echo x > /dev/udp/10.10.2.10/{7000 + port}'")
    plain = [after - one for after, one in zip(sent(), before, strict=True)]
    assert plain == [0, 0]  # without DSCP 26 nothing is sent in queue 3
    for last in range(2, 34):
        sh(f"ip -n {clos.hosts[1]} address replace 10.10.2.{100 + last}/24 dev rail0")
        clos.ping(f"10.10.2.{100 + last}", tos=104, count=1)
    through = [after - one for after, one in zip(sent(), before, strict=True)]
    assert sum(through) == 32
    assert min(through) > 0, "one spine carries everything"


def test_a_wrong_vlan_cuts_the_host_off(clos: Clos) -> None:
    clos.type("leaf-01", "interface Vlan 999", "exit", "interface Eth1/1", "no switchport access Vlan", "exit")
    clos.type("leaf-01", "interface Eth1/1", "switchport access Vlan 999")
    assert clos.ping("10.10.1.1") == 0
    clos.type("leaf-01", "interface Eth1/1", "no switchport access Vlan", "switchport access Vlan 100")
    clos.until_reached()


def test_a_wrong_mtu_on_the_spines_loses_large_packets_only(clos: Clos) -> None:
    assert clos.ping(size=4000) == 2
    for spine in SPINES:
        clos.type(spine, "interface Eth1/2", "mtu 1500")
    assert clos.ping(size=4000) == 0
    assert clos.ping(size=1000) == 2
    for spine in SPINES:
        clos.type(spine, "interface Eth1/2", "mtu 9216")
    sh(f"ip -n {clos.hosts[0]} route flush cache")
    until(lambda: clos.ping(size=4000) == 2, "large packets pass again")


def test_a_wrong_remote_asn_keeps_sessions_down(clos: Clos) -> None:
    wrong = ("router bgp 65001", "neighbor interface Eth1/{}", "remote-as {}")
    for port in (3, 4):
        clos.type("leaf-01", *(line.format(port) for line in wrong[:2]), "remote-as 64999")
    until(lambda: established(clos, "leaf-01") == 0, "sessions stay up")
    until(lambda: clos.ping() == 0, "packets still pass")
    for port in (3, 4):
        clos.type("leaf-01", *(line.format(port) for line in wrong[:2]), "remote-as external")
    clos.until_reached()


@pytest.mark.slow
def test_an_asn_that_two_leaves_have_makes_them_refuse_each_others_routes(clos: Clos) -> None:
    clos.type("leaf-02", "no router bgp", *bgp_lines(65001, 2, (3, 4)))
    until(lambda: established(clos, "leaf-02") == 2, "sessions to the spines")
    assert clos.ping() == 0
    clos.type("leaf-02", "no router bgp", *bgp_lines(65002, 2, (3, 4)))
    clos.until_reached()


def test_a_wrong_dscp_map_loses_packets_under_congestion(clos: Clos) -> None:
    places = {"switch": "leaf-02", "port": "Eth1/1", "drop_percent": "50", "mark_percent": "50"}
    clos.lab.call(clos.lab.lab.inject("congestion", places))
    before = clos.queue("leaf-02", "Eth1/1", 0)[1]
    assert clos.ping(tos=106, count=20) == 20  # DSCP 26, capable of ECN: marked, not dropped
    assert clos.queue("leaf-02", "Eth1/1", 0)[1] == before
    for port in (3, 4):
        clos.type("leaf-02", f"interface Eth1/{port}", "no qos-map dscp-tc")
    assert 0 < clos.ping(tos=106, count=20) < 20
    assert clos.queue("leaf-02", "Eth1/1", 0)[1] > before
    for port in (3, 4):
        clos.type("leaf-02", f"interface Eth1/{port}", "qos-map dscp-tc ROCE")
    assert clos.ping(tos=106, count=20) == 20
    clos.lab.call(clos.lab.lab.clear("congestion"))


def test_a_port_without_pfc_loses_what_it_would_have_paused(clos: Clos) -> None:
    port = {"switch": "leaf-02", "port": "Eth1/1"}
    clos.lab.call(clos.lab.lab.inject("congestion", {**port, "drop_percent": "50"}))
    assert clos.ping(tos=104, count=20) == 20  # DSCP 26, not capable of ECN: nothing but pausing keeps it
    clos.lab.call(clos.lab.lab.inject("pfc-off", port))
    clos.lab.call(clos.fabric.settled())
    assert "priority-flow-control" not in clos.show("leaf-02", "show running-configuration interface Eth 1/1")
    assert 0 < clos.ping(tos=104, count=20) < 20
    clos.lab.call(clos.lab.lab.clear("pfc-off"))
    clos.lab.call(clos.fabric.settled())
    assert clos.ping(tos=104, count=20) == 20
    clos.lab.call(clos.lab.lab.clear("congestion"))


@pytest.mark.slow
def test_one_changed_line_resets_no_other_session(clos: Clos) -> None:
    before = clos.lab.call(clos.fabric.switches["leaf-01"].frr.ask("show bgp neighbors Eth1-4 json"))
    clos.type("leaf-01", "router bgp 65001", "neighbor interface Eth1/3", "shutdown")
    until(lambda: established(clos, "leaf-01") == 1, "one session is shut down")
    clos.until_reached()
    after = clos.lab.call(clos.fabric.switches["leaf-01"].frr.ask("show bgp neighbors Eth1-4 json"))
    assert '"connectionsDropped":0' in before
    assert '"connectionsDropped":0' in after
    clos.type("leaf-01", "router bgp 65001", "neighbor interface Eth1/3", "no shutdown")
    until(lambda: established(clos, "leaf-01") == 2, "both sessions are up")


@pytest.mark.slow
def test_a_dead_switch_is_passed_by(clos: Clos) -> None:
    clos.show("spine-01", "write memory")
    clos.lab.call(clos.lab.lab.inject("dead-switch", {"switch": "spine-01"}))
    clos.lab.call(clos.fabric.settled())
    until(lambda: established(clos, "leaf-01") == 1, "the session to spine-01 ends")
    clos.until_reached()
    until(lambda: "spine-01" not in clos.show("leaf-01", "show lldp table"), "spine-01 is still heard")
    clos.lab.call(clos.lab.lab.clear("dead-switch"))
    until(lambda: established(clos, "leaf-01") == 2, "spine-01 is back")


def test_leaf_lines_are_what_the_lab_switch_runs(clos: Clos) -> None:
    assert clos.lab.call(clos.lab.lab.edit("leaf-01", leaf_lines(1))) == ()
    clos.lab.call(clos.fabric.settled())
    assert clos.fabric.switches["leaf-01"].problems == ()
    clos.until_reached()
