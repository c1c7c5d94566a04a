"""What the suites about switches share: the names of a switch's ports, and what the plan puts at their other ends."""

from collections.abc import Iterator, Mapping

from rackproof.deploy.steps import joins_switches
from rackproof.deploy.surroundings import PlannedNeighbour
from rackproof.plan.models import LinkEnd, PortIntent
from rackproof.plan.ports import nos_port_name
from validation.subjects import Switch

UP = "`rackproof up <site>` configures it"


def port_name(switch: Switch, key: str) -> str:
    """Return what a switch calls the port that its intent calls ``key``."""
    catalogue = switch.site.planned.catalogue
    nos, model = catalogue.nos(switch.plan.nos), catalogue.switch(switch.plan.model)
    return nos_port_name(nos, model, key, switch.intent.breakouts)


def ports_of(switch: Switch) -> dict[str, PortIntent]:
    """Return the ports in use, by the switch's own names."""
    return {port_name(switch, key): port for key, port in switch.intent.ports.items()}


def lossless_ports(switch: Switch) -> dict[str, PortIntent]:
    """Return the ports that carry RoCE, by the switch's own names."""
    return {name: port for name, port in ports_of(switch).items() if port.lossless}


def planned_at(switch: Switch) -> dict[str, PlannedNeighbour]:
    """Return what the plan puts at the other end of each port that has a cable."""
    plan, found = switch.site.plan, dict[str, PlannedNeighbour]()
    for link in plan.links:
        for here, there in ((link.a, link.b), (link.b, link.a)):
            if here.device == switch.name:
                found[here.port] = PlannedNeighbour(there.device, there.port, joins_switches(plan, link))
    return found


def homes(switch: Switch) -> Mapping[tuple[str, str], LinkEnd]:
    """Return, for every end of a cable of the site, where the plan has its other end."""
    links = switch.site.plan.links
    ends = ((here, there) for link in links for here, there in ((link.a, link.b), (link.b, link.a)))
    return {(here.device, here.port): there for here, there in ends}


def towards_switches(switch: Switch) -> Iterator[tuple[str, Switch, str]]:
    """Yield each port that leads to another switch of ours, that switch, and its port there."""
    for port, there in planned_at(switch).items():
        if there.is_switch:
            yield port, Switch(there.device, switch.site, switch.saw), there.port


def rail_at(switch: Switch, port: str) -> int | None:
    """Return the number of the rail that a port carries; None: it carries none, or several."""
    hosts = switch.site.plan.hosts()
    there = homes(switch).get((switch.name, port))
    host = hosts.get(there.device) if there is not None else None
    planned = host.ports.get(there.port) if host is not None and there is not None else None
    return None if planned is None else planned.rail


def subject(switch: Switch, port: str) -> str:
    """Return how results name a port of a switch."""
    return f"{switch.name}/{port}"
