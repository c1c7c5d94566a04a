"""Release files load, their own versions go together, and what does not is said in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from rackproof.hardware.load import Catalogue
from rackproof.releases.compatibility import incompatibilities
from rackproof.releases.load import ReleaseFileError, UnknownReleaseError, load_release, release_names
from rackproof.releases.models import Component, Release, Rule, VersionRange

if TYPE_CHECKING:
    from pathlib import Path

DRIVER_RULE: Final = Rule(
    when=VersionRange(component="operator", at_least="25.10", below="25.11"),
    needs=VersionRange(component="kubernetes", at_least="1.30", below="1.35"),
    because="Operator 25.10 supports Kubernetes 1.30 to 1.34",
    source="support matrix",
)


def release(*rules: Rule, **versions: str) -> Release:
    components = {name: Component(version=version, source="test") for name, version in versions.items()}
    return Release(release="test-set", title="A test", components=components, rules=rules)


@pytest.mark.parametrize("name", release_names())
def test_every_release_goes_together(name: str) -> None:
    assert incompatibilities(load_release(name)) == ()


@pytest.mark.parametrize(
    ("name", "uses"),
    [
        ("metrum-2025", {"dell-xe9680-h200", "dell-z9864f-on", "dell-s5232f-on", "dell-s3248t-on", "enterprise-sonic"}),
        ("metrum-2024", {"dell-xe9680-mi300x", "dell-z9664f-on", "dell-s3248t-on", "enterprise-sonic"}),
        ("dell-genai-2025", {"dell-xe9680-h200", "dell-r660", "nvidia-sn5600", "cumulus", "dell-powerscale-f710"}),
        ("dell-genai-2025", {"dell-r760xa-h100nvl", "nvidia-sn5600", "nvidia-sn2201", "dell-powerscale-f210"}),
        ("h20044", {"dell-xe9680-h100-ndr", "nvidia-qm9790", "dell-s5232f-on", "dell-powerscale-f600"}),
        ("azure-nd-h100", {"azure-nd-h100-v5"}),
    ],
)
def test_the_published_systems_go_with_their_release(name: str, uses: set[str]) -> None:
    assert incompatibilities(load_release(name), uses) == ()


def test_the_other_accelerator_does_not() -> None:
    sentences = incompatibilities(load_release("metrum-2024"), {"dell-xe9680-h200"})

    assert sentences == ("The H200 needs driver branch 550 or newer, but release metrum-2024 has no nvidia-driver",)


def test_an_infiniband_switch_without_a_subnet_manager_does_not_go() -> None:
    loaded = load_release("h20044")
    without = {name: component for name, component in loaded.components.items() if name != "opensm"}

    sentences = incompatibilities(loaded.model_copy(update={"components": without}), {"nvidia-qm9790"})

    assert sentences == (
        "An unmanaged InfiniBand switch needs a subnet manager on hosts, but release h20044 has no opensm",
    )


@pytest.mark.parametrize("name", [name for name in release_names() if "cumulus" in load_release(name).components])
def test_the_cumulus_release_has_one_dialect(name: str) -> None:
    version = load_release(name).components["cumulus"].version
    dialects = Catalogue().nos("cumulus").dialects
    rules = [
        Rule(
            when=VersionRange(component="cumulus"),
            needs=VersionRange(component="cumulus", at_least=dialect.at_least, below=dialect.below),
            because=dialect.name,
        )
        for dialect in dialects
    ]

    refused = incompatibilities(release(*rules, cumulus=version))

    assert len(refused) == len(dialects) - 1


@pytest.mark.parametrize("name", release_names())
def test_rules_name_components_or_models(name: str) -> None:
    catalogue = Catalogue()
    loaded = load_release(name)
    kinds = ("servers", "switches", "nos", "storage")
    known = {name for kind in kinds for name in catalogue.names(kind)}
    of_any_release = {component for each in release_names() for component in load_release(each).components}

    named = {side.component for rule in loaded.rules for side in (rule.when, rule.needs)}

    assert named <= known | of_any_release | {"amd-gpu-operator"}


@pytest.mark.parametrize("name", release_names())
def test_every_rule_says_where_from(name: str) -> None:
    assert all((rule.source is None) != (rule.assumed is None) for rule in load_release(name).rules)


@pytest.mark.parametrize(
    ("operator", "kubernetes", "holds"),
    [
        ("25.10", "1.30", True),
        ("25.10.1", "1.34.9", True),
        ("25.10.1", "1.9", False),
        ("25.10", "1.35", False),
        ("25.10", "1.35.0", False),
        ("25.11", "1.36", True),
        ("25.9", "1.29", True),
    ],
)
def test_versions_compare_number_by_number(operator: str, kubernetes: str, holds: bool) -> None:  # noqa: FBT001 a column
    sentences = incompatibilities(release(DRIVER_RULE, operator=operator, kubernetes=kubernetes))

    assert (sentences == ()) is holds


def test_the_sentence_names_what_is_there() -> None:
    (sentence,) = incompatibilities(release(DRIVER_RULE, operator="25.10.1", kubernetes="1.36"))

    assert sentence == "Operator 25.10 supports Kubernetes 1.30 to 1.34, but release test-set has kubernetes 1.36"


def test_a_limit_does_not_hold_for_a_component_that_is_not_there() -> None:
    sentences = incompatibilities(release(DRIVER_RULE, operator="25.10"), {"kubernetes"})

    assert sentences == ("Operator 25.10 supports Kubernetes 1.30 to 1.34, but release test-set has no kubernetes",)


def test_unknown_release_offers_close_ones() -> None:
    with pytest.raises(UnknownReleaseError) as raised:
        load_release("metrum-2052")

    assert "metrum-2025" in raised.value.matches


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("release: [", "YAML parse error"),
        ("release: other\ntitle: T\ncomponents: {a: {version: '1', source: s}}", "must be the file's name"),
        ("release: broken\ntitle: T\ncomponents: {a: {version: v1, source: s}}", "components.a.version"),
        ("release: broken\ntitle: T\ncomponents: {a: {version: '1'}}", "give either source or assumed"),
    ],
    ids=["yaml", "name", "version", "source"],
)
def test_a_wrong_file_says_what_is_wrong(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "broken.yaml").write_text(text, encoding="utf-8")

    with pytest.raises(ReleaseFileError) as raised:
        load_release("broken", tmp_path)

    assert said in str(raised.value)
