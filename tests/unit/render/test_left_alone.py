"""What is left alone on Enterprise SONiC: its lines, their blocks, and the texts of banners."""

from __future__ import annotations

import pytest

from rackproof.render.nos.enterprise_sonic import left_alone, owned_tree
from rackproof.render.nos.enterprise_sonic.left_alone import without_banner_texts


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("aaa authentication login default local\n", {}),
        ("no aaa accounting\n", {}),
        ("aaab\n", {"aaab": {}}),
        ("ip access-list MGMT\n seq 1 permit ip any any\n", {}),
        ("ip sshd\n", {"ip sshd": {}}),
        ("interface Management0\n ip access-group MGMT in\n", {"interface Management 0": {}}),
        (
            "interface Eth1/1\n description x\n ip access-group DATA in\n",
            {"interface Eth1/1": {"description x": {}, "ip access-group DATA in": {}}},
        ),
        ("line vty\n ip access-group MGMT in\n", {}),
    ],
)
def test_only_what_the_table_names_is_left_alone(text: str, kept: dict[str, object]) -> None:
    assert owned_tree(text) == kept


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("banner login @\nno router bgp\n@\nhostname a\n", "banner login\nhostname a\n"),
        ("banner login @x@\nhostname a\n", "banner login\nhostname a\n"),
        ("banner motd ^\n!\n\ninterface Eth1/1\n shutdown\n^\nhostname a\n", "banner motd\nhostname a\n"),
        ("banner motd disable\nhostname a\n", "banner motd disable\nhostname a\n"),
        ("banner login @\nhostname a\n", "banner login\nhostname a\n"),
    ],
)
def test_the_text_of_a_banner_is_no_configuration(text: str, kept: str) -> None:
    assert without_banner_texts(text) == kept


def test_what_every_switch_has_is_not_reported() -> None:
    assert left_alone("username admin password x role admin\nline vty\nbanner motd disable\n") == ()
    assert left_alone("username noc password x role admin\nline vty\n ip access-group M in\n") == (
        "management ACL",
        "users",
    )
