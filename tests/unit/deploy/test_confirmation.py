"""The verdict on a switch that was changed: what is lost, contradicting, pending or only noted."""

from __future__ import annotations

from dataclasses import replace

from rackproof.connect.credentials import Credential
from rackproof.connect.ssh import Target
from rackproof.deploy.switch.confirmation import verdict
from rackproof.deploy.switch.job import SwitchTask
from rackproof.deploy.switch.operational_state import OperationalState, PlannedNeighbour
from rackproof.facts.models import BgpSession, LldpNeighbour, PortStatus
from rackproof.hardware.load import Catalogue
from rackproof.plan.from_file import plan_site
from rackproof.plan.model.plan import BgpIntent, BgpNeighborIntent, PortIntent
from rackproof.site.access import DeviceAccess
from rackproof.site.load import find_site

CATALOGUE = Catalogue()
TO_HOST = PlannedNeighbour("gpu-001", "frontend0", is_switch=False)
TO_PEER = PlannedNeighbour("frontend-leaf-02", "Eth1/31", is_switch=True)
INTENT = replace(
    plan_site(find_site("metrum-h200")).plan.intents()["frontend-leaf-01"],
    breakouts={},
    ports={key: PortIntent(f"port {key}", 100, "rs", 9216) for key in ("1", "31")},
    bgp=BgpIntent(
        65001, "192.0.2.1", {"31": BgpNeighborIntent("peer", None), "192.0.2.9": BgpNeighborIntent("campus", 64512)}
    ),
)
TASK = SwitchTask(
    target=Target("frontend-leaf-01", DeviceAccess(host="192.0.2.1", user="admin"), Credential),
    nos=CATALOGUE.nos("enterprise-sonic"),
    model=CATALOGUE.switch("dell-s5232f-on"),
    intent=INTENT,
    redundancy_group="pair",
    neighbours={"Eth1/1": TO_HOST, "Eth1/31": TO_PEER},
)


def around(*up: str, hears: tuple[str, ...] = (), sessions: tuple[str, ...] = ()) -> OperationalState:
    ports = {port: PortStatus(port, port in up, "", 100_000, 9216) for port in ("Eth1/1", "Eth1/2", "Eth1/31")}
    heard = {port: LldpNeighbour(port, "somebody", "eth0") for port in hears}
    established = {name: BgpSession(name, 65002, established=True, prefixes=1) for name in sessions}
    return OperationalState(ports, heard, established)


def test_all_is_well_when_everything_that_was_up_is_up() -> None:
    seen = around("Eth1/1", "Eth1/31", hears=("Eth1/1", "Eth1/31"), sessions=("Eth1/31", "192.0.2.9"))
    found = verdict(TASK, INTENT, seen, seen, {"frontend-leaf-02"})
    assert not [*found.lost, *found.pending, *found.notes, *found.contradicting]


def test_a_port_a_neighbour_and_a_session_that_are_gone_are_lost() -> None:
    before = around("Eth1/1", hears=("Eth1/1",), sessions=("192.0.2.9",))
    found = verdict(TASK, INTENT, before, around(), ())
    assert found.lost == ("Eth1/1 was up", "Eth1/1 heard somebody", "BGP session with 192.0.2.9 was established")


def test_what_the_intent_does_not_use_any_more_is_not_missed() -> None:
    before = around("Eth1/2", hears=("Eth1/2",), sessions=("192.0.2.77",))
    assert not verdict(TASK, INTENT, before, around(), ()).lost


def test_a_link_to_a_switch_that_is_not_deployed_is_pending() -> None:
    found = verdict(TASK, INTENT, around(), around(), ())
    assert found.pending == ("Eth1/31 to frontend-leaf-02 Eth1/31", "BGP session with Eth1/31")
    assert not found.lost


def test_a_link_to_a_confirmed_switch_must_be_up() -> None:
    found = verdict(TASK, INTENT, around(), around(), {"frontend-leaf-02"})
    assert found.lost == ("Eth1/31 to frontend-leaf-02 Eth1/31",)


def test_a_confirmed_switch_must_be_heard() -> None:
    found = verdict(TASK, INTENT, around(), around("Eth1/31"), {"frontend-leaf-02"})
    assert found.lost == ("Eth1/31 receives no LLDP from frontend-leaf-02",)
    assert not verdict(TASK, replace(INTENT, lldp=False), around(), around("Eth1/31"), {"frontend-leaf-02"}).lost


def test_servers_and_networks_outside_are_noted() -> None:
    found = verdict(TASK, INTENT, around(), around(), ())
    assert found.notes == (
        "gpu-001 frontend0 on Eth1/1 is not up yet",
        "1 BGP session to outside the site, or to a position reserved for a switch, not up yet: 192.0.2.9",
    )


def test_a_reserved_position_is_not_waited_for() -> None:
    task = replace(TASK, neighbours={"Eth1/1": TO_HOST})
    found = verdict(task, INTENT, around(), around(), ())
    assert found.pending == ()
    (said,) = [note for note in found.notes if "position reserved" in note]
    assert said.endswith("not up yet: 192.0.2.9, Eth1/31")
