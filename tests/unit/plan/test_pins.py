"""Every pin is in force or refused: none is accepted and ignored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rackproof.errors import SiteErrors
from rackproof.hardware.load import Catalogue
from rackproof.plan.build import build_plan
from rackproof.site.rules import check_rules
from tests.unit.plan.conftest import make_site

if TYPE_CHECKING:
    from collections.abc import Callable

    from rackproof.plan.model.plan import Plan
    from rackproof.site.models import Site

CATALOGUE: Final = Catalogue()
PORTS: Final = ("bmc", "lom0", "mgmt", "rail0", "rail15", "frontend0", "frontend1", "frontend-bond0", "backend-bond0")
DEVICES: Final = ("gpu-001", "gpu-002", "backend-leaf-01", "frontend-leaf-02", "oob-leaf-01", "r1-pdu-1")
SWITCHES: Final = ("backend-leaf-01", "frontend-leaf-01", "frontend-leaf-02", "oob-leaf-01")
owners = st.tuples(st.sampled_from(DEVICES), st.sampled_from(PORTS)).map(":".join)
addresses = st.sampled_from(["10.10.0.40", "10.20.0.40", "10.20.0.16", "10.30.0.40", "10.30.128.40", "192.0.2.1"])
switch_ports = st.tuples(
    st.sampled_from(SWITCHES), st.sampled_from(["Eth1/1", "Eth1/1/1", "Eth1/9/2", "Eth1/30", "Eth1/48"])
).map("/".join)


def planned_or_refused(site: Site, kind: str) -> Plan | None:
    """The plan; None where it is refused, which an error at a pin of this kind must say."""
    errors = [error.path for error in check_rules(site, CATALOGUE).errors if error.path[0] == "pin"]
    try:
        plan = build_plan(site, CATALOGUE)
        if not errors:
            return plan
    except SiteErrors as refused:
        errors += [error.path for error in refused.errors if not error.warning]
    assert any(path[:2] == ("pin", kind) for path in errors), errors
    return None


def has_address(plan: Plan, owner: str, address: str) -> bool:
    """Whether the plan gives an address to what is pinned to it."""
    device, _, port = owner.partition(":")
    if device in plan.switches:
        intent = plan.switches[device].intent
        return intent is not None and intent.management.address.partition("/")[0] == address
    if device in plan.pdus:
        return (plan.pdus[device].address or "").partition("/")[0] == address
    host = plan.servers[device]
    planned = host.ports[port].address if port in host.ports else host.bonds[port].address if port in host.bonds else ""
    return (planned or "").partition("/")[0] == address


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(owner=owners, address=addresses)
def test_a_pinned_address_is_in_force_or_refused(owner: str, address: str) -> None:
    site = make_site(pin={"addresses": {owner: address}})

    plan = planned_or_refused(site, "addresses")

    assert plan is None or has_address(plan, owner, address)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(owner=owners, where=switch_ports)
def test_a_pinned_port_is_in_force_or_refused(owner: str, where: str) -> None:
    site = make_site(pin={"ports": {owner: where}})

    plan = planned_or_refused(site, "ports")

    links = plan.links if plan else ()
    ends = {(f"{link.a.device}/{link.a.port}", f"{link.b.device}:{link.b.port}") for link in links}
    assert plan is None or (where, owner) in ends


@pytest.mark.parametrize("switch", SWITCHES)
def test_a_pinned_asn_is_in_force_or_refused(switch: str) -> None:
    site = make_site(pin={"asns": {switch: 65100}})

    plan = planned_or_refused(site, "asns")

    bgp = plan.intents()[switch].bgp if plan else None
    assert plan is None or (bgp is not None and bgp.asn == 65100)


def test_an_address_of_a_bonded_port_is_refused(errors_of: Callable[..., list[tuple[str, str]]]) -> None:
    assert errors_of(pin={"addresses": {"gpu-001:frontend0": "10.20.0.40"}}) == [
        ("pin.addresses.gpu-001:frontend0", "gpu-001:frontend0 has no address of its own")
    ]


def test_a_pin_of_a_server_to_come_is_kept(plan_of: Callable[..., Plan]) -> None:
    assert "gpu-003" not in plan_of(pin={"addresses": {"gpu-003:frontend-bond0": "10.20.0.99"}}).servers
