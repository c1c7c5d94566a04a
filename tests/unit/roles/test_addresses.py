"""netplan and networkd are told the same, about the ports that the plan names and no other."""

from __future__ import annotations

import re
from typing import Any, Final

import yaml12

from rackproof.paths import ROOT
from rackproof.render.managed_files import managed_files
from tests.unit.roles.inventory_variables import GPU_SERVER

ROLE: Final = ROOT / "roles" / "addresses"


def files(renderer: str) -> dict[str, str]:
    rendered = managed_files(ROLE, {**GPU_SERVER, "addresses_renderer": renderer})
    return {file.path.rsplit("/", 1)[-1]: file.content for file in rendered}


def netplan() -> Any:  # noqa: ANN401 a YAML document
    document: Any = yaml12.parse_yaml(files("netplan")["60-rackproof.yaml"])
    return document["network"]


def test_only_ports_of_the_plan_are_named() -> None:
    network = netplan()

    assert set(network["ethernets"]) == {"rail0", "rail1", "frontend0", "frontend1"}
    assert set(network["bonds"]) == {"bond0"}
    assert all(re.search(r"^Name=[a-z0-9 ]+$", text, re.MULTILINE) for text in networks().values())


def test_both_are_told_the_same_routes() -> None:
    rail = netplan()["ethernets"]["rail1"]
    text = networks()["20-rackproof-rail1.network"]

    assert rail["addresses"] == re.findall(r"^Address=(\S+)", text, re.MULTILINE) == ["10.10.1.11/24"]
    assert [route["to"] for route in rail["routes"]] == re.findall(r"Destination=(\S+)", text)
    assert rail["routing-policy"] == [{"from": "10.10.1.11", "table": 101, "priority": 1101}]
    assert "[RoutingPolicyRule]\nFrom=10.10.1.11\nTable=101\nPriority=1101\n" in text
    assert rail["mtu"] == 9216
    assert "MTUBytes=9216" in text


def test_bonds_speak_lacp() -> None:
    bond = netplan()["bonds"]["bond0"]

    assert bond["parameters"]["mode"] == "802.3ad"
    assert bond["routes"] == [{"to": "0.0.0.0/0", "via": "10.20.0.1"}]
    assert "Mode=802.3ad" in files("networkd")["20-rackproof-bond0.netdev"]
    assert "Name=frontend0 frontend1\n" in networks()["20-rackproof-bond0-members.network"]


def test_a_vlan_stands_on_its_bond() -> None:
    vlan, text = netplan()["vlans"]["vlan400"], networks()["20-rackproof-vlan400.network"]

    assert (vlan["id"], vlan["link"]) == (400, "bond0")
    assert "Kind=vlan\nMTUBytes=9000\n\n[VLAN]\nId=400\n" in files("networkd")["20-rackproof-vlan400.netdev"]
    assert "VLAN=vlan400\n" in networks()["20-rackproof-bond0.network"]
    assert [route["to"] for route in vlan["routes"]] == re.findall(r"Destination=(\S+)", text)
    assert vlan["routing-policy"] == [{"from": "10.20.2.16", "table": 201, "priority": 1201}]
    assert "net.ipv4.conf.vlan400.rp_filter = 2\n" in files("networkd")["61-rackproof-addresses.conf"]


def networks() -> dict[str, str]:
    return {name: text for name, text in files("networkd").items() if name.endswith(".network")}
