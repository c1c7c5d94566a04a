"""Hosts over gRPC: what the real provider says of one that answers, and does to it. Nothing here changes a host."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import grpc
import pytest

from infra.components.nodes import Nodes
from infra.inputs.node import TOKEN, NodeInputs, node_from, node_order, node_values, planned_node
from lab.hosts.redfish.controller import Controller
from lab.hosts.redfish.server import RedfishServer
from rackproof.deploy.nodes.build_steps import NodeOrder, node_orders
from rackproof.plan.from_file import PlannedSite, host_sources, plan_site
from rackproof.site.access import Access, CredentialReference, DeviceAccess
from rackproof.site.as_built import AsBuilt
from rackproof.site.load import find_site
from tests.deploy.nodes.ssh_hosts import HostThread, SshHost
from tests.infra.engine_side import Engine, running_provider, values
from tests.infra.recorded_program import declared_by

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOST = "gpu-001"
PASSWORD = "calvin-of-the-lab"


@pytest.fixture(scope="module")
def planned() -> PlannedSite:
    return plan_site(find_site("metrum-h200"))


@pytest.fixture(scope="module")
def order(planned: PlannedSite) -> NodeOrder:
    return node_orders(host_sources(planned, AsBuilt()), [HOST])[HOST]


@pytest.fixture(scope="module")
def inputs(order: NodeOrder) -> dict[str, Any]:
    return node_values(planned_node(HOST, order))


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshHost]:
    thread, host = HostThread(), SshHost(HOST, tmp_path_factory.mktemp("host") / HOST)
    thread.call(host.start())
    yield host
    thread.call(host.stop())
    thread.close()


@pytest.fixture(scope="module")
def management(host: SshHost) -> Iterator[RedfishServer]:
    """The host's management controller."""
    with RedfishServer(Controller(HOST, "rackproof", PASSWORD), host.folder) as server:
        yield server


@pytest.fixture(scope="module")
def engine(host: SshHost, management: RedfishServer, checkout: Path) -> Iterator[Engine]:
    access = host.folder / "access.yaml"
    entry = DeviceAccess(
        host="127.0.0.1",
        port=management.port,
        user="rackproof",
        password=CredentialReference(pulumi="bmcPassword"),
        certificates=management.certificate.name,
    )
    devices = {HOST: host.access(), f"{HOST}-bmc": entry}
    access.write_text(Access(devices=devices).model_dump_json(exclude_none=True))  # JSON is YAML
    with running_provider(checkout / "infra" / "provider", TOKEN, dict(os.environ)) as engine:
        engine.configure({"site": "metrum-h200", "access": str(access)}, bmcPassword=PASSWORD)
        yield engine


def test_inputs_hold_every_variable_by_its_role(order: NodeOrder, inputs: dict[str, Any]) -> None:
    again = node_order(node_from(inputs), order)

    assert inputs["roles"]["nic_roce"]["dscp"] == order.variables["nic_roce_dscp"]
    assert json.loads(json.dumps(again.variables)) == json.loads(json.dumps(order.variables))


def test_planned_inputs_pass_and_wrong_ones_are_named(engine: Engine, inputs: dict[str, Any]) -> None:
    assert engine.check(HOST, inputs) == {}
    assert "roles" in engine.check(HOST, {**inputs, "roles": 7})
    assert engine.check(HOST, {**inputs, "extra": 1}) == {"extra": "there is no such key here"}


def test_schema_knows_hosts(engine: Engine) -> None:
    assert TOKEN in json.loads(engine.schema())["resources"]


def test_preview_names_the_keys_that_change(engine: Engine, inputs: dict[str, Any]) -> None:
    new = json.loads(json.dumps(inputs))
    new["roles"]["nic_roce"]["dscp"] = 30
    engine.listener.lines.clear()

    answer = engine.diff(HOST, inputs, new)
    engine.update(HOST, inputs, new, preview=True)

    assert set(answer.detailedDiff) == {"roles.nic_roce.dscp"}
    assert "role nic_roce: nic_roce.dscp changes" in engine.listener.lines[-1][1]


def test_a_host_is_read_and_what_differs_there_is_drift(engine: Engine, inputs: dict[str, Any], host: SshHost) -> None:
    found = values(engine.read(HOST, inputs).inputs)

    assert any("/etc/sysctl.d/60-rackproof.conf" in text for text in found["differing"])
    assert "BIOS SysProfile: PerfPerWattOptimizedDapc → PerfOptimized (reboot)" in found["differing"]
    assert PASSWORD not in json.dumps(found)
    assert set(engine.diff(HOST, found, inputs).detailedDiff) == {"differing"}
    assert [command.split()[:2] for command in host.commands] == [["sudo", "-n"]]


def test_a_preview_touches_no_host(engine: Engine, inputs: dict[str, Any], host: SshHost) -> None:
    before = len(host.commands)

    engine.create(HOST, inputs, preview=True)

    assert len(host.commands) == before


def test_delete_leaves_the_host_as_it_is_and_says_so(engine: Engine, inputs: dict[str, Any], host: SshHost) -> None:
    before = len(host.commands)

    engine.delete(HOST, inputs)

    assert len(host.commands) == before
    assert "left as it is" in engine.listener.lines[-1][1]


def test_a_host_that_refuses_sudo_is_told_to_the_engine(engine: Engine, inputs: dict[str, Any], host: SshHost) -> None:
    host.mark("no-sudo")
    try:
        with pytest.raises(grpc.RpcError, match="sudo is refused to user rackproof"):
            engine.create(HOST, inputs)
    finally:
        (host.folder / "no-sudo").unlink()


def test_hosts_wait_for_their_fabrics_and_for_their_redundancy_group() -> None:
    orders = {
        "gpu-001": NodeOrder({"base_hostname": "gpu-001"}, "gpu-001"),
        "head-01": NodeOrder({}, "heads"),
        "head-02": NodeOrder({}, "heads"),
    }

    declared = declared_by(lambda: Nodes(orders, {}))

    assert {name: one.depends_on for name, one in declared.items() if one.parent == "nodes"} == {
        "gpu-001": [],
        "head-01": [],
        "head-02": ["head-01"],
    }
    assert declared["gpu-001"].inputs["roles"] == {"base": {"hostname": "gpu-001"}}


def test_state_stays_small(inputs: dict[str, Any]) -> None:
    assert isinstance(node_from(inputs), NodeInputs)
    assert len(json.dumps(inputs)) < 30_000
