"""Routes that switches exchange with networks outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rackproof.errors import SiteErrors
from rackproof.plan.from_file import plan_site
from rackproof.plan.model.plan import PrefixRule, RouteMapRule, RoutingPolicy
from rackproof.site.load import find_site

if TYPE_CHECKING:
    from pathlib import Path

    from rackproof.plan.model.plan import SwitchIntent

UPLINK = "campus: {fabric: frontend, speed_gbps: 100, attach: bgp, asn: 64512, prefix: 192.0.2.0/30"


def frontend(folder: Path, more: str) -> SwitchIntent:
    """The frontend switch of metrum-h200 with more words on its uplink."""
    text = find_site("metrum-h200").read_text(encoding="utf-8")
    assert UPLINK in text
    file = folder / "site.yaml"
    file.write_text(text.replace(UPLINK, UPLINK + more), encoding="utf-8")
    intent = plan_site(file).plan.switches["frontend-leaf-01"].intent
    assert intent is not None
    return intent


def maps(*names: str) -> dict[str, dict[int, RouteMapRule]]:
    return {name: {10: RouteMapRule(permit=True, prefix_list=name)} for name in names}


def test_own_prefixes_go_out_and_a_default_route_comes_in(tmp_path: Path) -> None:
    intent = frontend(tmp_path, "")
    # 10.20.0.0/16 is the frontend's: hosts in its lower half, loopbacks in its upper one.
    assert intent.policy == RoutingPolicy(
        prefix_lists={
            "campus-in": {10: PrefixRule("0.0.0.0/0", 0)},
            "campus-out": {10: PrefixRule("10.20.0.0/17", 17), 20: PrefixRule("10.20.128.0/17", 32)},
        },
        route_maps=maps("campus-in", "campus-out"),
    )
    assert intent.bgp is not None
    (session,) = intent.bgp.neighbors.values()
    assert (session.import_policy, session.export_policy) == ("campus-in", "campus-out")
    assert (session.maximum_prefixes, session.bfd) == (None, False)


def test_the_site_says_otherwise(tmp_path: Path) -> None:
    intent = frontend(
        tmp_path, ", accept: [172.16.0.0/12, 10.99.0.0/16], advertise: [10.20.0.0/16], maximum_prefixes: 50, bfd: true"
    )
    assert intent.policy is not None
    assert intent.policy.prefix_lists == {
        "campus-in": {10: PrefixRule("172.16.0.0/12", 12), 20: PrefixRule("10.99.0.0/16", 16)},
        "campus-out": {10: PrefixRule("10.20.0.0/16", 16)},
    }
    assert intent.bgp is not None
    (session,) = intent.bgp.neighbors.values()
    assert (session.maximum_prefixes, session.bfd) == (50, True)


@pytest.mark.parametrize(
    "words", [", accept: []", ", advertise: []", ", maximum_prefixes: 0", ", accept: [10.0.0.1/8]"]
)
def test_what_filters_nothing_is_refused(tmp_path: Path, words: str) -> None:
    with pytest.raises(SiteErrors):
        frontend(tmp_path, words)


def test_a_vlan_has_no_routes_to_filter(tmp_path: Path) -> None:
    text = find_site("metrum-h200").read_text(encoding="utf-8")
    file = tmp_path / "site.yaml"
    vlan = "campus: {fabric: frontend, speed_gbps: 100, attach: vlan, vlan: 99, bfd: true, accept: [0.0.0.0/0]"
    file.write_text(text.replace(UPLINK, vlan), encoding="utf-8")
    with pytest.raises(SiteErrors) as refusal:
        plan_site(file)
    assert "attach: vlan has no BGP session for accept and bfd" in str(refusal.value.errors)
