"""What reaches what, as tables of `rackproof plan`."""

from collections.abc import Iterator

from rackproof.cli.plan.plan_views import View
from rackproof.hardware.load import Catalogue
from rackproof.plan.model.plan import Plan
from rackproof.plan.model.reachability import Flow
from rackproof.plan.reachability.reachability import flows

COLUMNS = ("from", "to", "reached", "for instance, or why not")


def reachability_view(plan: Plan, catalogue: Catalogue) -> Iterator[View]:
    """Yield a table with one row for each kind of device and each service; nothing on a hosted site."""
    kinds: dict[tuple[str, str], list[Flow]] = {}
    for flow in flows(plan, catalogue):
        peer = f"{flow.kind} {flow.peer}" if flow.kind != "management" else f"management station, {flow.peer}"
        kinds.setdefault((_kind(plan, flow.device), peer), []).append(flow)
    rows = tuple((*kind, *_summary(row)) for kind, row in kinds.items())
    if rows:
        yield View("Reachability", COLUMNS, rows)


def device_reachability(plan: Plan, catalogue: Catalogue, device: str) -> Iterator[View]:
    """Yield a table with every flow of one device; nothing where it has none."""
    own = [flow for flow in flows(plan, catalogue) if flow.device == device]
    rows = tuple(
        (flow.port, f"{flow.kind} {flow.peer}", "no" if flow.cause else "yes", flow.cause or flow.way) for flow in own
    )
    if rows:
        yield View(f"Reachability of {device}", COLUMNS, rows)


def _kind(plan: Plan, device: str) -> str:
    """Return the plural of what a device is."""
    if device in plan.switches:
        return "switches"
    return "PDUs" if device in plan.pdus else "servers" if device in plan.servers else "storage nodes"


def _summary(row: list[Flow]) -> tuple[str, str]:
    """Return how many interfaces reach a service, and the first one that does not, or the way of the first."""
    failed = [flow for flow in row if flow.cause is not None]
    shown = f"{failed[0].device}: {failed[0].cause}" if failed else row[0].way
    return f"{len(row) - len(failed)} of {len(row)}", shown
