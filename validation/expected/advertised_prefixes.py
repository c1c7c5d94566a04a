"""The prefixes that each switch advertises by its plan; worked out once a site."""

from collections.abc import Collection, Iterator, Mapping
from ipaddress import IPv4Interface

from rackproof.plan.from_file import PlannedSite
from rackproof.plan.model.plan import PortIntent, SwitchIntent
from rackproof.plan.model.port_names import nos_port_name
from validation.expected.cable_index import Cables

AdvertisedPrefixes = Mapping[str, frozenset[str]]
"""Switch to the prefixes that it advertises."""


def advertised_prefixes(planned: PlannedSite, cables: Cables, absent: Collection[str]) -> AdvertisedPrefixes:
    """Return what each switch advertises in the default VRF: its loopback, and subnets of VLANs with a port that is up.

    The interface of a VLAN without such a port is down, so its subnet is not advertised.

    Parameters
    ----------
    planned
        The site.
    cables
        Its cables.
    absent
        Devices that the lab does not run.
    """
    found = {}
    for name, intent in planned.plan.intents().items():
        ports = tuple(_connected_ports(planned, cables, absent, name, intent))
        found[name] = frozenset(_switch_prefixes(intent, ports))
    return found


def _switch_prefixes(intent: SwitchIntent, ports: tuple[PortIntent, ...]) -> Iterator[str]:
    """Yield the prefixes that a switch advertises over these ports."""
    channels = [intent.port_channels[port.port_channel] for port in ports if port.port_channel is not None]
    untagged = {*(port.vlan for port in ports), *(channel.vlan for channel in channels)}
    tagged = {*(port.tagged_vlans for port in ports), *(channel.tagged_vlans for channel in channels)}
    carried = untagged.union(*tagged)
    vlans = (vlan for number, vlan in intent.vlans.items() if number in carried and vlan.vrf is None)
    held = (intent.loopback, *(vlan.address for vlan in vlans))
    yield from (str(IPv4Interface(address).network) for address in held if address)


def _connected_ports(
    planned: PlannedSite, cables: Cables, absent: Collection[str], switch: str, intent: SwitchIntent
) -> Iterator[PortIntent]:
    """Yield the configured ports of a switch, without those whose cable leads to an absent device."""
    plan = planned.plan.switches[switch]
    nos, model = planned.catalogue.nos(plan.nos), planned.catalogue.switch(plan.model)
    for key, port in intent.ports.items():
        cable = cables.get(switch, {}).get(nos_port_name(nos, model, key, intent.breakouts))
        if cable is None or cable.there.device not in absent:
            yield port
