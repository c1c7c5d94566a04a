"""Adaptive routing only where adapters, switches, their NOS and the links between them allow it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from rackproof.plan.model.plan import Plan

PDUS = {"model": "apc-apdu10450sw", "count": 4}


def spectrum_x(**fabric: object) -> dict[str, Any]:
    """A backend of BlueField-3 on SN5600 that asks for adaptive routing."""
    return {
        "redundancy": "one-pdu",
        "racks": [
            {"name": "net", "model": "apc-ar3357", "pdus": PDUS, "count": 2},
            {"name": "r", "model": "apc-ar3357", "pdus": PDUS, "count": 8},
        ],
        "gpu": {
            "model": "dell-xe9680-h100",
            "count": 20,
            "grows_to": 20,
            "rack": "r",
            "per_rack": 3,
            "nics": {"backend": "nvidia-b3140h"},
        },
        "fabrics!": {
            "backend": {
                "topology": "rail-optimized",
                "rack": "net",
                "per_rack": 8,
                "switch": "nvidia-sn5600",
                "nos": "cumulus",
                "prefix": "10.0.0.0/9",
                "roce": {"load_balancing": "adaptive-routing"},
                **fabric,
            },
            "oob": {
                "topology": "switch-per-rack",
                "switch": "nvidia-sn2201",
                "nos": "cumulus",
                "prefix": "10.200.0.0/16",
            },
        },
        "external": {"uplinks": {}},
    }


def adaptive_ports(plan: Plan) -> set[tuple[str, str]]:
    return {
        (name, key)
        for name, intent in plan.intents().items()
        for key, port in intent.ports.items()
        if port.adaptive_routing
    }


def test_links_between_switches_route_adaptively_and_hosts_do_not(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(**spectrum_x())

    between = [link for link in plan.links if link.kind == "inter-switch"]
    assert between
    assert {link.speed_gbps for link in between} == {400}
    assert len(adaptive_ports(plan)) == 2 * len(between)


def test_nobody_routes_adaptively_unasked(plan_of: Callable[..., Plan]) -> None:
    assert adaptive_ports(plan_of(**spectrum_x(roce={"load_balancing": "ecmp"}))) == set()


def test_every_obstacle_is_named_at_once(errors_of: Callable[..., list[tuple[str, str]]]) -> None:
    found = errors_of(fabrics={"backend": {"roce": {"load_balancing": "adaptive-routing"}}})

    where = "fabrics.backend.roce.load_balancing"
    assert [path for path, _ in found] == [where, where, where, "servers.0.nics.backend"]
    assert all(message.endswith("does not route adaptively") for _, message in found[:2])
    assert found[2][1] == "single-switch has no links between switches: there is nothing to route adaptively"
    assert found[3][1].startswith("adaptive routing of backend lets packets overtake each other; ")


def test_links_that_are_too_fast(errors_of: Callable[..., list[tuple[str, str]]]) -> None:
    changes = spectrum_x(topology="redundant-pair")
    changes["gpu"] |= {"nics": {"backend": "nvidia-b3220l"}, "count": 2, "grows_to": 2}

    assert errors_of(**changes) == [
        (
            "fabrics.backend.roce.load_balancing",
            "the links between its switches run at 800G; Spectrum SN5600 routes adaptively at 200G and 400G",
        )
    ]
