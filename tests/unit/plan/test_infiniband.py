"""InfiniBand: cabled and powered like everything else, numbered without VLANs, and managed from servers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rackproof.hardware.load import Catalogue
from rackproof.render.port_map import ports_csv
from rackproof.render.site import site_files
from rackproof.site.rules import check_rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from rackproof.plan.model.plan import Plan
    from rackproof.site.models import Site

PDUS = {"model": "apc-apdu10450sw", "count": 4}


def ndr(count: int = 6, grows_to: int = 6, **fabric: object) -> dict[str, Any]:
    """Servers with four NDR adapters each, on unmanaged Quantum-2."""
    return {
        "release": "h20044",
        "redundancy": "one-pdu",
        "racks": [
            {"name": "net", "model": "apc-ar3357", "pdus": PDUS, "count": 2},
            {"name": "r", "model": "apc-ar3357", "pdus": PDUS, "count": 20},
        ],
        "gpu": {
            "model": "dell-xe9680-h100-ndr",
            "count": count,
            "grows_to": grows_to,
            "rack": "r",
            "per_rack": 3,
            "nics": {"backend": "nvidia-connectx7-ndr"},
        },
        "fabrics!": {
            "backend": {
                "topology": "single-switch",
                "switch": "nvidia-qm9790",
                "nos": "infiniband-unmanaged",
                "prefix": "10.10.0.0/16",
                "rack": "net",
                **fabric,
            },
            "oob": {
                "topology": "switch-per-rack",
                "switch": "dell-s3248t-on",
                "nos": "enterprise-sonic",
                "prefix": "10.30.0.0/16",
            },
        },
        "external!": {},
    }


@pytest.fixture(scope="module")
def plan(plan_of: Callable[..., Plan]) -> Plan:
    return plan_of(**ndr())


def test_four_rails_serve_two_accelerators_each(plan: Plan) -> None:
    rails = [port for port in plan.servers["gpu-001"].ports.values() if port.rail is not None]
    assert [port.rail for port in rails] == [0, 1, 2, 3]
    assert sorted(gpu for port in rails for gpu in port.gpus) == list(range(8))
    assert {len(port.gpus) for port in rails} == {2}


def test_addresses_without_vlan_or_gateway(plan: Plan) -> None:
    rails = [port for server in plan.servers.values() for port in server.ports.values() if port.rail is not None]
    assert {(port.vlan, port.gateway, port.mtu_bytes) for port in rails} == {(None, None, 4092)}
    assert len({port.address for port in rails}) == 24
    assert [subnet.name for subnet in plan.fabrics["backend"].subnets] == [f"rail{n}" for n in range(4)]


def test_nobody_configures_the_switch_and_it_has_power_and_cables(plan: Plan) -> None:
    switch = plan.switches["backend-leaf-01"]
    assert switch.intent is None
    assert "backend-leaf-01" not in plan.intents()
    assert set(switch.breakouts.values()) == {"2x400G"}
    assert {cord.device for cord in plan.cords} >= {"backend-leaf-01"}
    links = [link for link in plan.links if link.a.device == "backend-leaf-01"]
    assert len(links) == 24
    assert {link.speed_gbps for link in links} == {400}


def test_no_out_of_band_port_for_a_switch_that_has_none(plan: Plan) -> None:
    served = {link.b.device for link in plan.links if link.kind == "management"}
    assert "backend-leaf-01" not in served
    assert "gpu-001" in served


def test_a_master_and_a_standby_manage_the_subnet(plan: Plan) -> None:
    managers = plan.fabrics["backend"].subnet_managers
    assert [(m.server, m.port, m.software, m.state) for m in managers] == [
        ("gpu-001", "rail0", "opensm", "master"),
        ("gpu-002", "rail0", "opensm", "standby"),
    ]
    assert managers[0].priority > managers[1].priority
    assert plan.fabrics["oob"].subnet_managers == ()


def test_a_named_manager_runs_ufm(plan_of: Callable[..., Plan]) -> None:
    managers = plan_of(**ndr(ufm=["gpu-003", "gpu-001"])).fabrics["backend"].subnet_managers
    assert [(m.server, m.software) for m in managers] == [("gpu-003", "ufm"), ("gpu-001", "ufm")]


def test_rails_that_nothing_joins_are_managed_each(plan_of: Callable[..., Plan]) -> None:
    managers = plan_of(**ndr(topology="pure-rail")).fabrics["backend"].subnet_managers
    masters = [(m.port, m.switches) for m in managers if m.state == "master"]
    assert masters == [(f"rail{n}", (f"backend-leaf-0{n + 1}",)) for n in range(4)]


def test_joined_switches_are_one_subnet(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(**ndr(20, 20, topology="rail-optimized", per_rack=8))
    backend = plan.fabrics["backend"]
    assert len(backend.switches) > 2
    assert len(backend.subnet_managers) == 2
    assert backend.subnet_managers[0].switches == backend.switches
    assert [subnet.name for subnet in backend.subnets] == [f"rail{n}" for n in range(4)]


@settings(max_examples=5)
@given(data=st.data())
def test_growth_moves_no_manager(plan_of: Callable[..., Plan], data: st.DataObject) -> None:
    few = data.draw(st.integers(2, 9))
    more = data.draw(st.integers(few + 1, 10))
    before, after = (plan_of(**ndr(count, 10)).fabrics["backend"] for count in (few, more))
    assert after.subnet_managers == before.subnet_managers
    assert after.subnets == before.subnets


def test_documents_pass_over_what_is_not_configured(plan: Plan) -> None:
    files = site_files(plan, Catalogue())
    assert [name for name in files if "backend" in name] == []
    rows = b"".join(ports_csv(plan, Catalogue())).decode().splitlines()
    assert sum(row.startswith("backend-leaf-01") and "gpu-" in row for row in rows) == 24


REFUSED = [
    ({"roce": {}}, "fabrics.backend.roce", "Unmanaged InfiniBand switch does not support RoCE"),
    ({"nic_ports": "bond"}, "fabrics.backend.nic_ports", "an LACP bond needs Ethernet"),
    ({"first_vlan": 7}, "fabrics.backend.first_vlan", "an InfiniBand fabric has partitions instead of VLANs"),
    ({"mtu_bytes": 9216}, "fabrics.backend.mtu_bytes", "IP over InfiniBand carries 4092 bytes at most, not 9216"),
    ({"ufm": ["gpu-007"]}, "fabrics.backend.ufm.0", "gpu-007 is not a server on the fabric backend"),
    ({"ufm": ["gpu-001", "gpu-001"]}, "fabrics.backend.ufm.1", "gpu-001 is named twice"),
]


@pytest.mark.parametrize(("fabric", "path", "message"), REFUSED)
def test_what_infiniband_cannot_be_asked_for(
    fabric: dict[str, Any], path: str, message: str, site_of: Callable[..., Site]
) -> None:
    problems = check_rules(site_of(**ndr(**fabric)), Catalogue())
    found = [(".".join(map(str, error.path)), error.message) for error in problems.errors if not error.warning]
    assert [where for where, _ in found] == [path]
    assert found[0][1].startswith(message)


def test_ethernet_adapters_do_not_go_into_infiniband(errors_of: Callable[..., list[tuple[str, str]]]) -> None:
    changes = ndr()
    changes["gpu"]["nics"] = {"backend": "nvidia-b3140h"}
    assert ("servers.0.nics.backend", "gpu-001 rail0 runs ethernet, nvidia-qm9790 runs infiniband") in errors_of(
        **changes
    )
