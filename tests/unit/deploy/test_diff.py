"""A switch's difference: empty exactly when nothing has to be typed, complete otherwise."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from pydantic import TypeAdapter

from rackproof.connect.credentials import Credential
from rackproof.connect.ssh import Target
from rackproof.deploy.protocol import Disruption
from rackproof.deploy.switch.build_steps import SwitchOrder, switch_step
from rackproof.deploy.switch.compare.managed_config import managed_tree, tree_text
from rackproof.deploy.switch.driver import find_driver
from rackproof.deploy.switch.operational_state import OperationalState
from rackproof.deploy.switch.read import SwitchState
from rackproof.errors import BadInputError
from rackproof.facts.models import LldpNeighbour, PortStatus
from rackproof.plan.from_file import PlannedSite, plan_site
from rackproof.plan.model.plan import SwitchIntent
from rackproof.render.config_tree import ConfigTree, parse_tree
from rackproof.render.switch import render_switch
from rackproof.site.access import DeviceAccess
from rackproof.site.load import find_site

if TYPE_CHECKING:
    from collections.abc import Callable

    from rackproof.deploy.protocol import Change
    from rackproof.deploy.switch.step import SwitchStep

NOS = "enterprise-sonic"
INTENT = TypeAdapter(SwitchIntent)


@cache
def site() -> PlannedSite:
    return plan_site(find_site("metrum-h200"))


def planned(name: str) -> SwitchIntent:
    return site().plan.intents()[name]


def step(name: str, intent: SwitchIntent, unmanaged: tuple[str, ...] = ()) -> SwitchStep:
    target = Target(name, DeviceAccess(host="192.0.2.1", user="admin"), Credential)
    model = site().plan.switches[name].model
    return switch_step(SwitchOrder(target, NOS, model, intent, name, unmanaged), site().catalogue)


def text(name: str, intent: SwitchIntent) -> str:
    return render_switch(NOS, site().catalogue.switch(site().plan.switches[name].model), intent)


def port(**changed: object) -> Callable[[SwitchIntent], SwitchIntent]:
    """Change the first port."""

    def mutate(intent: SwitchIntent) -> SwitchIntent:
        values = INTENT.dump_python(intent, mode="json", exclude_defaults=True)
        key = next(iter(values["ports"]))
        values["ports"][key].update(changed)
        return INTENT.validate_python(values)

    return mutate


def without_a_port(intent: SwitchIntent) -> SwitchIntent:
    return replace(intent, ports=dict(list(intent.ports.items())[1:]))


def other_class(intent: SwitchIntent) -> SwitchIntent:
    values = INTENT.dump_python(intent, mode="json", exclude_defaults=True)
    if values.get("roce"):
        values["roce"]["lossless"]["3"]["dscp"] = [26]
    return INTENT.validate_python(values)


MUTATIONS: dict[str, Callable[[SwitchIntent], SwitchIntent]] = {
    "hostname": lambda intent: replace(intent, hostname="another"),
    "ntp": lambda intent: replace(intent, ntp=("192.0.2.7",)),
    "dns": lambda intent: replace(intent, dns=()),
    "syslog": lambda intent: replace(intent, syslog=("192.0.2.8", "192.0.2.9")),
    "lldp": lambda intent: replace(intent, lldp=False),
    "bgp": lambda intent: replace(intent, bgp=None),
    "roce": lambda intent: replace(
        intent,
        roce=None,
        ports={key: replace(port, lossless=False, cable_length_m=None) for key, port in intent.ports.items()},
    ),
    "class": other_class,
    "mtu": port(mtu_bytes=4096),
    "description": port(description="somebody else"),
    "port": without_a_port,
}


def mutated_intent(names: list[str], name: str) -> tuple[str, SwitchIntent]:
    intent = planned(name)
    for mutation in names:
        intent = MUTATIONS[mutation](intent)
    return name, intent


mutated = st.builds(
    mutated_intent,
    st.lists(st.sampled_from(sorted(MUTATIONS)), max_size=3),
    st.sampled_from(["backend-leaf-01", "frontend-leaf-01", "oob-leaf-01"]),
)


def shuffled(tree: ConfigTree, choose: Callable[[list[str]], list[str]]) -> ConfigTree:
    return {line: shuffled(tree[line], choose) for line in choose(list(tree))}


@settings(max_examples=40)
@given(running=mutated, intended=mutated, data=st.data())
def test_nothing_differs_exactly_when_nothing_is_typed(
    running: tuple[str, SwitchIntent], intended: tuple[str, SwitchIntent], data: st.DataObject
) -> None:
    name = intended[0]
    runs = running[1] if running[0] == name else planned(name)
    tree = shuffled(
        parse_tree(text(name, runs)), lambda lines: data.draw(st.permutations(lines)) if len(lines) < 9 else lines[::-1]
    )
    one = step(name, intended[1])
    changes = one.diff(SwitchState(tree_text(tree)))
    stage = find_driver(NOS).next_stage(managed_tree(NOS, tree_text(tree), ()), one.intended_tree)
    assert bool(changes) == (stage is not None) == (runs != intended[1])


@given(line=st.sampled_from(["lldp timer 10", "ntp server 192.0.2.200", "ip load-share hash seed 7", "vlan stacking"]))
def test_a_line_that_nobody_accounts_for_is_a_change(line: str) -> None:
    name = "frontend-leaf-01"
    changes = step(name, planned(name)).diff(SwitchState(f"{text(name, planned(name))}!\n{line}\n"))
    assert len(changes) == 1
    assert line.rsplit(maxsplit=1)[-1] in changes[0].text


def changed(name: str, running: SwitchIntent, around: OperationalState | None = None) -> dict[str, Change]:
    found = step(name, planned(name)).diff(SwitchState(text(name, running), around))
    return {change.text: change for change in found}


def test_users_are_nobodys_business() -> None:
    name = "frontend-leaf-01"
    assert not step(name, planned(name)).diff(
        SwitchState(text(name, planned(name)) + "username ops password x role admin\n")
    )


def test_what_is_unmanaged_is_left_alone() -> None:
    name = "frontend-leaf-01"
    running = (
        text(name, planned(name)) + "snmp-server community x\ninterface Eth1/9\n description theirs\n no shutdown\n"
    )
    assert step(name, planned(name)).diff(SwitchState(running))
    assert not step(name, planned(name), ("snmp-server", "interface Eth1/9")).diff(SwitchState(running))


def test_losing_lossless_mode_restarts_the_switch_and_names_who_is_on_it() -> None:
    name = "backend-leaf-01"
    running = MUTATIONS["roce"](planned(name))
    around = OperationalState(
        ports={"Eth1/1/1": PortStatus("Eth1/1/1", up=True, reason="oper-up", speed_mbps=200_000, mtu_bytes=9216)},
        neighbours={"Eth1/1/1": LldpNeighbour("Eth1/1/1", "gpu-001", "rail0")},
    )
    change = next(one for one in changed(name, running, around).values() if one.path == ("roce",))
    assert change.disruption is Disruption.REBOOT
    assert change.disturbs == ("gpu-001 on Eth1/1/1",)


def test_a_switch_at_base_is_used_by_nobody() -> None:
    name = "backend-leaf-01"
    base = replace(planned(name), ports={}, vlans={}, breakouts={}, roce=None)
    around = OperationalState(
        ports={"Eth1/1": PortStatus("Eth1/1", up=True, reason="", speed_mbps=None, mtu_bytes=None)}
    )
    changes = changed(name, base, around)
    assert any(change.disruption is Disruption.REBOOT for change in changes.values())
    assert not any(change.disturbs for change in changes.values())


def test_a_port_that_is_down_is_used_by_nobody() -> None:
    name = "frontend-leaf-01"
    (change,) = changed(name, port(mtu_bytes=4096)(planned(name)), OperationalState()).values()
    assert change.disruption is Disruption.PORT_RESET
    assert not change.disturbs


def test_says_what_it_cannot_deploy_to() -> None:
    with pytest.raises(BadInputError, match="cannot deploy to it"):
        find_driver("sonic")
