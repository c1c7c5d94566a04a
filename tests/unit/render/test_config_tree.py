"""Configuration text as a tree."""

from __future__ import annotations

from rackproof.render.config_tree import lines_only_in, parse_tree, paths


def test_blocks_are_told_by_indentation() -> None:
    text = "!\nrouter bgp 65001\n router-id 10.0.0.1\n !\n neighbor interface Eth1/49\n  remote-as external\n"
    text += "!\nip vrf mgmt\n"

    assert parse_tree(text) == {
        "router bgp 65001": {
            "router-id 10.0.0.1": {},
            "neighbor interface Eth1/49": {"remote-as external": {}},
        },
        "ip vrf mgmt": {},
    }


def test_order_separators_and_blanks_mean_nothing() -> None:
    one = "interface Eth1/1\n mtu 9216\n no shutdown\n!\ninterface Eth1/2\n shutdown\n"
    other = "\n!\ninterface Eth1/2\n shutdown  \n!\n!\ninterface Eth1/1\n no shutdown\n mtu 9216\n"

    assert parse_tree(one) == parse_tree(other)


def test_a_block_that_appears_twice_is_one_block() -> None:
    assert parse_tree("interface Eth1/1\n mtu 9216\ninterface Eth1/1\n shutdown\n") == {
        "interface Eth1/1": {"mtu 9216": {}, "shutdown": {}}
    }


def test_every_line_has_the_path_of_its_blocks() -> None:
    tree = parse_tree("a\n b\n  c\n d\n")

    assert list(paths(tree)) == [("a",), ("a", "b"), ("a", "b", "c"), ("a", "d")]


def test_lines_only_in_one_tree_are_told_with_their_blocks() -> None:
    running = parse_tree("interface Eth1/1\n mtu 9100\n description uplink\nrouter bgp 1\n router-id 10.0.0.1\n")
    rendered = parse_tree("interface Eth1/1\n mtu 9216\n description uplink\n")

    assert lines_only_in(running, rendered) == (
        "interface Eth1/1 > mtu 9100",
        "router bgp 1",
        "router bgp 1 > router-id 10.0.0.1",
    )
    assert lines_only_in(rendered, running) == ("interface Eth1/1 > mtu 9216",)
