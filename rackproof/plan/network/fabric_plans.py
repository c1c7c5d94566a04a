"""Fabrics as planned: what is derived of each is put together."""

from collections.abc import Iterator, Mapping, Sequence

from rackproof.plan.fabric.draft import FabricDraft
from rackproof.plan.model.plan import FabricPlan
from rackproof.plan.network.addressing import FabricAddresses
from rackproof.plan.network.mtu import host_mtu_bytes
from rackproof.plan.network.roce import NosRoce
from rackproof.plan.network.subnet_managers import subnet_managers
from rackproof.site.models import Site


def fabric_plans(
    site: Site, drafts: Sequence[FabricDraft], addresses: Mapping[str, FabricAddresses], roce: Mapping[str, NosRoce]
) -> Iterator[FabricPlan]:
    """Yield every fabric as planned.

    Parameters
    ----------
    addresses
        Fabric to everything numbered in it.
    roce
        Fabric to its RoCE, where it has any.
    """
    for draft in drafts:
        yield _fabric_plan(site, draft, addresses[draft.name], roce.get(draft.name))


def _fabric_plan(site: Site, draft: FabricDraft, addresses: FabricAddresses, roce: NosRoce | None) -> FabricPlan:
    planned = zip(draft.switch_names, draft.layout.switches, strict=True)
    return FabricPlan(
        name=draft.name,
        role=draft.role,
        topology=draft.asked.topology,
        switches=tuple(name for name, switch in planned if switch.planned),
        subnets=tuple(addresses.subnets),
        mtu_bytes=host_mtu_bytes(draft),
        roce=roce.intent if roce else None,
        host_dscp=roce.host_dscp if roce else None,
        oversubscription=draft.layout.oversubscription,
        servers_max=draft.layout.servers_max,
        subnet_managers=tuple(subnet_managers(site, draft)),
        sizes=draft.layout.sizes,
    )
