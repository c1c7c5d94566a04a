"""From the plan to the description of the lab's switches and cables."""

from collections.abc import Container, Iterator
from hashlib import sha256
from ipaddress import ip_address, ip_interface
from itertools import chain

from lab.spec.models import BreakoutSpec, HostEnd, LabEnd, LabLink, LabSite, PortSpec, SwitchSpec
from rackproof.hardware.load import Catalogue
from rackproof.hardware.models import Breakout, PortRange
from rackproof.plan.model.plan import Assembly, Link, Plan, PortIntent, SwitchIntent, SwitchPlan
from rackproof.plan.model.port_names import nos_port_name
from rackproof.plan.physical.optics import part_in
from rackproof.releases.load import load_release
from rackproof.types import split_breakout

Plugged = tuple[str, tuple[str, str]]
"""A cable's name, and the part numbers at its two ends."""

MBPS = 1000
MANAGEMENT_PORT = "eth0"
"""Name of a switch's management port in LLDP."""
OUTSIDE = "outside"
"""Name of the network around the site."""
OUTSIDE_ASN = 64496
"""ASN of its routers when the plan has none: reserved for documentation (RFC 5398)."""


def lab_site(plan: Plan, catalogue: Catalogue) -> LabSite:
    """Return the description of a plan's lab.

    Parameters
    ----------
    plan
        The plan of the site as the lab has it: already scaled.
    catalogue
        Catalogue with the switches' models.
    """
    assemblies = {assembly.id: assembly for assembly in plan.assemblies}
    versions = {name: one.version for name, one in load_release(plan.release).components.items()}
    intents = {name: switch.intent for name, switch in plan.switches.items() if switch.intent is not None}
    wired = set(
        chain.from_iterable(((link.a.device, link.a.port), (link.b.device, link.b.port)) for link in plan.links)
    )
    pairs: list[tuple[LabLink, HostEnd | None]] = [
        _cabled(plan, intents[link.a.device], link, plugged(catalogue, assemblies[link.assembly], link))
        for link in plan.links
        if link.a.device in intents
    ]
    for name, intent in intents.items():
        pairs.extend(_outside(plan.switches[name], intent, catalogue, wired))
    return LabSite(
        name=plan.site,
        switches={
            name: _switch(plan.switches[name], intent, catalogue, versions.get(plan.switches[name].nos))
            for name, intent in intents.items()
        },
        links=tuple(link for link, _ in pairs),
        hosts=tuple(host for _, host in pairs if host is not None),
    )


def _switch(switch: SwitchPlan, intent: SwitchIntent, catalogue: Catalogue, software: str | None) -> SwitchSpec:
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
        ports={port.number: port for port in chain.from_iterable(map(_ports, model.ports))},
        management_address=intent.management.address,
        management_gateway=intent.management.gateway,
        hash_queue_pair=model.hash_queue_pair,
        release=intent.dialect,
        software=software,
        adaptive_routing_mbps=tuple(speed * MBPS for speed in model.adaptive_routing_gbps),
    )


def _ports(ports: PortRange) -> Iterator[PortSpec]:
    modes = {breakout.mode: _breakout(breakout) for breakout in ports.breakouts}
    for number in range(ports.first, ports.last + 1):
        index = ports.sonic_first + (number - ports.first) * ports.sonic_step
        yield PortSpec(number, ports.speed_gbps * MBPS, modes, index, ports.sonic_step, ports.lanes)


def _breakout(breakout: Breakout) -> BreakoutSpec:
    children, speed_gbps = split_breakout(breakout.mode)
    return BreakoutSpec(children, speed_gbps * MBPS, breakout.blocks_neighbour)


def plugged(catalogue: Catalogue, assembly: Assembly, link: Link) -> Plugged:
    """Return the name of a link's cable, and the part numbers of the parts plugged in at its ends."""
    first, second = (part_in(catalogue, assembly, end.device) or "" for end in (link.a, link.b))
    return catalogue.cable(assembly.cable).name, (first, second)


def _cabled(plan: Plan, intent: SwitchIntent, link: Link, cable: Plugged) -> tuple[LabLink, HostEnd | None]:
    """Return the cable at a switch; its other end is a host unless it is a front panel port of another switch."""
    near, far = LabEnd(link.a.device, link.a.port), LabEnd(link.b.device, link.b.port)
    peer = plan.switches.get(link.b.device)
    configured = peer is not None and peer.intent is not None
    if configured and link.kind != "management":
        return LabLink(near, far, *cable), None
    if peer is not None and link.kind == "management":
        far = LabEnd(peer.name, MANAGEMENT_PORT)
    lldp = link.b.device not in plan.pdus
    host = HostEnd(far, link.speed_gbps * MBPS, _fec(intent, link), lldp=lldp, of_switch=configured)
    return LabLink(near, far, *cable), host


def _fec(intent: SwitchIntent, link: Link) -> str:
    """Return the FEC of a host's port: that of the planned switch port."""
    return next((port.fec for port in intent.ports.values() if _is_port(port, link)), "none")


def _is_port(port: PortIntent, link: Link) -> bool:
    return port.description == f"{link.b.device} {link.b.port}"


def _outside(
    switch: SwitchPlan, intent: SwitchIntent, catalogue: Catalogue, wired: Container[tuple[str, str]]
) -> Iterator[tuple[LabLink, HostEnd]]:
    """Yield the uplinks: each planned port without a cable gets a router that is configured as the plan expects."""
    nos, model = catalogue.nos(switch.nos), catalogue.switch(switch.model)
    for key, port in intent.ports.items():
        name = nos_port_name(nos, model, key, intent.breakouts)
        if (switch.name, name) in wired:
            continue
        far = LabEnd(OUTSIDE, f"{switch.name} {name}")
        host = HostEnd(far, port.speed_gbps * MBPS, port.fec, lldp=False, asn=_remote_asn(intent, key, port))
        yield LabLink(LabEnd(switch.name, name), far), host


def _remote_asn(intent: SwitchIntent, key: str, port: PortIntent) -> int | None:
    """Return the ASN of the router behind a port: a fixed one when the plan has none."""
    vrf, bgp = intent.vrfs.get(port.vrf or ""), intent.bgp
    sessions = vrf.neighbors if vrf is not None else bgp.neighbors if bgp is not None else {}
    if key in sessions:
        return sessions[key].remote_asn or OUTSIDE_ASN
    network = None if port.address is None else ip_interface(port.address).network
    near = (peer for target, peer in sessions.items() if network and "." in target and ip_address(target) in network)
    return next((peer.remote_asn for peer in near), None)
