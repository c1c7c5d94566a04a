"""A small site that every test of the plan varies."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest

from rackproof.errors import SiteErrors
from rackproof.hardware.load import Catalogue
from rackproof.plan.build import build_plan
from rackproof.site.models import Site

if TYPE_CHECKING:
    from collections.abc import Callable

    from rackproof.plan.model.plan import Plan

BASE: dict[str, Any] = {
    "site": "small",
    "release": "metrum-2025",
    "racks": [
        {"name": "r1", "model": "apc-ar3350", "pdus": {"model": "apc-apdu10450sw", "count": 4}},
        {"name": "r2", "model": "apc-ar3350", "pdus": {"model": "apc-apdu10450sw", "count": 2}},
    ],
    "servers": [
        {
            "group": "gpu",
            "model": "dell-xe9680-h200",
            "nics": {"backend": "broadcom-bcm57608-2x200g", "frontend": "broadcom-bcm57414-2x25g"},
            "count": 2,
            "grows_to": 4,
            "rack": "r1",
        }
    ],
    "fabrics": {
        "backend": {
            "topology": "single-switch",
            "rack": "r2",
            "switch": "dell-z9864f-on",
            "nos": "enterprise-sonic",
            "prefix": "10.10.0.0/16",
            "roce": {},
        },
        "frontend": {
            "topology": "redundant-pair",
            "rack": "r2",
            "switch": "dell-s5232f-on",
            "nos": "enterprise-sonic",
            "prefix": "10.20.0.0/16",
        },
        "oob": {
            "topology": "single-switch",
            "rack": "r2",
            "switch": "dell-s3248t-on",
            "nos": "enterprise-sonic",
            "prefix": "10.30.0.0/16",
        },
    },
    "external": {
        "uplinks": {
            "dc": {
                "fabric": "frontend",
                "ports": 1,
                "speed_gbps": 100,
                "attach": "bgp",
                "asn": 65000,
                "prefix": "192.0.2.0/28",
            }
        }
    },
}


REPLACED = {"nics", "fabrics!", "external!"}
"""Keys that are not merged: ``fabrics!`` gives all fabrics."""


def merge(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    merged = copy.deepcopy(base)
    for key, value in changes.items():
        if key in REPLACED:
            merged[key.rstrip("!")] = copy.deepcopy(value)
            continue
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = merge(merged[key], value) if both else copy.deepcopy(value)
    return merged


def make_site(**changes: object) -> Site:
    """Return the small site with some of it changed; servers are changed by ``gpu={...}``."""
    group = merge(BASE["servers"][0], dict(changes.pop("gpu", {})))  # type: ignore[call-overload]
    document = merge(BASE, {"servers": [group]})
    return Site.model_validate(merge(document, changes))


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return Catalogue()


@pytest.fixture(scope="session")
def site_of() -> Callable[..., Site]:
    return make_site


@pytest.fixture(scope="session")
def plan_of(catalogue: Catalogue) -> Callable[..., Plan]:
    def build(**changes: object) -> Plan:
        return build_plan(make_site(**changes), catalogue)

    return build


@pytest.fixture(scope="session")
def errors_of(catalogue: Catalogue) -> Callable[..., list[tuple[str, str]]]:
    """Return (path, message) of everything that is wrong with the small site when it is changed."""

    def collect(**changes: object) -> list[tuple[str, str]]:
        with pytest.raises(SiteErrors) as caught:
            build_plan(make_site(**changes), catalogue)
        return [(".".join(map(str, error.path)), error.message) for error in caught.value.errors if not error.warning]

    return collect
