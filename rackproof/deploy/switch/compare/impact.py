"""Impact of a change: the devices and sessions that use what it interrupts."""

from collections.abc import Iterable, Mapping

from rackproof.deploy.protocol import Disruption
from rackproof.deploy.switch.job import SwitchTask
from rackproof.deploy.switch.operational_state import OperationalState
from rackproof.errors import ValuePath
from rackproof.plan.model.plan import SwitchIntent
from rackproof.plan.model.port_names import front_panel_port, port_keys


def users_disturbed(
    task: SwitchTask, running: SwitchIntent, path: ValuePath, disruption: Disruption, operational: OperationalState
) -> tuple[str, ...]:
    """Return the users of the ports and sessions that a change interrupts: ``gpu-001 on Eth1/3/1``.

    A switch at its base configuration forwards no traffic, so a first deployment has no impact, whatever its LLDP
    neighbours are.
    """
    if disruption is Disruption.NONE or is_base(running):
        return ()
    names = {key: name for name, key in port_keys(task.nos, task.model, running.breakouts).items()}
    if disruption is Disruption.SESSION_RESET:
        return sessions_disturbed(names, path, operational)
    ports = [names[key] for key in ports_interrupted(running, path, disruption) if key in names]
    return tuple(operational.port_user(port) for port in ports if operational.up(port))


def is_base(running: SwitchIntent) -> bool:
    """Whether a switch has only its base configuration and so forwards no traffic."""
    return not (running.ports or running.port_channels or running.vlans or running.bgp or running.vxlan)


def sessions_disturbed(names: Mapping[str, str], path: ValuePath, operational: OperationalState) -> tuple[str, ...]:
    """Return the established sessions that are reset: the neighbour's own, or all of them."""
    key = str(path[2]) if path[:2] == ("bgp", "neighbors") and len(path) > 2 else None
    own = None if key is None else names.get(key, key)
    return tuple(
        f"BGP session with {name}"
        for name, session in operational.sessions.items()
        if session.established and own in {None, name}
    )


def ports_interrupted(running: SwitchIntent, path: ValuePath, disruption: Disruption) -> Iterable[str]:
    """Return the keys of the ports in use that a change interrupts."""
    match (disruption, *path):
        case (Disruption.PORT_RESET, "ports", str() as key, *_):
            return [key]
        case (Disruption.PORT_RESET, "breakouts", str() as cage, *_):
            return [key for key in running.ports if front_panel_port(key) == int(cage)]
        case (Disruption.PORT_RESET, "port_channels", int() as number, *_):
            return [key for key, port in running.ports.items() if port.port_channel == number]
        case (Disruption.PORT_RESET, "vlans", int() as vlan, *_):
            return [key for key, port in running.ports.items() if vlan in {port.vlan, *port.tagged_vlans}]
        case _:
            return list(running.ports)
