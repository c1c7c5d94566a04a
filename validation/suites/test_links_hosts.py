"""Links of servers: state, speed, FEC and errors of every port."""

from typing import Final

from rackproof.facts.hosts.interfaces import FACT as INTERFACES
from rackproof.facts.hosts.interfaces import find_interface
from rackproof.facts.hosts.rdma import FACT as RDMA
from rackproof.facts.hosts.rdma import RdmaDevice
from rackproof.plan.model.plan import HostPort, PortIntent
from rackproof.plan.model.port_names import port_keys
from rackproof.results import Threshold
from validation.expected.fixtures import Judge, Server, applies_to, requirements
from validation.expected.server_ports import (
    ethernet_ports,
    fact_or_error,
    is_virtual_adapter,
    port_bond,
    port_rail,
    port_subject,
    shares_rdma_device,
)

FEC_WORDS: Final = {"rs": ("RS", "LLRS"), "fc": ("BaseR", "BASER"), "none": ("Off", "None")}
"""What ethtool(8) calls the forward error correction of a cable: Reed-Solomon, Firecode, none."""
VIRTUAL_ADAPTER: Final = "a virtual adapter of the lab has no {}"
DAY_S: Final = 86400.0
FLAPS_PER_DAY: Final = 4
"""Azure NHC, azure_ib_link_flapping: fewer than 5 in 24 hours."""
PAM4_GBPS: Final = 200
"""From this speed on lanes carry PAM4 (IEEE 802.3bs)."""
CABLE: Final = "reseat the cable and clean its ends; then try another cable, then another port"


@applies_to(lambda server: bool(ethernet_ports(server)))
def test_every_port_is_up(server: Server, judge: Judge) -> None:
    """Every planned port is up."""
    interfaces = server.fact(INTERFACES)
    for port, planned in ethernet_ports(server):
        found = interfaces.get(port.name)
        state = "there is no interface of this name" if found is None else f"down ({found.state})"
        up = found is not None and found.up
        judge.expect(
            port_subject(server, port.name),
            up,
            expected="up",
            actual="up" if up else state,
            rail=planned.rail,
            remedy=f"is it plugged into {planned.switch} {planned.switch_port}, and is that port up? {CABLE}",
        )


@applies_to(lambda server: any(port.rdma_device for port in server.intent.ports))
@requirements("BMAAS08")
def test_rdma_device_of_every_rail_is_active(server: Server, judge: Judge) -> None:
    """The RDMA device of every port is active, and belongs to that port."""
    devices = server.fact(RDMA)
    fabrics = server.site.plan.fabrics
    for port in (one for one in server.intent.ports if one.rdma_device):
        if shares_rdma_device(server, port.name, devices):
            continue
        found, bond = devices.get(str(port.rdma_device)), port_bond(server, port.name)
        over = port.name if bond is None or found is None or found.interface != bond.name else bond.name
        infiniband = bool(fabrics[server.plan.ports[port.name].fabric].subnet_managers)
        judge.expect_equal(
            port_subject(server, port.name),
            expected=f"{port.rdma_device} ACTIVE" + ("" if infiniband else f" over {over}"),
            actual=device_state(found, infiniband=infiniband) if found else f"there is no {port.rdma_device}",
            rail=port_rail(server, port.name),
            values={"rate": found.rate, "firmware": found.firmware} if found else None,
            remedy="is the port up, and the RDMA module of its driver loaded? `rdma link` on the server says more",
        )


def device_state(device: RdmaDevice, *, infiniband: bool) -> str:
    """Return name and state of a device, and what it runs over, in words."""
    state = f"{device.name} {device.state or 'in no state'}"
    return state if infiniband else f"{state} over {device.interface or 'nothing'}"


@applies_to(lambda server: bool(ethernet_ports(server)))
def test_speed_is_that_of_the_plan(server: Server, judge: Judge) -> None:
    """Every port runs at the planned speed."""
    interfaces = server.fact(INTERFACES)
    for port, planned in ethernet_ports(server):
        subject = port_subject(server, port.name)
        found = fact_or_error(judge, subject, find_interface, interfaces, port.name)
        if found is None:
            continue
        if is_virtual_adapter(port.name, server):
            judge.skip(subject, VIRTUAL_ADAPTER.format("speed"))
        elif found.speed_gbps is None:
            judge.error(
                subject, f"its driver reports no speed; the link is {found.state}", "a port that is down has no speed"
            )
        else:
            judge.expect_equal(
                subject,
                expected=float(planned.speed_gbps),
                actual=found.speed_gbps,
                unit="Gb/s",
                rail=planned.rail,
                remedy="are cable, breakout of the switch's port and limit of the adapter those of the plan?",
            )


