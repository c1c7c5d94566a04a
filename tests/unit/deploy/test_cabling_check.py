"""What ports hear, against the plan."""

import pytest

from rackproof.deploy.switch.cabling_check import contradictions
from rackproof.deploy.switch.operational_state import PlannedNeighbour
from rackproof.facts.models import LldpNeighbour

PLANNED = {
    "Eth1/1": PlannedNeighbour("gpu-001", "rail0", is_switch=False),
    "Eth1/2": PlannedNeighbour("gpu-001", "rail1", is_switch=False),
    "Eth1/3/1": PlannedNeighbour("gpu-002", "rail0", is_switch=False),
    "Eth1/49": PlannedNeighbour("backend-spine-01", "Eth1/1", is_switch=True),
}
DEVICES = frozenset({"gpu-001", "gpu-002", "gpu-003", "backend-spine-01", "backend-leaf-01"})


def wrong(**heard: tuple[str, str]) -> tuple[str, ...]:
    """Ports are given as Eth1_3_1."""
    neighbours = (LldpNeighbour(port.replace("_", "/"), *end) for port, end in heard.items())
    return contradictions({one.port: one for one in neighbours}, PLANNED, DEVICES)


@pytest.mark.parametrize(
    "heard",
    [
        {},
        {"Eth1_1": ("gpu-001", "rail0"), "Eth1_49": ("backend-spine-01", "Eth1/1")},
        {"Eth1_1": ("gpu-001.lyon.example", "rail0")},
        {"Eth1_1": ("gpu-001", "b8:3f:d2:00:00:01")},
        {"Eth1_1": ("ubuntu", "ens1f0")},
        {"Eth1_1": ("sonic", "Eth1/1")},
        {"Eth1_1": ("", "")},
        {"Eth1_3": ("gpu-002", "rail0")},
        {"Eth1_49": ("backend-spin...", "Eth1/1")},
        {"Eth1_60": ("gpu-003", "eno1")},
    ],
    ids=["silence", "right", "domain", "mac", "unnamed host", "unnamed switch", "nameless", "unsplit", "cut", "spare"],
)
def test_what_the_plan_has_or_does_not_know_contradicts_nothing(heard: dict[str, tuple[str, str]]) -> None:
    assert not wrong(**heard)


def test_a_swapped_pair_is_told_once_with_both_ports() -> None:
    (message,) = wrong(Eth1_1=("gpu-001", "rail1"), Eth1_2=("gpu-001", "rail0"))
    assert message == (
        "the cables at Eth1/1 and Eth1/2 are swapped: Eth1/1 hears gpu-001 rail1, the plan has gpu-001 rail0 there"
    )


def test_another_device_names_both_ends() -> None:
    (message,) = wrong(Eth1_1=("gpu-003", "rail0"))
    assert message == "Eth1/1 hears gpu-003 rail0, the plan has gpu-001 rail0 there"


def test_a_cable_in_a_free_port_is_told_where_it_belongs() -> None:
    (message,) = wrong(Eth1_60=("gpu-001", "rail1"))
    assert message == "Eth1/60 hears gpu-001 rail1, the plan has nothing there, and this end on Eth1/2"
