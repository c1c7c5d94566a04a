"""VNIs and Ethernet segments of a switch with Cumulus Linux.

EVPN is FRR's: one command answers for all VNIs, where NVUE has one for each (Troubleshooting EVPN; the same commands as
in the open collector suzieq). The VLAN of a VNI is NVUE's, since the FRR of these releases does not print it in JSON.
"""

import json
from typing import Final

from rackproof.facts.fact import Answers, command_output
from rackproof.facts.models import EthernetSegment, Vni
from rackproof.facts.nos.cumulus import frr
from rackproof.facts.nos.cumulus.nv_show import objects
from rackproof.facts.nos.cumulus.nvue import json_object
from rackproof.facts.nos.cumulus.values import parse_size
from rackproof.facts.nos.readers import Reader

VNI_DETAIL: Final = "sudo -n vtysh -c 'show evpn vni detail json'"
VNI_VLANS: Final = "nv show evpn vni -o json"
ROUTER_MACS: Final = "sudo -n vtysh -c 'show evpn rmac vni all json'"
SEGMENT_DETAIL: Final = "sudo -n vtysh -c 'show evpn es detail json'"


def vnis(answers: Answers) -> dict[int, Vni]:
    """Return the VNIs: those of VLANs with their VLAN, those of VRFs with the routers learned for them."""
    stretched = objects(json.dumps(json_object(answers, VNI_VLANS)))
    routers = frr.routers(command_output(answers, ROUTER_MACS))
    return {
        number: one._replace(vlan=parse_size(stretched.get(str(number), {}).get("vlan")))
        if one.vrf is None
        else one._replace(remote=routers.get(number, ()))
        for number, one in frr.vnis(command_output(answers, VNI_DETAIL)).items()
    }


def segments(answers: Answers) -> dict[str, EthernetSegment]:
    """Return the Ethernet segments."""
    return frr.segments(command_output(answers, SEGMENT_DETAIL))


VNIS: Final = Reader(vnis, (VNI_DETAIL, VNI_VLANS, ROUTER_MACS))
SEGMENTS: Final = Reader(segments, (SEGMENT_DETAIL,))
