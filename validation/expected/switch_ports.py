"""What the suites about switches share: the names of a switch's ports, and what the plan puts at their other ends."""

from collections.abc import Iterator, Mapping

from rackproof.plan.model.plan import LinkEnd, PortIntent
from rackproof.plan.model.port_names import nos_port_name
from validation.expected.cable_index import Cable
from validation.expected.subjects import Switch

RUN_UP = "`rackproof up <site>` configures it"


def port_name(switch: Switch, key: str) -> str:
    """Return what a switch calls the port that its intent calls ``key``."""
    catalogue = switch.site.planned.catalogue
    nos, model = catalogue.nos(switch.plan.nos), catalogue.switch(switch.plan.model)
    return nos_port_name(nos, model, key, switch.intent.breakouts)


def used_ports(switch: Switch) -> dict[str, PortIntent]:
    """Return the ports in use, by the switch's own names."""
    return {port_name(switch, key): port for key, port in switch.intent.ports.items()}


def lossless_ports(switch: Switch) -> dict[str, PortIntent]:
    """Return the ports that carry RoCE, by the switch's own names."""
    return {name: port for name, port in used_ports(switch).items() if port.lossless}


def switch_cables(switch: Switch) -> Mapping[str, Cable]:
    """Return port to cable, as the plan has them."""
    return switch.site.cables.get(switch.name, {})


def other_end(switch: Switch, device: str, port: str) -> LinkEnd | None:
    """Return where the plan has the other end of a cable; None: it has none there."""
    cable = switch.site.cables.get(device, {}).get(port)
    return None if cable is None else cable.there


def switch_facing_ports(switch: Switch) -> Iterator[tuple[str, Switch, str]]:
    """Yield each port that leads to another switch of ours, that switch, and its port there."""
    others: dict[str, Switch] = {}
    for port, cable in switch_cables(switch).items():
        if cable.joins_switches:
            name = cable.there.device
            yield port, others.setdefault(name, Switch(name, switch.site, switch.add_evidence)), cable.there.port


def port_rail(switch: Switch, port: str) -> int | None:
    """Return the number of the rail that a port carries; None: it carries none, or several."""
    there = other_end(switch, switch.name, port)
    server = None if there is None else switch.site.plan.servers.get(there.device)
    planned = None if server is None or there is None else server.ports.get(there.port)
    return None if planned is None else planned.rail


def port_subject(switch: Switch, port: str) -> str:
    """Return how results name a port of a switch."""
    return f"{switch.name}/{port}"
