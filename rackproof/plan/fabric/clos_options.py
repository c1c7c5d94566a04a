"""What a leaf and spine fabric costs in switches and cables, and what the next cheaper and the next larger one cost."""

from collections.abc import Iterator
from dataclasses import replace
from math import ceil

from rackproof.plan.fabric.clos_sizing import UPLINKS_MIN, ClosSize, LeafPlanner, Tiers, leaf_cages, tiers_for
from rackproof.plan.fabric.demand import Demand
from rackproof.plan.model.plan import FabricSize, SizeChoice

OVERSUBSCRIPTION_MAX = 16.0
"""As the site file takes it (`Fabric.oversubscription`)."""


def clos_options(demand: Demand, plan_leaves: LeafPlanner, size: ClosSize) -> Iterator[FabricSize]:
    """Yield the fabric as planned, the next one with fewer switches above the leaves, and the next one with more."""
    yield from _row("planned", size)
    cheaper = _cheaper(demand, plan_leaves, size)
    if cheaper is not None:
        yield from _row("cheaper", cheaper)
    larger = _larger(size)
    if larger is not None:
        yield from _row("larger", larger)


def _above(tiers: Tiers | None) -> int:
    return tiers.spines + tiers.super_spines if tiers else 0


def _row(choice: SizeChoice, size: ClosSize) -> Iterator[FabricSize]:
    tiers = size.tiers
    if tiers is None:
        return
    larger = _larger(size)
    yield FabricSize(
        choice=choice,
        servers=size.servers,
        servers_max=larger.servers - 1 if larger else size.servers_max,
        leaves=tiers.leaves,
        spines=tiers.spines,
        super_spines=tiers.super_spines,
        uplinks_per_leaf=tiers.uplinks,
        oversubscription=round(size.cages.ratio(size.load.gbps, tiers.uplinks), 2) if tiers.uplinks else None,
        oversubscription_asked=size.cages.oversubscription,
    )


def _cheaper(demand: Demand, plan_leaves: LeafPlanner, size: ClosSize) -> ClosSize | None:
    """Return the size with the least oversubscription that takes fewer switches above the leaves; None: none does."""
    now = _above(size.tiers)
    for uplinks in range(size.uplinks - 1, UPLINKS_MIN - 1, -1):
        tiers = tiers_for(size.leaves, uplinks, size.room, size.cages.spine_cages)
        if tiers is None or _above(tiers) >= now:
            continue
        oversubscription = ceil(round(100 * size.cages.ratio(size.load.gbps, tiers.uplinks), 6)) / 100
        asked = replace(demand, oversubscription=oversubscription)
        isl = size.cages.isl
        found = size.with_leaves(plan_leaves(asked, isl), leaf_cages(asked, isl))
        if oversubscription <= OVERSUBSCRIPTION_MAX and found.tiers and _above(found.tiers) < now:
            return found
    return None


def _larger(size: ClosSize) -> ClosSize | None:
    """Return the size for the fewest servers that take more switches above the leaves; None: none is larger."""
    per_unit, now = size.plan.servers_per_unit, _above(size.tiers)
    first_of_units = range(-(-size.servers // per_unit) * per_unit + 1, size.servers_max + 1, per_unit)
    for servers in (*range(size.servers + 1, per_unit + 1), *first_of_units):
        larger = size.with_servers(servers)
        if _above(larger.tiers) > now:
            return larger
    return None
