"""Cabling: every cable, and what is plugged into every port, is where the plan has it."""

from collections.abc import Iterator, Mapping

from rackproof.deploy.cabling import full_name
from rackproof.deploy.surroundings import PlannedNeighbour
from rackproof.facts.fact import FactError
from rackproof.facts.models import LldpNeighbour
from rackproof.plan.models import Assembly, LinkEnd
from rackproof.plan.optics import part_in
from validation.fixtures import Judge, Switch, applies_to
from validation.ports import homes, planned_at, ports_of, rail_at, subject, towards_switches

LISTEN = "is the link up, and does the other end run an LLDP daemon?"


def test_cable_leads_where_the_plan_has_it(switch: Switch, judge: Judge) -> None:
    """Every port hears, by LLDP, the port that the plan puts at the other end of its cable."""
    heard, known = switch.facts.neighbours(), homes(switch)
    for port, there in in_use(switch).items():
        silent = why_silent(switch, there)
        if silent:
            judge.skip(subject(switch, port), silent)
        elif port not in heard:
            judge.error(subject(switch, port), f"it hears nobody; the plan has {there.device} {there.port}", LISTEN)
        else:
            judge.holds(
                subject(switch, port),
                is_planned(switch, heard[port], there),
                expected=f"{there.device} {there.port}",
                actual=f"{heard[port].device} {heard[port].remote_port}",
                remedy=what_to_move(switch, port, heard[port], known),
                rail=rail_at(switch, port),
            )


@applies_to(lambda switch: any(towards_switches(switch)))
def test_neighbour_is_the_switch_that_was_asked(switch: Switch, judge: Judge) -> None:
    """Every switch at the other end of a cable shows there the MAC address that it has when it is asked itself."""
    heard = switch.facts.neighbours()
    for port, other, _ in towards_switches(switch):
        if port not in heard:
            judge.error(subject(switch, port), f"it hears nobody; the plan has {other.name}", LISTEN)
            continue
        remedy = f"another device calls itself {other.name}: look for it behind {subject(switch, port)}"
        try:
            expected = other.facts.identity().mac.lower()
        except FactError as error:
            judge.failed_with(subject(switch, port), error)
        else:
            judge.equal(subject(switch, port), expected=expected, actual=heard[port].chassis, remedy=remedy)


def test_port_holds_what_the_plan_has(switch: Switch, judge: Judge) -> None:
    """Every port in use holds the cable or the optic that the plan has for it."""
    held = switch.facts.optics()
    for port, assembly in assemblies_of(switch):
        found = next((held[name] for name in cages(port) if name in held), None)
        planned = part_in(switch.site.planned.catalogue, assembly, switch.name)
        what = planned or assembly.cable
        remedy = f"plug {what} in, as the cable schedule has it for {assembly.id}"
        if found is None or not found.present:
            judge.holds(subject(switch, port), ok=False, expected=what, actual="nothing is plugged in", remedy=remedy)
        elif planned is None:
            actual = f"{found.kind} {found.part_number}"
            judge.holds(subject(switch, port), ok=True, expected="something is plugged in", actual=actual, remedy="")
        else:
            values = {"vendor": found.vendor, "serial number": found.serial}
            actual = found.part_number
            judge.equal(subject(switch, port), expected=planned, actual=actual, remedy=remedy, values=values)


def in_use(switch: Switch) -> dict[str, PlannedNeighbour]:
    """Return what the plan puts at the other end of each configured port that has a cable."""
    used = ports_of(switch)
    return {port: there for port, there in planned_at(switch).items() if port in used}


def why_silent(switch: Switch, there: PlannedNeighbour) -> str:
    """Return why nothing can be heard from a device; empty: it should be."""
    if there.device in switch.site.plan.pdus:
        return f"{there.device} is a PDU: it announces nothing"
    if there.device in switch.site.evidence.absent:
        return f"the lab has no machine for {there.device}"
    return ""


def is_planned(switch: Switch, heard: LldpNeighbour, there: PlannedNeighbour) -> bool:
    """Whether the other end is the planned one, by its name, or by the MAC address that was recorded of its port."""
    recorded = switch.site.as_built.port(there.device, there.port)
    names = {there.port, "" if recorded is None else recorded.mac_address or ""} - {""}
    return same_device(heard, there.device) and (is_management(there) or heard.remote_port in names)


def is_management(there: PlannedNeighbour) -> bool:
    """Whether an end is a device's management port, which each device calls as it likes."""
    return there.port in {"management", "bmc"}


def same_device(heard: LldpNeighbour, device: str) -> bool:
    """Whether an announced name, with or without domain, cut off or not, is a device's."""
    return full_name(heard.device, frozenset({device})) == device


def what_to_move(switch: Switch, port: str, heard: LldpNeighbour, known: Mapping[tuple[str, str], LinkEnd]) -> str:
    """Return which two cables are to change places."""
    devices = frozenset(device for device, _ in known)
    device = full_name(heard.device, devices) or heard.device
    home = known.get((device, heard.remote_port))
    if home is None:
        return f"find the cable of {subject(switch, port)} in the cable schedule and plug it in where that has it"
    return f"swap the cables at {subject(switch, port)} and {home}"


def assemblies_of(switch: Switch) -> Iterator[tuple[str, Assembly]]:
    """Yield each configured port that has a cable, with that cable."""
    plan, used = switch.site.plan, ports_of(switch)
    by_id = {assembly.id: assembly for assembly in plan.assemblies}
    for link in plan.links:
        for end in (link.a, link.b):
            if end.device == switch.name and end.port in used:
                yield end.port, by_id[link.assembly]


def cages(port: str) -> Iterator[str]:
    """Yield a port's own name, and those that the cage may have that it is a part of: Eth1/1/2 of Eth1/1, swp1s0."""
    yield port
    yield port.rpartition("/")[0]
    yield port.partition("s0")[0] if port.endswith("s0") else port.rpartition("s")[0]
