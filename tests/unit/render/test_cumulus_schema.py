"""What NVUE takes: every path has a page, nothing else is rendered, and YAML 1.1 readers are not misled."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest
import yaml

from rackproof.errors import BadInputError
from rackproof.plan.model.plan import PortIntent, RoutingPolicy, VlanIntent
from rackproof.render.nos.cumulus.document import quoted, read_document
from rackproof.render.nos.cumulus.names import compress_names, expand_names
from rackproof.render.nos.cumulus.owned import owned_part
from rackproof.render.nos.cumulus.release import RELEASES, release_name
from rackproof.render.nos.cumulus.schema import KEY, SCHEMA_FILE, known, refused, rows
from rackproof.render.switch import render_switch
from tests.unit.render.cumulus_intents import SPECTRUM
from tests.unit.render.switch_intents import bare_switch

if TYPE_CHECKING:
    from pathlib import Path

    from rackproof.render.nos.cumulus.release import Release

ERA: Final = "upstream/era-2-4-3"


PAGES: Final = yaml.safe_load(SCHEMA_FILE.read_text(encoding="utf-8"))["pages"]


@pytest.mark.parametrize("page", PAGES)
def test_every_page_names_the_releases_that_have_its_paths(page: str) -> None:
    block = PAGES[page]
    names = [release_name(release) for release in RELEASES]

    assert block["first"] in names
    assert block.get("last", names[-1]) in names[names.index(block["first"]) :]
    assert "history" in block or ("last" not in block and (block["first"] == names[0] or block["first"] in page))


@pytest.mark.parametrize("release", RELEASES)
def test_no_path_stands_in_the_schema_twice(release: Release) -> None:
    found = [(path, end == KEY) for path, end in rows(release)]

    assert len(found) == len(set(found))


@pytest.mark.shared
@pytest.mark.parametrize("name", ["core-01", "core-02", "oob-switch-01", "oob-switch-02"])
def test_the_schema_takes_what_nvidia_exports(shared: Path, name: str) -> None:
    document = read_document((shared / ERA / f"{name}.yaml").read_text(encoding="utf-8"))

    assert document.release == (5, 13)
    assert list(refused(owned_part(document.tree))) == []


TAKEN: Final = ("interface swp1 link mtu 9216", "interface swp1-3,52 link mtu 9216", "qos roce enable on")
REFUSED: Final = (
    "interface swp1 link mtu 9217",
    "interface swp1 link fec auto",
    "interface swp1 link colour blue",
    "qos roce enable yes",
    "qos roce",
)


@pytest.mark.parametrize("words", TAKEN)
def test_a_path_that_a_page_shows_is_known(words: str) -> None:
    assert known(tuple(words.split(" ")))


@pytest.mark.parametrize("words", REFUSED)
def test_any_other_path_is_not(words: str) -> None:
    assert not known(tuple(words.split(" ")))


def test_a_path_that_nobody_shows_is_refused() -> None:
    vlan = VlanIntent("hosts", 9216, address="2001:db8::1/64")

    with pytest.raises(BadInputError, match="interface vlan10 ip address 2001:db8::1/64: no page shows it"):
        render_switch("cumulus", SPECTRUM, replace(bare_switch(), vlans={10: vlan}))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("swp1-3,52-53", ["swp1", "swp2", "swp3", "swp52", "swp53"]),
        ("swp1s0-1,swp2s0-1", ["swp1s0", "swp1s1", "swp2s0", "swp2s1"]),
        ("vlan200,300", ["vlan200", "vlan300"]),
        ("spine_bond,swp1-2", ["spine_bond", "swp1", "swp2"]),
        ("vlan3004_l3", ["vlan3004_l3"]),
    ],
)
def test_lists_of_names_are_taken_apart_and_put_together(text: str, names: list[str]) -> None:
    assert list(expand_names(text)) == names
    assert compress_names(names) == text


@pytest.mark.parametrize(
    "text",
    ["on", "off", "44:38:39:00:00:01", "11:11", "1e3", "0x10", "12_3", "a: b", "#1", "", "yes", "~", "it's", "10"],
)
def test_text_stays_text_for_a_reader_of_yaml_1_1(text: str) -> None:
    assert yaml.safe_load(quoted(text)) == text


def test_numbers_are_written_as_numbers_and_the_rest_as_text() -> None:
    port = PortIntent("44:38", 400, "rs", 9000, vlan=10)
    policy = RoutingPolicy(community_lists={"11": {100: "11:11"}})
    intent = replace(
        bare_switch(),
        ports={"1": port},
        vlans={10: VlanIntent("on", 9216)},
        policy=policy,
        anycast_mac="44:38:39:00:00:01",
    )

    _, configuration = yaml.safe_load(render_switch("cumulus", SPECTRUM, intent))

    interface = configuration["set"]["interface"]
    assert interface["swp1"]["link"] == {"lanes": "4", "mtu": 9000, "speed": "400G"}
    assert interface["swp1"]["description"] == "44:38"
    assert interface["vlan10"]["description"] == "on"
    assert configuration["set"]["system"]["global"]["anycast-mac"] == "44:38:39:00:00:01"
    assert configuration["set"]["router"]["policy"]["community-list"]["11"]["rule"]["100"]["community"] == {"11:11": {}}
