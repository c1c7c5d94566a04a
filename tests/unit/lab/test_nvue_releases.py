"""The lab's NVUE has in each release what that release has."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml12

from lab.switches.nos.cumulus.schema import RefusedPathError, expanded, schema

if TYPE_CHECKING:
    from lab.switches.nos.cumulus.schema import Release

GNMI: Final = "system gnmi-server state enabled"
RELAY: Final = "service dhcp-relay EXIT server 192.0.2.2"
RELAY_GROUP: Final = "service dhcp-relay EXIT server-group dhcp server 192.0.2.2"
SYSLOG: Final = "system syslog server 192.0.2.2 vrf mgmt"
SCHEMA: Final[Any] = yaml12.parse_yaml(files("lab.switches.nos.cumulus").joinpath("schema.yaml").read_text("utf-8"))


@pytest.mark.parametrize("block", SCHEMA["sources"], ids=lambda block: block["source"])
def test_every_block_names_its_first_release(block: dict[str, str]) -> None:
    assert block["from"] in {"5.12", "5.13", "5.14", "5.15"}


@pytest.mark.parametrize(
    ("release", "words"),
    [((5, 13), GNMI), ((5, 15), GNMI), ((5, 13), RELAY), ((5, 14), RELAY_GROUP), ((5, 13), SYSLOG)],
)
def test_a_release_takes_what_it_has(release: Release, words: str) -> None:
    assert expanded(schema(release), words.split())


@pytest.mark.parametrize(
    ("release", "words"),
    [((5, 12), GNMI), ((5, 14), RELAY), ((5, 15), RELAY), ((5, 13), RELAY_GROUP), ((5, 12), SYSLOG)],
)
def test_a_release_refuses_what_it_lacks(release: Release, words: str) -> None:
    with pytest.raises(RefusedPathError, match="Invalid Command"):
        expanded(schema(release), words.split())
