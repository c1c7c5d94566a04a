"""What of a fabric's RoCE is the recommendation of a vendor, and where that was read."""

from collections.abc import Iterator, Sequence

from rackproof.hardware.nos_models import EcnSettings, RoceSettings, WatchdogSettings
from rackproof.plan.fabric.draft import FabricDraft
from rackproof.plan.model.plan import Notice
from rackproof.site.roce_settings import stated


def recommendation_notices(drafts: Sequence[FabricDraft]) -> Iterator[Notice]:
    """Yield the RoCE settings that a site leaves to the vendor of a NOS, those of one source together."""
    for draft in drafts:
        if draft.roce is None:
            continue
        by_source: dict[str, list[str]] = {}
        for name, value in _left_to_vendor(draft, draft.roce):
            by_source.setdefault(_source(draft, f"roce_recommended.{name}"), []).append(f"{name} {value}")
        for source, values in by_source.items():
            yield Notice("recommended", draft.name, f"RoCE of {draft.nos.name}: {', '.join(values)} ({source})")


def _left_to_vendor(draft: FabricDraft, settings: RoceSettings) -> Iterator[tuple[str, str]]:
    """Yield field and value of what the site does not state."""
    asked = draft.asked.roce
    for name in type(settings).model_fields:
        value, own = getattr(settings, name), getattr(asked, name, None)
        if isinstance(value, EcnSettings | WatchdogSettings):
            there = stated(own) if own is not None else {}
            yield from ((f"{name}.{key}", str(one)) for key, one in value if key not in there)
        elif name == "lossless" and own is None:
            yield name, "; ".join(f"priority {row.priority} for DSCP {', '.join(map(str, row.dscp))}" for row in value)
        elif own is None and value is not None:
            yield name, str(value)


def _source(draft: FabricDraft, path: str) -> str:
    """Return where a figure of a NOS was read; an assumption with its reason."""
    nos = draft.nos
    for known in (path, path.rpartition(".")[0]):
        if known in nos.sources:
            return nos.sources[known]
        if known in nos.assumed:
            return f"assumed: {nos.assumed[known]}"
    return "no source"
