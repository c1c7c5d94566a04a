"""A hosted site: machines, accelerators and rails, and nothing that is the provider's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rackproof.cli.app import run
from rackproof.hardware.load import Catalogue
from rackproof.plan.from_file import plan_site
from rackproof.render.site import site_files
from rackproof.site.load import find_site

if TYPE_CHECKING:
    from pathlib import Path

    from rackproof.plan.model.plan import Plan

GROUP = "{group: nd, model: azure-nd-h100-v5, nics: {backend: nvidia-connectx7-ndr}, count: 2"


@pytest.fixture(scope="module")
def plan() -> Plan:
    return plan_site(find_site("azure-nd-h100")).plan


def test_eight_rails_and_the_port_it_comes_with(plan: Plan) -> None:
    assert len(plan.servers) == 10
    ports = plan.servers["nd-010"].ports
    assert [port.gpus for port in ports.values() if port.rail is not None] == [(n,) for n in range(8)]
    assert (ports["frontend0"].fabric, ports["frontend0"].nic) == ("frontend", "azure-accelerated-networking")


def test_nothing_of_the_providers(plan: Plan) -> None:
    physical = (plan.racks, plan.switches, plan.links, plan.cords, plan.power, plan.pdus)
    assert not any(physical)
    for server in plan.servers.values():
        assert server.position is None
        assert {(port.address, port.switch, port.vlan) for port in server.ports.values()} == {(None, None, None)}


def test_what_is_left_out_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "azure-nd-h100"]) == 0
    said = capsys.readouterr()
    assert "no errors" in said.out
    assert "left out: racks, power and cords" in said.err
    assert "left out: addresses, VLANs and MTU" in said.err


@pytest.mark.parametrize("arguments", [["plan"], ["plan", "--device", "nd-001"], ["plan", "--fabric", "backend"]])
def test_it_can_be_shown(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([arguments[0], "azure-nd-h100", *arguments[1:]]) == 0
    assert "rail0" in capsys.readouterr().out


def test_no_configuration_is_rendered(plan: Plan) -> None:
    files = site_files(plan, Catalogue())
    assert set(files) == {"addresses.csv", "cables.csv", "cords.csv", "plan.json", "ports.csv", "reachability.csv"}


REFUSED = [
    ("racks: [{name: r1, model: apc-ar3350, pdus: {model: apc-apdu10450sw, count: 4}}]", "a hosted site has no racks"),
    ("redundancy: one-pdu", "a hosted site has no redundancy: power is the provider's"),
    ("storage: [{name: s, model: dell-powerscale-f710, nodes: 3, rack: r1}]", "a hosted site has no storage"),
    ("pin: {}", "a hosted site has no pin"),
]


@pytest.mark.parametrize(("line", "message"), REFUSED)
def test_what_a_hosted_site_may_not_contain(
    line: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "site.yaml"
    group = f"servers:\n  - {GROUP}}}\n"
    file.write_text(f"site: cloud\nrelease: azure-nd-h100\nhosted: true\n{group}{line}\n", encoding="utf-8")
    assert run(["check", str(file)]) == 3
    assert f"error: {message}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("rack: r1", "servers of a hosted site have no rack"),
        ("grows_to: 4", "servers of a hosted site have no grows_to"),
    ],
)
def test_where_hosted_servers_stand_is_not_said(
    key: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "site.yaml"
    group = f"servers:\n  - {GROUP}, {key}}}\n"
    file.write_text(f"site: cloud\nrelease: azure-nd-h100\nhosted: true\n{group}", encoding="utf-8")
    assert run(["check", str(file)]) == 3
    assert f"error: {message}" in capsys.readouterr().err
