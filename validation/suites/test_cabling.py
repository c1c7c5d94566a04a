"""Cabling: every cable and every optic is in the port that the plan gives it."""

from collections.abc import Iterator

from rackproof.deploy.switch.cabling_check import full_name
from rackproof.facts.fact import FactError
from rackproof.plan.model.plan import Assembly, LinkEnd
from rackproof.plan.physical.optics import part_in
from validation.expected.cable_index import Cable
from validation.expected.fixtures import Judge, Switch, applies_to, requirements
from validation.expected.seen_neighbors import SeenNeighbors
from validation.expected.switch_ports import (
    other_end,
    port_rail,
    port_subject,
    switch_cables,
    switch_facing_ports,
    used_ports,
)

MANAGEMENT = "management"
PART_NUMBER_CHARACTERS = 16
"""What a module can say of its part number (SFF-8636, page 00h, bytes 168 to 183, vendor PN); longer ones are cut."""
LISTEN = "is the link up? a server is seen by LLDP, or by a MAC address that `rackproof discover <site>` recorded"


@requirements("NET01")
def test_cable_leads_where_the_plan_has_it(switch: Switch, judge: Judge) -> None:
    """The neighbor at every port, seen by LLDP or by a recorded MAC address, is the planned one."""
    sightings, absent = SeenNeighbors(switch), switch.site.evidence.absent
    for port, cable in in_use(switch).items():
        there, seen = cable.there, sightings.at(port, cable.there)
        if seen is not None:
            judge.expect(
                port_subject(switch, port),
                is_planned(switch, seen.end, cable),
                expected=f"{there.device} {there.port}",
                actual=f"{seen.end.device} {seen.end.port}",
                remedy=what_to_move(switch, port, seen.end),
                rail=port_rail(switch, port),
                values={"seen by": seen.how},
            )
        elif there.device in absent:
            judge.skip(port_subject(switch, port), f"the lab does not run {there.device}")
        else:
            judge.error(
                port_subject(switch, port), f"no neighbor is seen; the plan has {there.device} {there.port}", LISTEN
            )


@applies_to(lambda switch: any(switch_facing_ports(switch)))
@requirements("NET01")
def test_neighbour_is_the_switch_that_was_asked(switch: Switch, judge: Judge) -> None:
    """Every LLDP neighbor that has the name of a switch of the site has the MAC address of that switch."""
    heard = switch.facts.neighbours()
    for port, planned, _ in switch_facing_ports(switch):
        if port not in heard:
            judge.error(port_subject(switch, port), f"no neighbor is seen; the plan has {planned.name}", LISTEN)
            continue
        name = full_name(heard[port].device, frozenset(switch.site.plan.intents())) or planned.name
        remedy = f"another device has the name {name}: look for it at {port_subject(switch, port)}"
        try:
            expected = Switch(name, switch.site, switch.add_evidence).facts.identity().mac.lower()
        except FactError as error:
            judge.error_from(port_subject(switch, port), error)
        else:
            judge.expect_equal(port_subject(switch, port), expected=expected, actual=heard[port].chassis, remedy=remedy)


def test_port_holds_what_the_plan_has(switch: Switch, judge: Judge) -> None:
    """Every port in use holds the planned cable or optic."""
    held = switch.facts.optics()
    for port, assembly in planned_assemblies(switch):
        found = next((held[name] for name in cages(port) if name in held), None)
        planned = part_in(switch.site.planned.catalogue, assembly, switch.name)
        what = planned or assembly.cable
        remedy = f"plug {what} in, as the cable schedule has it for {assembly.id}"
        if found is None or not found.present:
            judge.expect(port_subject(switch, port), ok=False, expected=what, actual="no module", remedy=remedy)
        elif planned is None:
            actual = f"{found.kind} {found.part_number}"
            judge.expect(port_subject(switch, port), ok=True, expected="a module", actual=actual, remedy="")
        else:
            values = {"vendor": found.vendor, "serial number": found.serial}
            actual = found.part_number
            ok = actual == planned[:PART_NUMBER_CHARACTERS]
            judge.expect(port_subject(switch, port), ok, expected=planned, actual=actual, remedy=remedy, values=values)


def in_use(switch: Switch) -> dict[str, Cable]:
    """Return the cables at configured ports, without those of PDUs: they announce nothing."""
    used, pdus = used_ports(switch), switch.site.plan.pdus
    return {port: one for port, one in switch_cables(switch).items() if port in used and one.there.device not in pdus}


def is_planned(switch: Switch, seen: LinkEnd, cable: Cable) -> bool:
    """Whether the other end is the planned one.

    Management ports and ports of storage nodes have no fixed name, and their MAC addresses are not recorded.
    """
    clusters = switch.site.plan.storage.values()
    unnamed = cable.link.kind == MANAGEMENT or any(cable.there.device in cluster.nodes for cluster in clusters)
    return seen == cable.there or (unnamed and seen.device == cable.there.device)


def what_to_move(switch: Switch, port: str, seen: LinkEnd) -> str:
    """Return which two cables are to change places."""
    home = other_end(switch, seen.device, seen.port) or management_port(switch, seen.device, port)
    if home is None:
        return f"find the cable of {port_subject(switch, port)} in the cable schedule and plug it in there"
    return f"swap the cables at {port_subject(switch, port)} and {home}"


def management_port(switch: Switch, device: str, port: str) -> LinkEnd | None:
    """Return where the plan has a device's management port; None: nowhere, or ``port`` is for something else."""
    if port not in switch_cables(switch) or switch_cables(switch)[port].link.kind != MANAGEMENT:
        return None
    cables = switch.site.cables.get(device, {}).values()
    return next((cable.there for cable in cables if cable.link.kind == MANAGEMENT), None)


def planned_assemblies(switch: Switch) -> Iterator[tuple[str, Assembly]]:
    """Yield each configured port that has a cable, with that cable."""
    used, cables = used_ports(switch), switch_cables(switch)
    wanted = {cable.link.assembly for cable in cables.values()}
    by_id = {one.id: one for one in switch.site.plan.assemblies if one.id in wanted}
    yield from ((port, by_id[cable.link.assembly]) for port, cable in cables.items() if port in used)


def cages(port: str) -> Iterator[str]:
    """Yield a port's own name, and those that the cage may have that it is a part of: Eth1/1/2 of Eth1/1, swp1s0."""
    yield port
    yield port.rpartition("/")[0]
    yield port.partition("s0")[0] if port.endswith("s0") else port.rpartition("s")[0]
