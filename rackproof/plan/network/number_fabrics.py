"""Number every fabric of a site, and the PDUs on its out-of-band fabrics."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from rackproof.errors import Problems
from rackproof.plan.fabric.draft import FabricDraft
from rackproof.plan.fabric.server_ports import ServerDraft
from rackproof.plan.model.plan import PduPlan
from rackproof.plan.network.addressing import FabricAddresses
from rackproof.plan.network.host_addressing import number_hosts
from rackproof.plan.network.oob_addressing import number_oob
from rackproof.site.models import Site


def number_fabrics(
    site: Site, drafts: Sequence[FabricDraft], server_drafts: Sequence[ServerDraft], problems: Problems
) -> dict[str, FabricAddresses]:
    """Return fabric to everything numbered in it; what does not fit, and addresses used twice, are recorded."""
    numbered = {draft.name: _number_fabric(site, draft, drafts, server_drafts, problems) for draft in drafts}
    _report_collisions(numbered.values(), site, problems)
    return numbered


def _number_fabric(
    site: Site,
    draft: FabricDraft,
    drafts: Sequence[FabricDraft],
    server_drafts: Sequence[ServerDraft],
    problems: Problems,
) -> FabricAddresses:
    match draft.role:
        case "storage-backend":  # its storage system numbers it
            return FabricAddresses()
        case "oob":
            return number_oob(site, drafts, server_drafts, draft, problems)
        case _:
            return number_hosts(site, draft, server_drafts, problems)


def _report_collisions(numbered: Iterable[FabricAddresses], site: Site, problems: Problems) -> None:
    """Record every address that two devices would share, which only a pin can cause."""
    owners: dict[str, str] = {}
    for addresses in numbered:
        for key, host in addresses.hosts.items():
            address = host.address.partition("/")[0]
            other = owners.setdefault(address, key)
            if other != key:
                pinned = key if key in site.pin.addresses else other
                problems.add(("pin", "addresses", pinned), f"{address} is used by {other} and {key}", "pin another one")


def addressed_pdus(pdus: Mapping[str, PduPlan], numbered: Collection[FabricAddresses]) -> Iterator[PduPlan]:
    """Yield PDUs with their management addresses; None where no out-of-band fabric serves one."""
    for name, pdu in pdus.items():
        key = f"{name}:mgmt"
        found = (addresses.hosts[key].address for addresses in numbered if key in addresses.hosts)
        yield replace(pdu, address=next(found, None))
