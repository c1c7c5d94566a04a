"""What a reader of the plan must know about switches: what a NOS cannot express, and what is rendered only."""

from collections.abc import Iterator, Mapping, Sequence

from rackproof.plan.fabric.draft import FabricDraft
from rackproof.plan.model.plan import Notice
from rackproof.plan.network.nos_syntax import nos_version
from rackproof.plan.network.roce import NosRoce, length_class_m
from rackproof.plan.physical.cabling import Cabling
from rackproof.releases.models import Release


def export_only_notices(drafts: Sequence[FabricDraft]) -> Iterator[Notice]:
    """Yield the fabrics whose switches run an export format: their configuration is rendered and never deployed."""
    for draft in drafts:
        if draft.on_own_switches and draft.nos.export_only:
            yield Notice("export-only", draft.name, f"{draft.nos.name}: {draft.nos.export_only}")


def release_notices(drafts: Sequence[FabricDraft], release: Release) -> Iterator[Notice]:
    """Yield what switches are not configured with because the release of their NOS does not have it."""
    for nos in {draft.nos.model: draft.nos for draft in drafts}.values():
        lacking = nos_version(nos, release).lacks("gnmi")
        if lacking:
            yield Notice("left-out", nos.model, f"the gNMI server: {lacking}")


def normalisation_notices(
    drafts: Sequence[FabricDraft], roce: Mapping[str, NosRoce], cabling: Cabling
) -> Iterator[Notice]:
    """Yield what each NOS cannot express exactly as asked, of fabrics with RoCE."""
    for draft in drafts:
        if draft.name in roce:
            for text in (*map(str, roce[draft.name].losses), *_length_losses(draft, cabling)):
                yield Notice("normalised", draft.name, f"{draft.nos.name}: {text}")


def _length_losses(draft: FabricDraft, cabling: Cabling) -> Iterator[str]:
    """Yield the cable lengths that the NOS rounds up to the next one it takes."""
    for length_m in sorted(_cable_lengths_m(draft, cabling)):
        configured_m = length_class_m(length_m, draft.nos)
        if configured_m != length_m:
            yield f"cable of {length_m:g} m counts as {configured_m} m"


def _cable_lengths_m(draft: FabricDraft, cabling: Cabling) -> set[float]:
    """Return the lengths of the cables that are plugged into a fabric's switches, each once."""
    lengths_m: set[float] = set()
    for name in draft.switch_names:
        lengths_m.update(plug.length_m for plug in cabling.plugs.get(name, {}).values())
    return lengths_m
