"""From one NVUE configuration to another by patches, as a switch would apply them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import yaml12
from hypothesis import given, settings
from hypothesis import strategies as st

from rackproof.render.nos.cumulus import patches
from rackproof.render.nos.cumulus.document import read_document, write_set
from rackproof.render.nos.cumulus.names import expand_names
from rackproof.render.nos.cumulus.release import BASE
from rackproof.render.nos.cumulus.schema import schema
from rackproof.render.nos.cumulus.tree import set_value
from rackproof.render.switch import owned_tree, render_switch
from tests.unit.render.cumulus_intents import DIALECTS, SPECTRUM, cumulus_intents, that_release_has
from tests.unit.render.switch_intents import bare_switch

if TYPE_CHECKING:
    from rackproof.render.config_tree import ConfigTree
    from rackproof.render.nos.cumulus.release import Release

USERS = "- set:\n    system:\n      aaa:\n        user:\n          cumulus:\n            role: system-admin\n"


def unset(tree: ConfigTree, names: dict[str, object] | None) -> None:
    """Take away what an unset names: a key that ends there, with all below it."""
    for written, below in (names or {}).items():
        for name in expand_names(written) if "," in written else (written,):
            if not below:
                tree.pop(name, None)
            else:
                assert isinstance(below, dict)
                unset(tree.get(name, {}), below)


def merge(tree: ConfigTree, other: ConfigTree, release: Release, above: tuple[str, ...] = ()) -> None:
    """Set what another tree has; a value takes the place of the one before."""
    for word, below in other.items():
        words = (*above, word)
        if value_follows(words, release):
            set_value(tree, word, *below)
        else:
            merge(tree.setdefault(word, {}), below, release, words)


def value_follows(words: tuple[str, ...], release: Release) -> bool:
    node = schema(release)
    for word in words:
        following = node.next(word)
        if following is None:
            return False
        node = following
    return node.value is not None


def patched(running: str, texts: tuple[str, ...]) -> str:
    """What a switch runs after it took patches one after the other."""
    document = read_document(running)
    release = document.release or BASE
    for text in texts:
        items: Any = yaml12.parse_yaml(text)
        for item in items:
            unset(document.tree, item.get("unset"))
        merge(document.tree, read_document(text).tree, release)
    return write_set(document.tree, release)


@settings(max_examples=60)
@given(data=st.data(), dialect=st.sampled_from(DIALECTS))
def test_patches_lead_to_what_is_wanted_and_leave_users_alone(data: st.DataObject, dialect: str) -> None:
    before, after = (
        render_switch("cumulus", SPECTRUM, that_release_has(data.draw(cumulus_intents(SPECTRUM)), dialect))
        for _ in range(2)
    )

    result = patched(before + USERS, patches(before + USERS, after))

    assert owned_tree("cumulus", result) == owned_tree("cumulus", after)
    assert "system-admin" in result


def test_what_runs_as_wanted_needs_no_patch() -> None:
    text = render_switch("cumulus", SPECTRUM, bare_switch())

    assert patches(text + USERS, text) == ()


def test_what_goes_comes_before_what_is_new() -> None:
    before = render_switch("cumulus", SPECTRUM, replace(bare_switch(), ntp=("10.0.0.1",)))
    after = render_switch("cumulus", SPECTRUM, replace(bare_switch(), ntp=("10.0.0.2",)))

    gone, new = patches(before, after)

    assert gone == "- unset:\n    service:\n      ntp:\n        mgmt:\n          server:\n            10.0.0.1:\n"
    assert "10.0.0.2: {}" in new
    assert "10.0.0.1" not in new


def test_another_value_is_set_and_not_taken_away() -> None:
    before = render_switch("cumulus", SPECTRUM, bare_switch())
    after = render_switch("cumulus", SPECTRUM, replace(bare_switch(), hostname="leaf-02"))

    assert [text.partition("\n    ")[0].splitlines()[-1] for text in patches(before, after)] == ["- header:"]
    assert "hostname: leaf-02" in patches(before, after)[0]