@applies_to(lambda server: any(planned.switch for _, planned in ethernet_ports(server)))
def test_fec_is_that_of_the_cable(server: Server, judge: Judge) -> None:
    """Every port uses the FEC of its cable and of the switch port."""
    interfaces = server.fact(INTERFACES)
    for port, planned in ethernet_ports(server):
        subject, other = port_subject(server, port.name), other_end(server, planned)
        found = fact_or_error(judge, subject, find_interface, interfaces, port.name)
        if found is None:
            continue
        if is_virtual_adapter(port.name, server):
            judge.skip(subject, VIRTUAL_ADAPTER.format("error correction"))
        elif other is None:
            judge.skip(subject, "the plan has no FEC for the other end")
        elif found.fec is None:
            judge.error(subject, "its driver reports no FEC", "update driver and ethtool")
        else:
            judge.expect(
                subject,
                found.fec in FEC_WORDS[other.fec],
                expected=FEC_WORDS[other.fec][0],
                actual=found.fec,
                rail=planned.rail,
                remedy=f"`ethtool --set-fec {port.name} encoding auto`, and the same at the switch's port",
            )


def other_end(server: Server, port: HostPort) -> PortIntent | None:
    """Return the intent of the switch port of a server port; None: Rackproof does not configure it."""
    plan, catalogue = server.site.plan, server.site.planned.catalogue
    switch = plan.switches.get(port.switch or "")
    if switch is None or switch.intent is None or port.switch_port is None:
        return None
    keys = port_keys(catalogue.nos(switch.nos), catalogue.switch(switch.model), switch.breakouts)
    return switch.intent.ports.get(keys.get(port.switch_port, ""))


@applies_to(lambda server: bool(ethernet_ports(server)))
def test_packets_arrive_undamaged(server: Server, judge: Judge) -> None:
    """The error rate of received packets is within the limit of IEEE 802.3 on every port."""
    interfaces = server.fact(INTERFACES)
    for port, planned in ethernet_ports(server):
        subject = port_subject(server, port.name)
        found = fact_or_error(judge, subject, find_interface, interfaces, port.name)
        if found is None:
            continue
        if not found.rx_bytes:
            judge.error(subject, "no packet was received yet", "is it up? see links_hosts/every-port-is-up")
            continue
        judge.expect_within(
            subject,
            found.rx_errors / (found.rx_bytes * 8),
            error_ratio(planned.speed_gbps),
            rail=planned.rail,
            values={"damaged": f"{found.rx_errors} packets", "received": f"{found.rx_bytes} bytes"},
            remedy=f"{CABLE}; `ethtool --statistics {port.name}` says what kind of errors",
        )


def error_ratio(speed_gbps: int) -> Threshold:
    """Return how many packets may be damaged for each bit that arrived: one wrong bit damages one packet."""
    pam4 = speed_gbps >= PAM4_GBPS
    return Threshold(
        1e-13 if pam4 else 1e-12,
        "packets/bit",
        "at most",
        "IEEE 802.3bs (200G, 400G): bit error ratio at the MAC" if pam4 else "IEEE 802.3by, bm (25G to 100G): likewise",
        "damaged packets / (8 x bytes received), since the server started",
    )


@applies_to(lambda server: bool(ethernet_ports(server)))
def test_links_do_not_flap(server: Server, judge: Judge) -> None:
    """No link has gone down more often than the limit allows."""
    interfaces = server.fact(INTERFACES)
    for port, planned in ethernet_ports(server):
        subject = port_subject(server, port.name)
        found = fact_or_error(judge, subject, find_interface, interfaces, port.name)
        if found is None:
            continue
        if found.carrier_losses is None:
            judge.error(subject, "the kernel reports no count of link losses")
            continue
        judge.expect_within(
            subject,
            found.carrier_losses,
            flaps_allowed(found.uptime_s),
            rail=planned.rail,
            remedy=f"{CABLE}; the kernel's log says when",
        )


def flaps_allowed(uptime_s: float) -> Threshold:
    """Return how often a link may have been lost since its server started."""
    days = max(1.0, uptime_s / DAY_S)
    return Threshold(
        float(int(FLAPS_PER_DAY * days)),
        "times",
        "at most",
        "Azure NHC, azure_ib_link_flapping: fewer than 5 in 24 h",
        f"{FLAPS_PER_DAY} a day, {days:.1f} days",
    )
