"""Adaptive routing: packets, not flows, are spread over the links between switches, where everything concerned can."""

from collections.abc import Iterator, Sequence

from rackproof.errors import Problems, SiteError, ValuePath
from rackproof.hardware.load import Catalogue
from rackproof.plan.fabric.draft import FabricDraft
from rackproof.site.derived import groups_on
from rackproof.site.models import Site


def routes_adaptively(draft: FabricDraft) -> bool:
    """Return whether a fabric asks for adaptive routing."""
    return draft.roce is not None and draft.roce.load_balancing == "adaptive-routing"


def isl_speed_gbps(draft: FabricDraft) -> int:
    """Return the speed of the links between the switches of a fabric; 0 where there are none."""
    fit = draft.layout.isl_fit
    return fit.ports.speed_gbps // fit.legs if fit and draft.layout.isl_cables else 0


def check_adaptive_routing(site: Site, drafts: Sequence[FabricDraft], catalogue: Catalogue, problems: Problems) -> None:
    """Record everything that keeps a fabric from routing adaptively as it asks, one error a cause.

    The links between switches are routed in the default VRF, which is what NVIDIA asks for (Cumulus Linux 5.12 user
    guide, Equal Cost Multipath Load Sharing); bonds, SVIs and subinterfaces never are among them.
    """
    for draft in drafts:
        if routes_adaptively(draft):
            problems.extend(_obstacles(site, draft, catalogue))


def _obstacles(site: Site, draft: FabricDraft, catalogue: Catalogue) -> Iterator[SiteError]:
    path: ValuePath = (*draft.path, "roce", "load_balancing")
    able = draft.nos.features.get("adaptive-routing", False)
    if able is not True:
        reason = able if isinstance(able, str) else "the catalogue does not know that it has it"
        yield SiteError(path, f"{draft.nos.name} does not route adaptively", reason)
    yield from _links(draft, path)
    for number, group in groups_on(site, draft.name):
        nic = catalogue.nic(group.nics[draft.name])
        if not nic.out_of_order:
            message = (
                f"adaptive routing of {draft.name} lets packets overtake each other; {nic.name} needs them in order"
            )
            hint = "choose an adapter that places data out of order, or load_balancing ecmp"
            yield SiteError(("servers", number, "nics", draft.name), message, hint)


def _links(draft: FabricDraft, path: ValuePath) -> Iterator[SiteError]:
    """Yield what is wrong with the switch, or with its links to other switches."""
    speeds, speed = draft.model.adaptive_routing_gbps, isl_speed_gbps(draft)
    if not speeds:
        yield SiteError(path, f"{draft.model.name} does not route adaptively", "choose another switch")
    elif speed and speed not in speeds:
        able = " and ".join(f"{one}G" for one in speeds)
        message = f"the links between its switches run at {speed}G; {draft.model.name} routes adaptively at {able}"
        yield SiteError(path, message, "take a topology that splits them, such as rail-optimized or tor-clos")
    if not speed:
        message = f"{draft.asked.topology} has no links between switches: there is nothing to route adaptively"
        yield SiteError(path, message, "choose ecmp, or a topology of more than one switch")
