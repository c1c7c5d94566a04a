"""Storage clusters: placed, powered, cabled, addressed, and their own back end planned and never configured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rackproof.hardware.load import Catalogue
from rackproof.render.site import site_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from rackproof.plan.model.plan import Plan


def with_storage(nodes: int = 3, grows_to: int = 8, **changes: object) -> dict[str, Any]:
    cluster = {"name": "scale", "model": "dell-powerscale-f710", "nodes": nodes, "grows_to": grows_to, "rack": "r2"}
    racks = [
        {"name": "r1", "model": "apc-ar3350", "pdus": {"model": "apc-apdu10450sw", "count": 4}},
        {"name": "r2", "model": "apc-ar3350", "pdus": {"model": "apc-apdu10450sw", "count": 4}},
    ]
    return {"racks": racks, "storage": [{**cluster, **changes}]}


@pytest.fixture(scope="module")
def plan(plan_of: Callable[..., Plan]) -> Plan:
    return plan_of(**with_storage(protocol="nfs-rdma"), fabrics={"frontend": {"roce": {}}})


def test_nodes_are_on_both_switches_of_the_pair(plan: Plan) -> None:
    for node in plan.storage["scale"].nodes.values():
        assert node.bonds["frontend-bond0"].members == ("frontend0", "frontend1")
        assert {node.ports[f"frontend{n}"].switch for n in (0, 1)} == {"frontend-leaf-01", "frontend-leaf-02"}
        assert node.position is not None
        assert node.position.rack == "r2"
        assert node.ports["bmc"].address


def test_nodes_share_the_subnet_of_the_servers(plan: Plan) -> None:
    hosts = plan.hosts()
    assert list(hosts) == ["gpu-001", "gpu-002", "scale-001", "scale-002", "scale-003"]
    addresses = [host.bonds["frontend-bond0"].address for host in hosts.values()]
    assert len(set(addresses)) == len(hosts)
    assert {host.bonds["frontend-bond0"].gateway for host in hosts.values()} == {"10.20.0.1"}


def test_the_switches_bundle_their_ports(plan: Plan) -> None:
    for switch in ("frontend-leaf-01", "frontend-leaf-02"):
        intent = plan.intents()[switch]
        ports = [port for port in intent.ports.values() if port.description.startswith("scale-")]
        assert len(ports) == 3
        assert all(port.lossless and port.port_channel in intent.port_channels for port in ports)


def test_the_back_end_is_planned_and_not_configured(plan: Plan) -> None:
    backend = plan.fabrics["scale-backend"]
    assert (backend.role, backend.switches) == ("storage-backend", ("scale-backend-leaf-01", "scale-backend-leaf-02"))
    for number, switch in enumerate(backend.switches):
        assert plan.switches[switch].intent is None
        assert plan.switches[switch].position.rack == "r2"
        served = [link.b for link in plan.links if link.a.device == switch]
        assert [(end.device, end.port) for end in served] == [
            (f"scale-00{n}", f"int-{'ab'[number]}") for n in (1, 2, 3)
        ]
    powered = {cord.device for cord in plan.cords}
    assert powered >= {*backend.switches, *plan.storage["scale"].nodes}


def test_the_back_end_has_no_addresses_and_no_management(plan: Plan) -> None:
    assert plan.fabrics["scale-backend"].subnets == ()
    assert {node.ports["int-a"].address for node in plan.storage["scale"].nodes.values()} == {None}
    managed = {link.b.device for link in plan.links if link.kind == "management"}
    assert not managed & set(plan.fabrics["scale-backend"].switches)


def test_files_name_the_nodes(plan: Plan) -> None:
    files = site_files(plan, Catalogue())
    assert "scale-003,frontend-bond0" in files["addresses.csv"]
    assert "scale-001,int-a,r2/" in files["cables.csv"]
    assert not any("scale-backend" in name for name in files)


def test_the_largest_site_leaves_room_for_storage(plan: Plan, plan_of: Callable[..., Plan]) -> None:
    bare = plan_of(fabrics={"frontend": {"roce": {}}})
    assert plan.fabrics["frontend"].servers_max < bare.fabrics["frontend"].servers_max


def test_no_room_in_the_rack(errors_of: Callable[..., list[tuple[str, str]]]) -> None:
    found = errors_of(**with_storage(32, 32, rack="r1"))
    assert any("of the 32 nodes that scale has or grows to (1U each)" in message for _, message in found)


@settings(max_examples=8)
@given(data=st.data())
def test_growth_moves_nothing(plan_of: Callable[..., Plan], data: st.DataObject) -> None:
    few = data.draw(st.integers(3, 7))
    more = data.draw(st.integers(few + 1, 8))
    servers, more_servers = data.draw(st.sampled_from([(2, 2), (2, 3), (1, 4)]))
    before = plan_of(**with_storage(few), gpu={"count": servers})
    after = plan_of(**with_storage(more), gpu={"count": more_servers})
    assert {name: after.hosts()[name] for name in before.hosts()} == before.hosts()
    assert set(before.links) <= set(after.links)
    assert set(before.cords) <= set(after.cords)
    assert {name: switch.position for name, switch in before.switches.items()} == {
        name: switch.position for name, switch in after.switches.items()
    }
