"""Every rule: silent on a site that is right, and one sentence at the right place when it is broken."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import pytest

from rackproof.hardware.load import Catalogue
from rackproof.paths import TOPOLOGIES
from rackproof.releases.models import Release
from rackproof.site.models import Fabric
from rackproof.site.rules import can_be_planned, check_rules, features, hosts, module_rules, rule_modules
from tests.unit.site.broken_rules import BROKEN, CLUSTER, RIGHT, roce, site_with
from tests.unit.site.broken_uplinks import UPLINK

if TYPE_CHECKING:
    from rackproof.errors import ValuePath

CATALOGUE: Final = Catalogue()
WARNINGS: Final = {
    "fabrics_are_used",
    "flows_are_told_apart",
    "memory_is_larger_than_that_of_the_accelerators",
}
NEED_ANOTHER_CATALOGUE: Final = {"switches_run_their_nos", "nos_has_the_features"}
NEED_ANOTHER_RELEASE: Final = {"something_says_what_hosts_run", "release_relays_dhcp"}
RULES: Final = {rule.__name__: rule for module in rule_modules() for rule in module_rules(module)}


def test_every_rule_is_broken_by_a_test() -> None:
    assert set(BROKEN) | NEED_ANOTHER_CATALOGUE | NEED_ANOTHER_RELEASE == set(RULES)


@pytest.mark.parametrize("name", RULES)
def test_a_right_site_breaks_no_rule(name: str) -> None:
    assert list(RULES[name](site_with({"external.uplinks.campus": UPLINK}), CATALOGUE)) == []


@pytest.mark.parametrize("name", BROKEN)
def test_broken_rule(name: str) -> None:
    changes, path, message = BROKEN[name]

    found = list(RULES[name](site_with(changes), CATALOGUE))

    assert [(error.path, error.message) for error in found] == [(path, message)]
    assert found[0].warning == (name in WARNINGS)


@pytest.mark.parametrize("name", BROKEN)
def test_other_rules_bear_it(name: str) -> None:
    assert check_rules(site_with(BROKEN[name][0]), CATALOGUE).errors


def test_the_reference_lists_every_topology() -> None:
    description = str(Fabric.model_fields["topology"].description)
    modules = {file.stem.replace("_", "-") for file in TOPOLOGIES.glob("[a-z]*.py")}

    assert set(re.findall(r"[a-z]+(?:-[a-z]+)+", description)) == {
        name for name in modules if not name.startswith("storage-")
    }


def test_a_block_of_racks_takes_no_name_of_another() -> None:
    block = {**RIGHT["racks"][0], "name": "row", "count": 2}
    single = {**RIGHT["racks"][0], "name": "row-2"}

    found = list(RULES["rack_names_are_unique"](site_with({"racks.1": block, "racks.2": single}), CATALOGUE))

    assert [(error.path, error.message) for error in found] == [
        (("racks", 1, "name"), "the rack row-2 is named twice"),
    ]


class OtherNos(Catalogue):
    """The catalogue with switches that run nothing but ``sonic``, which lacks what a pair needs."""

    def switch(self, name: str) -> Any:  # noqa: ANN401 a copy of a frozen model
        return super().switch(name).model_copy(update={"nos": ("sonic",)})

    def nos(self, name: str) -> Any:  # noqa: ANN401 a copy of a frozen model
        return super().nos(name).model_copy(update={"features": {"roce": "not on this one"}})


def test_switches_run_their_nos() -> None:
    found = next(RULES["switches_run_their_nos"](site_with({}), OtherNos()))

    assert (found.path, found.message, found.hint) == (
        ("fabrics", "backend", "nos"),
        "PowerSwitch Z9864F-ON does not run Enterprise SONiC Distribution by Dell Technologies",
        "it runs: sonic",
    )


def test_nos_has_the_features() -> None:
    found = list(RULES["nos_has_the_features"](site_with({}), OtherNos()))

    assert [(error.path, error.hint) for error in found] == [(("fabrics", "backend", "roce"), "not on this one")]


@pytest.mark.parametrize(
    ("components", "has"),
    [
        ({"ubuntu": {"version": "20.04.6", "source": "a page"}}, "has ubuntu 20.04.6, which no role supports"),
        ({"kubernetes": {"version": "1.32", "source": "a page"}}, "names no operating system of hosts"),
    ],
)
def test_something_says_what_hosts_run(components: dict[str, Any], has: str, monkeypatch: pytest.MonkeyPatch) -> None:
    release = Release.model_validate({"release": "other", "title": "another", "components": components})
    monkeypatch.setattr(hosts, "load_release", lambda _name: release)

    found = list(RULES["something_says_what_hosts_run"](site_with({"release": "other"}), CATALOGUE))

    assert [(error.path, error.message) for error in found] == [
        (("servers", 0), f"the operating system of gpu is not known: release other {has}")
    ]
    assert not list(RULES["something_says_what_hosts_run"](site_with({"servers.0.os": "debian-12"}), CATALOGUE))


@pytest.mark.parametrize(("version", "errors"), [("5.12.1", 0), ("5.13.1", 0), ("5.14.0", 1), ("5.15.2", 1)])
def test_a_release_without_our_dhcp_relays_is_refused(
    version: str, errors: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    components = {"cumulus": {"version": version, "source": "a page"}}
    release = Release.model_validate({"release": "other", "title": "another", "components": components})
    monkeypatch.setattr(features, "load_release", lambda _name: release)
    pair = {"fabrics.backend.topology": "consolidated-pair", "fabrics.backend.nos": "cumulus"}
    rule = RULES["release_relays_dhcp"]

    found = list(rule(site_with(pair | {"external.dhcp": ["192.0.2.2"]}), CATALOGUE))

    assert [error.path for error in found] == [("external", "dhcp")] * errors
    assert all("Cumulus Linux has it in releases before 5.14" in error.message for error in found)
    assert not list(rule(site_with(pair), CATALOGUE))


def test_choosing_what_cannot_be_had_is_an_error() -> None:
    site = site_with({"fabrics.backend.nos": "sonic", **roce(load_balancing="ecmp-queue-pair")})

    assert not next(RULES["flows_are_told_apart"](site, CATALOGUE)).warning


@pytest.mark.parametrize(
    ("changes", "plannable"),
    [
        ({}, True),
        ({"fabrics.frontend.first_vlan": 115}, True),
        ({"servers.0.memory_gb": 64}, True),
        ({"servers.0.rack": "r9"}, False),
        ({"fabrics.oob": None}, False),
    ],
)
def test_what_a_plan_needs(changes: dict[str, Any], *, plannable: bool) -> None:
    assert can_be_planned(site_with(changes), CATALOGUE) == plannable


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        ({"nodes": 2}, "nodes", "a cluster of PowerScale F710 has 3 to 252 nodes"),
        ({"nodes": 5, "grows_to": 4}, "grows_to", "grows_to is 4, and the cluster has 5 nodes already"),
    ],
)
def test_sizes_of_clusters(changes: dict[str, Any], path: str, message: str) -> None:
    site = site_with({"storage": [{**CLUSTER, **changes}]})

    found = list(RULES["clusters_have_a_size_that_exists"](site, CATALOGUE))

    assert [(error.path, error.message) for error in found] == [(("storage", 0, path), message)]


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"rack": "r9"}, ("storage", 0, "rack")),
        ({"rack": None, "racks": ["r1", "r9"]}, ("storage", 0, "racks", 1)),
        ({"model": "dell-powerscale-f711"}, ("storage", 0, "model")),
        ({"fabric": "front"}, ("storage", 0, "fabric")),
    ],
)
def test_what_storage_names_exists(changes: dict[str, Any], path: ValuePath) -> None:
    site = site_with({"storage": [{**CLUSTER, **changes}]})

    assert [error.path for error in check_rules(site, CATALOGUE).errors if not error.warning] == [path]


def test_rules_are_stated_in_words() -> None:
    assert [name for name, rule in RULES.items() if not (rule.__doc__ or "").strip().endswith((".", ")", '".'))] == []
