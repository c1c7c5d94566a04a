"""Neighbours: LLDP and BGP."""

from lab.switches.links import Neighbor
from lab.switches.nos.enterprise_sonic.executive import Executive, Request
from lab.switches.nos.enterprise_sonic.tree import natural


def _neighbors(request: Request) -> list[tuple[str, Neighbor]]:
    system = request.system
    found = ((name, system.switch.links.neighbor(system.spec.name, name)) for name in system.state.ports)
    return sorted(((name, one) for name, one in found if one is not None), key=lambda item: natural(item[0]))


def _cell(text: str) -> str:
    """Cells are 20 wide; longer text is cut (truncate of lldp_show.j2 leaves five characters of grace)."""
    return (text if len(text) <= 24 else f"{text[:16]}...").ljust(20)


async def table(request: Request) -> str:
    """lldp_show.j2."""
    lines = [
        "-" * 102,
        "".join(map(_cell, ("LocalPort", "RemoteDevice", "RemotePortID", "Capability"))) + "RemotePortDescr",
        "-" * 103,
    ]
    for name, found in _neighbors(request):
        capability = "" if found.is_host else "BR"
        cells = (name, found.device, found.port, capability, found.port_description)
        lines.append("".join(map(_cell, cells)).rstrip())
    return "\n".join(lines) + "\n"


async def detail(request: Request) -> str:
    """lldp_neighbor_show.j2."""
    wanted = request.arguments.get("name")
    rule = "-" * 59
    lines = [rule, "LLDP Neighbors", rule]
    for name, found in _neighbors(request):
        if wanted in {None, name}:
            lines.extend((*_details(name, found), rule))
    return "\n".join(lines) + "\n"


def _details(name: str, found: Neighbor) -> list[str]:
    address = [f"    MgmtIP:       {found.management_address}"] if found.management_address else []
    roles = ("OFF", "OFF") if found.is_host else ("ON", "ON")
    return [
        f"Interface:   {name},via: LLDP",
        "  Chassis:",
        f"    ChassisID:    {found.chassis_mac}",
        f"    SysName:      {found.device}",
        f"    SysDescr:     {found.description}",
        "    TTL:          120",
        *address,
        f"    Capability:   MAC_BRIDGE, {roles[0]}",
        f"    Capability:   ROUTER, {roles[1]}",
        "  Port",
        f"    PortID:       {found.port}",
        f"    PortDescr:    {found.port_description}",
    ]


async def addresses(request: Request) -> str:
    """show_mac.j2: VLAN, address, type, interface."""
    system = request.system
    widths, rule = (13, 20, 13, 16), "-" * 59
    titles = ("VLAN", "MAC-ADDRESS", "TYPE", "INTERFACE")
    lines = [rule, "".join(map(str.ljust, titles, widths)).rstrip(), rule]
    for name in sorted(system.state.ports, key=natural):
        vlan = system.forwarding.ports[name].access_vlan
        learned = () if vlan is None else system.switch.links.macs(system.spec.name, name)
        rows = ((str(vlan), mac, "DYNAMIC", name) for mac in learned)
        lines.extend("".join(map(str.ljust, row, widths)).rstrip() for row in rows)
    return "\n".join(lines) + "\n"


async def summary(request: Request) -> str:
    """show_ip_bgp_summary_rpc.j2: a number in the last column means that the session is up."""
    system = request.system
    family = request.arguments["family"].replace("-", " ")
    speaker = system.state.bgp
    if speaker is None:
        return ""
    peers = [peer for peer in speaker.peers if family in peer.families]
    width = max((len(peer.target) for peer in peers), default=8) + 4
    lines = [
        f"BGP router identifier {speaker.router_id}, local AS number {speaker.asn}",
        f"{'Neighbor'.ljust(width)} V   AS          MsgRcvd   MsgSent   InQ     OutQ    Up/Down         State/PfxRcd",
    ]
    established = 0
    for peer in peers:
        state = system.switch.links.session_state(system.spec.name, speaker, peer)
        up = state == "Established"
        established += up
        since = "00:10:00" if up else "never"
        counts = ("12", "12") if up else ("0", "0")
        behind = system.switch.links.asn_behind(system.spec.name, peer) if up else None
        remote = peer.remote if peer.remote.isdigit() else str(behind or 0)
        lines.append(
            f"{peer.target.ljust(width)} 4   {remote:<11} {counts[0]:<9} {counts[1]:<9} {'0':<7} {'0':<7} {since:<15} "
            f"{system.switch.links.prefixes(system.spec.name, peer, family) if up else state}"
        )
    lines.extend(
        ("", f"Total number of neighbors {len(peers)}", f"Total number of neighbors established {established}")
    )
    return "\n".join(lines) + "\n"


async def unicast(request: Request) -> str:
    """BGP sessions that carry IPv4 or IPv6 routes."""
    return await summary(_family(request, f"{request.arguments['version']} unicast"))


async def evpn(request: Request) -> str:
    """BGP sessions that carry EVPN routes."""
    return await summary(_family(request, "l2vpn evpn"))


def _family(request: Request, family: str) -> Request:
    return Request(request.system, {"family": family}, request.ask)


COMMANDS = (
    Executive("show lldp table", "X lldp", table),
    Executive("show lldp neighbor [<name:eth>]", "X lldp", detail),
    Executive("show mac address-table", "X mac", addresses),
    Executive("show bgp <version:ipv4|ipv6> unicast summary", "X bgp; U", unicast),
    Executive("show bgp l2vpn evpn summary", "X bgp_af_l2vpn", evpn),
)
