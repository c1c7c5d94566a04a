"""The machines that stand in for storage: which there are, and at which of the plan's addresses they serve."""

from __future__ import annotations

import configparser
import re
from typing import TYPE_CHECKING

import pytest

from lab.hosts.machine import HostSpec
from lab.spec.from_plan import lab_site
from lab.spec.models import LabEnd, port_mac
from lab.spec.scale import scaled
from lab.storage.from_plan import lab_storage
from rackproof.hardware.load import Catalogue
from rackproof.paths import ROOT
from rackproof.plan.build import build_plan
from rackproof.site.load import load_site
from rackproof.site.models import Site

if TYPE_CHECKING:
    from rackproof.plan.model.plan import Plan

CATALOGUE = Catalogue()
SITE = ROOT / "lab" / "sites" / "storage" / "site.yaml"


def asked(**changes: object) -> Site:
    document = load_site(SITE).site.model_dump(mode="json", exclude_unset=True)
    document["storage"][0].update(changes)
    return scaled(Site.model_validate(document), CATALOGUE)


def built(site: Site, machines: int = 1) -> tuple[Plan, tuple[HostSpec, ...]]:
    plan = build_plan(site, CATALOGUE)
    return plan, lab_storage(site, plan, lab_site(plan, CATALOGUE), CATALOGUE, machines)


def networks(script: str) -> dict[str, str]:
    """Return what the script writes for systemd-networkd: MAC address of a port to the text of its file."""
    texts = re.findall(r"cat >\S+\.network <<'END'\n(.*?)END\n", script, re.DOTALL)
    return {text.split("MACAddress=")[1].split()[0]: text for text in texts}


def served_at(script: str) -> dict[str, set[str]]:
    """Return at which addresses each port serves."""
    return {mac: set(re.findall(r"^Address=(\S+)$", text, re.MULTILINE)) for mac, text in networks(script).items()}


def planned_at(plan: Plan, port: str, *nodes: str) -> set[str]:
    return {str(plan.storage["scale"].nodes[node].ports[port].address) for node in nodes}


def test_one_machine_serves_the_addresses_of_all_nodes_each_at_its_port() -> None:
    plan, (machine,) = built(asked())

    assert (machine.name, machine.kind, [nic.rdma for nic in machine.nics]) == ("scale-001", "storage", [True, True])
    assert served_at(machine.setup) == {
        port_mac(LabEnd("scale-001", port)): planned_at(plan, port, "scale-001", "scale-002", "scale-003")
        for port in ("frontend0", "frontend1")
    }


def test_more_machines_share_the_addresses_and_none_is_served_twice() -> None:
    plan, machines = built(asked(), machines=2)

    assert [machine.name for machine in machines] == ["scale-001", "scale-002"]
    assert served_at(machines[0].setup)[machines[0].nics[0].mac] == planned_at(
        plan, "frontend0", "scale-001", "scale-003"
    )
    assert served_at(machines[1].setup)[machines[1].nics[0].mac] == planned_at(plan, "frontend0", "scale-002")


def test_answers_leave_by_the_port_whose_address_was_asked() -> None:
    _, (machine,) = built(asked())

    for text in networks(machine.setup).values():
        rules = re.findall(r"From=(\S+)\nTable=(\d+)", text)
        assert {source for source, _ in rules} == {one.split("/")[0] for one in re.findall(r"Address=(\S+/\S+)", text)}
        (table,) = {number for _, number in rules}
        assert f"Destination=10.20.0.0/17\nTable={table}\n" in text


def test_a_cluster_without_rdma_serves_tcp_alone() -> None:
    _, (machine,) = built(asked(protocol="nfs"))

    settings = re.search(r"cat >/etc/nfs\.conf\.d/\S+ <<'END'\n(.*?)END\n", machine.setup, re.DOTALL)
    assert settings is not None
    read = configparser.ConfigParser()
    read.read_string(settings[1])
    assert "rdma" not in read["nfsd"]
    assert "rpcrdma" not in machine.setup
    assert not any(nic.rdma for nic in machine.nics)


@pytest.mark.parametrize("protocol", ["s3", "smb"])
def test_what_linux_does_not_serve_as_the_cluster_would_has_no_machine(protocol: str) -> None:
    assert built(asked(protocol=protocol))[1] == ()


def test_no_machine_where_none_is_asked_for() -> None:
    assert built(asked(), machines=0)[1] == ()
