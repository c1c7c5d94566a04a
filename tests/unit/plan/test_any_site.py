"""Whatever a site asks for, it is planned or refused: never anything else."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from rackproof.errors import SiteErrors
from rackproof.plan.build import build_plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from rackproof.hardware.load import Catalogue
    from rackproof.site.models import Site

SWITCHES = ["dell-z9864f-on", "dell-z9664f-on", "dell-s5232f-on", "dell-s3248t-on"]
USUAL = {"backend": "dell-z9864f-on", "frontend": "dell-s5232f-on", "oob": "dell-s3248t-on"}
TOPOLOGIES = {"oob": ["single-switch"], "backend": ["single-switch"], "frontend": ["single-switch", "redundant-pair"]}


def mostly(usual: object, others: list[Any]) -> st.SearchStrategy[Any]:
    """One in eight differs from what fits, so that most sites are planned and many are refused."""
    return st.integers(0, 7).flatmap(lambda roll: st.sampled_from(others) if roll == 0 else st.just(usual))


def fabric(name: str) -> st.SearchStrategy[dict[str, Any]]:
    base = {"backend": "10.10.0.0", "frontend": "10.20.0.0", "oob": "10.30.0.0"}[name]
    return st.fixed_dictionaries(
        {
            "topology": st.sampled_from(TOPOLOGIES[name]),
            "switch": mostly(USUAL[name], SWITCHES),
            "nos": st.sampled_from(["enterprise-sonic", "sonic"]),
            "prefix": mostly(f"{base}/16", [f"{base}/{length}" for length in range(17, 33)]),
            "rack": st.sampled_from(["r1", "r2"]),
            "subnets": st.sampled_from([None, "per-rail", "shared"]),
            "nic_ports": mostly(None, ["two-subnets", "bond"]),
        }
    )


SITES = st.fixed_dictionaries(
    {
        "fabrics": st.fixed_dictionaries({name: fabric(name) for name in ("backend", "frontend", "oob")}),
        "racks": st.lists(mostly(4, list(range(1, 9))), min_size=2, max_size=3).map(
            lambda pdus: [
                {"name": f"r{n}", "model": "apc-ar3350", "pdus": {"model": "apc-apdu10450sw", "count": count}}
                for n, count in enumerate(pdus, start=1)
            ]
        ),
        "gpu": st.fixed_dictionaries(
            {
                "count": mostly(2, list(range(1, 40))),
                "grows_to": mostly(None, [3, 4, 30, 60]),
                "nics": st.fixed_dictionaries(
                    {
                        "backend": mostly("broadcom-bcm57608-2x200g", ["broadcom-bcm57414-2x25g"]),
                        "frontend": mostly("broadcom-bcm57414-2x25g", ["broadcom-bcm57608-2x200g"]),
                    }
                ),
                "rack": st.none(),
                "racks": st.sampled_from([["r1"], ["r2"], ["r1", "r2"]]),
            }
        ),
        "external": st.fixed_dictionaries(
            {
                "uplinks": st.fixed_dictionaries(
                    {
                        "dc": st.fixed_dictionaries(
                            {
                                "fabric": mostly("frontend", ["backend", "oob"]),
                                "ports": mostly(1, list(range(2, 17))),
                                "speed_gbps": mostly(100, [1, 10, 25, 400, 800]),
                                "attach": st.sampled_from(["bgp", "vlan"]),
                                "vlan": st.just(900),
                                "prefix": mostly("192.0.2.0/24", ["192.0.2.0/31", "192.0.2.0/32"]),
                            }
                        )
                    }
                )
            }
        ),
    }
)


@settings(max_examples=150)
@given(changes=SITES)
def test_planned_or_refused(changes: dict[str, Any], site_of: Callable[..., Site], catalogue: Catalogue) -> None:
    try:
        plan = build_plan(site_of(**changes), catalogue)
    except SiteErrors:
        return
    ends = Counter((end.device, end.port) for link in plan.links for end in (link.a, link.b))
    assert set(ends.values()) <= {1}
    for intent in plan.intents().values():
        split = {key.partition("/")[0] for key in intent.ports if "/" in key}
        assert split <= set(intent.breakouts)
        assert not split & set(intent.ports)
        assert {port.port_channel for port in intent.ports.values()} - {None} <= set(intent.port_channels)
        assert {port.vlan for port in intent.ports.values()} - {None} <= set(intent.vlans)
