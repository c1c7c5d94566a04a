"""From the plan to what the lab builds: the one module of the lab that knows the plan and the catalogue."""

from collections.abc import Iterator
from hashlib import sha256
from ipaddress import ip_address, ip_interface

from lab.spec import BreakoutSpec, HostEnd, LabEnd, LabLink, LabSite, PortSpec, SwitchSpec
from rackproof.hardware.load import Catalogue
from rackproof.hardware.models import PortRange
from rackproof.plan.models import Link, Plan, PortIntent, SwitchPlan
from rackproof.plan.ports import nos_port_name
from rackproof.types import split_breakout

MBPS = 1000
MANAGEMENT_PORT = "eth0"
"""What a switch's own LLDP calls its management port."""
OUTSIDE = "outside"
"""Name of the network around the site."""


def lab_site(plan: Plan, catalogue: Catalogue) -> LabSite:
    """Return what the lab of a plan builds.

    Parameters
    ----------
    plan
        The plan of the site as the lab has it: already scaled.
    catalogue
        Where the switches' models are.
    """
    cables = {assembly.id: catalogue.cable(assembly.cable).name for assembly in plan.assemblies}
    cabled = [_cabled(plan, link, cables[link.assembly]) for link in plan.links]
    outside = [one for switch in plan.switches.values() for one in _outside(plan, switch, catalogue)]
    return LabSite(
        name=plan.site,
        switches={switch.name: _switch(switch, catalogue) for switch in plan.switches.values()},
        links=tuple(link for link, _ in (*cabled, *outside)),
        hosts=tuple(host for _, host in (*cabled, *outside) if host is not None),
    )


def _switch(switch: SwitchPlan, catalogue: Catalogue) -> SwitchSpec:
    model = catalogue.switch(switch.model)
    digest = sha256(switch.name.encode()).hexdigest()
    return SwitchSpec(
        name=switch.name,
        nos=switch.nos,
        product=model.name,
        hwsku=model.hwsku,
        platform=model.platform,
        asic=model.asic,
        serial_number=f"LAB{digest[:9].upper()}",
        management_mac="02:" + ":".join(digest[place : place + 2] for place in range(0, 10, 2)),
        ports={port.number: port for ports in model.ports for port in _ports(ports)},
        management_address=switch.intent.management.address,
        management_gateway=switch.intent.management.gateway,
        hash_queue_pair=model.hash_queue_pair,
    )


def _ports(ports: PortRange) -> Iterator[PortSpec]:
    modes = {breakout.mode: _breakout(breakout.mode) for breakout in ports.breakouts}
    for number in range(ports.first, ports.last + 1):
        index = ports.sonic_first + (number - ports.first) * ports.sonic_step
        yield PortSpec(number, ports.speed_gbps * MBPS, modes, index, ports.sonic_step)


def _breakout(mode: str) -> BreakoutSpec:
    children, speed_gbps = split_breakout(mode)
    return BreakoutSpec(children, speed_gbps * MBPS)


def _cabled(plan: Plan, link: Link, cable: str) -> tuple[LabLink, HostEnd | None]:
    """A cable of the plan; its far end is a host unless it is a front panel port of a switch."""
    near, far = LabEnd(link.a.device, link.a.port), LabEnd(link.b.device, link.b.port)
    if link.b.device in plan.switches and link.kind != "management":
        return LabLink(near, far, cable), None
    if link.b.device in plan.switches:
        far = LabEnd(link.b.device, MANAGEMENT_PORT)
    fec = _fec(plan, link)
    of_switch = link.b.device in plan.switches
    host = HostEnd(far, link.speed_gbps * MBPS, fec, lldp=link.b.device not in plan.pdus, of_switch=of_switch)
    return LabLink(near, far, cable), host


def _fec(plan: Plan, link: Link) -> str:
    """Hosts are set up as the plan has it: the FEC of the switch port they are planned on."""
    switch = plan.switches[link.a.device]
    return next((port.fec for port in switch.intent.ports.values() if _is_port(port, link)), "none")


def _is_port(port: PortIntent, link: Link) -> bool:
    return port.description == f"{link.b.device} {link.b.port}"


def _outside(plan: Plan, switch: SwitchPlan, catalogue: Catalogue) -> Iterator[tuple[LabLink, HostEnd]]:
    """Uplinks: behind each planned port without a cable stands a router that is set up as the plan expects it."""
    nos, model = catalogue.nos(switch.nos), catalogue.switch(switch.model)
    wired = {(end.device, end.port) for link in plan.links for end in (link.a, link.b)}
    for key, port in switch.intent.ports.items():
        name = nos_port_name(nos, model, key, switch.intent.breakouts)
        if (switch.name, name) in wired:
            continue
        far = LabEnd(OUTSIDE, f"{switch.name} {name}")
        host = HostEnd(far, port.speed_gbps * MBPS, port.fec, lldp=False, asn=_remote_asn(switch, port))
        yield LabLink(LabEnd(switch.name, name), far), host


def _remote_asn(switch: SwitchPlan, port: PortIntent) -> int | None:
    bgp = switch.intent.bgp
    if bgp is None or port.address is None:
        return None
    network = ip_interface(port.address).network
    inside = (
        peer.remote_asn for target, peer in bgp.neighbors.items() if "." in target and ip_address(target) in network
    )
    return next(inside, None)
