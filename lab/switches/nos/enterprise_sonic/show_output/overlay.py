"""VNIs and Ethernet segments: FRR's text, and the VLANs of VNIs."""

from lab.switches.links import LabNetwork, LabSegment
from lab.switches.nos.enterprise_sonic.executive import Executive, Request


def _address(request: Request) -> str:
    own = request.system.state.overlay
    return "" if own is None else own.address


async def networks(request: Request) -> str:
    """Every VNI, as FRR 8.4 prints it."""
    system = request.system
    found = system.switch.links.networks(system.spec.name)
    return "\n".join("\n".join(_network(one, _address(request))) + "\n" for one in found)


def _network(one: LabNetwork, address: str) -> list[str]:
    ends = [f"  {end} flood: HER" for end in one.remote]
    return [
        f"VNI: {one.network.number}",
        " Type: L2",
        f" Tenant VRF: {one.network.vrf or 'default'}",
        f" VxLAN interface: vtep1-{one.network.vlan}",
        f" SVI interface: {f'Vlan{one.network.vlan}' if one.network.routed else ''}",
        f" Local VTEP IP: {address}",
        " Mcast group: 0.0.0.0",
        *([" Remote VTEPs for this VNI:", *ends] if ends else [" No remote VTEPs known for this VNI"]),
        " Number of MACs (local and remote) known for this VNI: 0",
        " Number of ARPs (IPv4 and IPv6, local and remote) known for this VNI: 0",
        " Advertise-gw-macip: No",
        " Advertise-svi-macip: No",
    ]


async def vlans(request: Request) -> str:
    """VLANs with their VNIs, as outputs of release 4 in public notes have it."""
    found = [one.network for one in request.system.switch.links.networks(request.system.spec.name)]
    rows = [f"{f'Vlan{one.vlan}':<10}{one.number}" for one in found]
    return "\n".join(("VLAN      VNI", "======    =====", *rows, f"Total count :    {len(rows)}")) + "\n"


async def segments(request: Request) -> str:
    """Every Ethernet segment, as SONiC's design of EVPN multihoming shows it (``show evpn es detail``)."""
    found = request.system.switch.links.segments(request.system.spec.name)
    return "\n".join("\n".join(_segment(one)) + "\n" for one in found)


def _segment(one: LabSegment) -> list[str]:
    return [
        f"ESI: {one.segment.esi}",
        f" Type: {'Local,Remote' if one.remote else 'Local'}",
        f" Interface: {one.segment.port}",
        f" State: {'up' if one.up else 'down'}",
        " Bridge port: yes",
        " Ready for BGP: yes",
        " VNI Count: 1",
        " MAC Count: 0",
        f" DF status: {'df' if one.forwards else 'non-df'}",
        f" DF preference: {one.segment.preference}",
        " Nexthop group: 0",
        " VTEPs:",
        *(f"     {end} df_alg: preference df_pref: {preference} nh: 0" for end, preference in one.remote.items()),
    ]


COMMANDS = (
    Executive("show evpn vni detail", "FRR, zebra_evpn.c", networks),
    Executive("show vxlan vlanvnimap", "D vxlans; U", vlans),
    Executive("show evpn es detail", "SONiC design, EVPN_VxLAN_Multihoming.md; FRR, zebra_evpn_mh.c", segments),
)
