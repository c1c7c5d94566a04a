"""VNIs and Ethernet segments as Enterprise SONiC prints them: FRR's text, and the table of VLANs with their VNIs.

``show evpn vni detail`` is FRR's, recorded from 8.4.4; ``show evpn es detail`` as SONiC's design of EVPN multihoming
shows it; ``show vxlan vlanvnimap`` as outputs of release 3 and 4 in public notes have it.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from rackproof.facts.fact import Answers
from rackproof.facts.models import EthernetSegment, Vni
from rackproof.facts.nos.enterprise_sonic.shows import show_output, show_reader

VNI_DETAIL: Final = "show evpn vni detail"
VNI_VLANS: Final = "show vxlan vlanvnimap"
SEGMENT_DETAIL: Final = "show evpn es detail"
VNI: Final = re.compile(r"^VNI: (?P<key>\d+)\s*$", re.MULTILINE)
SEGMENT: Final = re.compile(r"^ESI: (?P<key>\S+)\s*$", re.MULTILINE)
FIELD: Final = re.compile(r"^ (?P<name>[A-Za-z][A-Za-z ]*?): +(?P<value>\S.*?)\s*$", re.MULTILINE)
END: Final = re.compile(r"^ {2,}(?P<address>\d+\.\d+\.\d+\.\d+)\b", re.MULTILINE)
MAPPED: Final = re.compile(r"^Vlan(?P<vlan>\d+)\s+(?P<vni>\d+)\s*$", re.MULTILINE)
NO_VTEP: Final = frozenset({"", "0.0.0.0"})  # noqa: S104 what FRR shows of a tunnel without an address


def vnis(answers: Answers) -> dict[int, Vni]:
    """Return the VNIs of VLANs; those of VRFs are left out, which are not configured on this NOS."""
    vlans = {int(row["vni"]): int(row["vlan"]) for row in MAPPED.finditer(show_output(answers, VNI_VLANS))}
    found: dict[int, Vni] = {}
    for key, block in _blocks(show_output(answers, VNI_DETAIL), VNI):
        fields = _fields(block)
        if fields.get("Type") == "L2":
            up = fields.get("Local VTEP IP", "") not in NO_VTEP
            found[int(key)] = Vni(int(key), vlans.get(int(key)), None, up, _ends(block))
    return found


def segments(answers: Answers) -> dict[str, EthernetSegment]:
    """Parse ``show evpn es detail``."""
    found: dict[str, EthernetSegment] = {}
    for key, block in _blocks(show_output(answers, SEGMENT_DETAIL), SEGMENT):
        fields = _fields(block)
        local = "Local" in fields.get("Type", "").split(",")
        port = fields.get("Interface", "") if local else ""
        found[key.lower()] = EthernetSegment(key.lower(), port, local and fields.get("State") == "up", _ends(block))
    return found


def _blocks(text: str, head: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Yield the key of each block, and its text."""
    _, *parts = head.split(text)
    yield from zip(parts[::2], parts[1::2], strict=True)


def _fields(block: str) -> Mapping[str, str]:
    return {match["name"]: match["value"] for match in FIELD.finditer(block)}


def _ends(block: str) -> tuple[str, ...]:
    """Return the addresses of the other switches: one a line, indented deeper than the fields."""
    return tuple(match["address"] for match in END.finditer(block))


VNIS: Final = show_reader(vnis, VNI_DETAIL, VNI_VLANS)
SEGMENTS: Final = show_reader(segments, SEGMENT_DETAIL)
