"""Subnets of a plan, found by the switches that serve them; made once for a site."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from ipaddress import IPv4Interface

from rackproof.plan.from_file import PlannedSite
from rackproof.plan.model.plan import PortIntent, SwitchIntent
from rackproof.plan.model.port_names import nos_port_name
from validation.expected.cable_index import Cables

Served = Mapping[str, frozenset[str]]
"""Switch to the prefixes that it tells others of."""


def served_by_switches(planned: PlannedSite, cables: Cables, absent: Collection[str]) -> Served:
    """Return what each switch serves in the default VRF: its loopback, and subnets of VLANs with a host.

    The interface of a VLAN without a port that is up is down, and its subnet is told to nobody.

    Parameters
    ----------
    planned
        The site.
    cables
        Its cables.
    absent
        Devices that a lab has no machine for.
    """
    intents = planned.plan.intents().items()
    return {name: frozenset(_of(intent, _in_use(planned, cables, absent, name, intent))) for name, intent in intents}


def _of(intent: SwitchIntent, used: Iterable[PortIntent]) -> Iterator[str]:
    ports = tuple(used)
    channels = [intent.port_channels[port.port_channel] for port in ports if port.port_channel is not None]
    untagged = {*(port.vlan for port in ports), *(channel.vlan for channel in channels)}
    tagged = {*(port.tagged_vlans for port in ports), *(channel.tagged_vlans for channel in channels)}
    carried = untagged.union(*tagged)
    vlans = (vlan for number, vlan in intent.vlans.items() if number in carried and vlan.vrf is None)
    held = (intent.loopback, *(vlan.address for vlan in vlans))
    yield from (str(IPv4Interface(address).network) for address in held if address)


def _in_use(
    planned: PlannedSite, cables: Cables, absent: Collection[str], switch: str, intent: SwitchIntent
) -> Iterator[PortIntent]:
    """Yield the ports behind which somebody is."""
    plan = planned.plan.switches[switch]
    nos, model = planned.catalogue.nos(plan.nos), planned.catalogue.switch(plan.model)
    for key, port in intent.ports.items():
        cable = cables.get(switch, {}).get(nos_port_name(nos, model, key, intent.breakouts))
        if cable is None or cable.there.device not in absent:
            yield port
