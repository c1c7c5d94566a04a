"""Pins are in force or refused: none is accepted and ignored."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from rackproof.errors import Problems, SiteError
from rackproof.hardware.load import Catalogue
from rackproof.plan.fabric.draft import FabricDraft
from rackproof.plan.fabric.server_ports import ServerDraft
from rackproof.plan.network.addressing import FabricAddresses
from rackproof.plan.network.asns import has_bgp
from rackproof.site.models import Site
from rackproof.site.rules import module_rules, pins

PIN_STEPS = 3
"""Steps of a pin's path: pin, its kind, what is pinned."""


def check_pins(
    site: Site,
    drafts: Sequence[FabricDraft],
    server_drafts: Sequence[ServerDraft],
    addresses: Mapping[str, FabricAddresses],
    catalogue: Catalogue,
    problems: Problems,
) -> None:
    """Record every pin that the plan does not follow, unless a rule or another error says so already.

    Pins of servers that are not there yet are kept for them.
    """
    to_come = {draft.name for draft in server_drafts if not draft.planned}
    rules = chain.from_iterable(rule(site, catalogue) for rule in module_rules(pins))
    known = {error.path[:PIN_STEPS] for error in (*problems.errors, *rules) if not error.warning}
    for error in (*_addresses(site, addresses), *_ports(site, drafts), *_asns(site, drafts)):
        owner = str(error.path[-1]).partition(":")[0]
        if error.path not in known and owner not in to_come:
            problems.extend([error])


def _addresses(site: Site, addresses: Mapping[str, FabricAddresses]) -> Iterator[SiteError]:
    """Yield the pinned addresses that nothing has."""
    planned: dict[str, str] = {}
    for fabric in addresses.values():
        planned |= {key: host.address.partition("/")[0] for key, host in {**fabric.kept, **fabric.hosts}.items()}
    for owner, address in site.pin.addresses.items():
        if planned.get(owner) != str(address):
            device = owner.partition(":")[0]
            own = [key for key in planned if key.partition(":")[0] == device and ":ssip." not in key]
            hint = f"pin one of those that have: {', '.join(own[:4])}" if own else "leave the pin out"
            yield SiteError(("pin", "addresses", owner), f"{owner} has no address of its own", hint)


def _ports(site: Site, drafts: Sequence[FabricDraft]) -> Iterator[SiteError]:
    """Yield the pinned ports that are plugged in elsewhere."""
    plugged: dict[str, str] = {}
    for draft in drafts if site.pin.ports else ():
        for one in draft.layout.attachments:
            where = f"{draft.switch_name(one.switch)}/{draft.port_names(one.switch).get(one.key, one.key)}"
            plugged[f"{one.device_port.device}:{one.device_port.port}"] = where
    for owner, wanted in site.pin.ports.items():
        where = plugged.get(owner, "no switch port")
        if where != wanted:
            message = f"{owner} cannot be on {wanted}: the topology of its fabric puts it on {where}"
            yield SiteError(("pin", "ports", owner), message, "leave the pin out, or choose a port of that switch")


def _asns(site: Site, drafts: Sequence[FabricDraft]) -> Iterator[SiteError]:
    """Yield the pinned ASNs of switches without BGP."""
    speaking: set[str] = set()
    for draft in drafts:
        speaking.update(draft.switch_names if has_bgp(site, draft) else ())
    for switch in site.pin.asns:
        if switch not in speaking:
            yield SiteError(("pin", "asns", switch), f"{switch} has no BGP session, and so no ASN", "leave the pin out")
