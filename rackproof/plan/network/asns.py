"""ASNs: no two fabrics use the same one, and no network outside has one of ours."""

from collections.abc import Iterator, Sequence

from rackproof.errors import Problems, ValuePath
from rackproof.plan.fabric.draft import FabricDraft
from rackproof.plan.network.underlay import switch_asn
from rackproof.site.models import Site

HINT = "set first_asn of one fabric where no other one counts, for instance 100000 further"


def check_asns(site: Site, drafts: Sequence[FabricDraft], problems: Problems) -> None:
    """Record the first ASN of a fabric that a switch of another fabric has, and uplinks to an ASN of ours.

    Switches of one fabric share an ASN on purpose: the spines of a pod, the super-spines (RFC 7938, section 5.2.1).
    """
    owners: dict[int, tuple[FabricDraft, str]] = {}
    reported: set[tuple[str, str]] = set()
    for draft in drafts:
        for name, asn in _asns(site, draft):
            owner, switch = owners.setdefault(asn, (draft, name))
            if owner is draft or (owner.name, draft.name) in reported:
                continue
            reported.add((owner.name, draft.name))
            problems.add(_path(site, draft, name), f"{switch} and {name} both have ASN {asn}", HINT)
    for name, uplink in site.external.uplinks.items():
        if uplink.asn in owners and uplink.attach != "vlan":
            message = f"the other side of uplink {name} has ASN {uplink.asn}, which {owners[uplink.asn][1]} has too"
            hint = "a switch drops routes that carry its own ASN: take another first_asn for the fabric"
            problems.add(("external", "uplinks", name, "asn"), message, hint)


def has_bgp(site: Site, draft: FabricDraft) -> bool:
    """Return whether switches of a fabric have BGP sessions: among themselves, or towards networks outside."""
    if not draft.on_own_switches or draft.infiniband or draft.role == "storage-backend":
        return False
    shared = {name for name, fabric in site.fabrics.items() if fabric.shares == draft.name} | {draft.name}
    routed = (up.fabric in shared and up.attach != "vlan" for up in site.external.uplinks.values())
    return bool(draft.layout.isl_cables) or any(routed)


def _asns(site: Site, draft: FabricDraft) -> Iterator[tuple[str, int]]:
    """Yield switch and ASN of every switch of a fabric with BGP, places for growth included."""
    if has_bgp(site, draft):
        for number, name in enumerate(draft.switch_names):
            yield name, switch_asn(site, draft, number)


def _path(site: Site, draft: FabricDraft, switch: str) -> ValuePath:
    """Return where the ASN of a switch is stated: its pin, the first of its fabric, or the fabric."""
    if switch in site.pin.asns:
        return ("pin", "asns", switch)
    return (*draft.path, "first_asn") if draft.asked.first_asn is not None else draft.path
