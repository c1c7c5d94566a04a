"""ASNs: unique over the fabrics of a site, and not renumbered by growth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from rackproof.plan.model.plan import Plan

CLOS: Final[dict[str, Any]] = {
    "backend": {"topology": "tor-clos", "switch": "dell-s5232f-on", "rack": "r1", "roce": {"load_balancing": "ecmp"}}
}
GPU: Final = {"nics": {"backend": "nvidia-connectx6dx-2x100g", "frontend": "broadcom-bcm57414-2x25g"}, "grows_to": 2}


def asns(plan: Plan) -> dict[str, int]:
    """Switch to its ASN, of switches with BGP."""
    return {name: intent.bgp.asn for name, intent in plan.intents().items() if intent.bgp}


def test_fabrics_behind_a_clos_count_beyond_its_leaves(plan_of: Callable[..., Plan]) -> None:
    """Leaf n of the first fabric is 4200001000 + n: 4200001000 was the first switch of the second fabric too."""
    found = asns(plan_of(gpu=GPU, fabrics=CLOS))

    assert found["frontend-leaf-01"] == 4200101000
    assert found["frontend-leaf-02"] == 4200101001


def test_fabrics_without_a_clos_before_them_keep_their_numbers(plan_of: Callable[..., Plan]) -> None:
    assert asns(plan_of()) == {"frontend-leaf-01": 4200001000, "frontend-leaf-02": 4200001001}


def test_two_fabrics_from_one_first_asn_are_an_error(errors_of: Callable[..., list[tuple[str, str]]]) -> None:
    pair = {"topology": "redundant-pair", "first_asn": 65000}
    uplink = {"fabric": "frontend", "speed_gbps": 100, "attach": "bgp", "asn": 65100, "prefix": "192.0.2.0/28"}

    found = errors_of(
        fabrics={"backend": pair, "frontend": {"first_asn": 65001}}, **{"external!": {"uplinks": {"dc": uplink}}}
    )

    message = "backend-leaf-02 and frontend-leaf-01 both have ASN 65001"
    assert found == [("fabrics.frontend.first_asn", message)]


def test_an_uplink_to_an_asn_of_ours_is_an_error(errors_of: Callable[..., list[tuple[str, str]]]) -> None:
    message = "the other side of uplink dc has ASN 65000, which frontend-leaf-01 has too"
    assert errors_of(fabrics={"frontend": {"first_asn": 65000}}) == [("external.uplinks.dc.asn", message)]


def test_a_pin_to_an_asn_of_another_fabric_is_an_error(errors_of: Callable[..., list[tuple[str, str]]]) -> None:
    found = errors_of(
        fabrics={"backend": {"topology": "redundant-pair"}}, pin={"asns": {"frontend-leaf-01": 4200000000}}
    )

    assert found == [("pin.asns.frontend-leaf-01", "backend-leaf-01 and frontend-leaf-01 both have ASN 4200000000")]
