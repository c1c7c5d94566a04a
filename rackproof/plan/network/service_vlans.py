"""VLANs that a consolidated pair has beside those of its hosts, and what takes them tagged.

NVIDIA's Enterprise Reference Architecture gives them to hosts without rails: services to management servers, storage to
storage nodes.  What a host's bond has untagged is the VLAN of all hosts, over which it is installed and managed.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rackproof.hardware.models import StorageModel
from rackproof.plan.fabric.draft import FabricDraft
from rackproof.plan.fabric.server_ports import ServerDraft
from rackproof.plan.model.plan import SubnetPlan
from rackproof.site.derived import SERVICE_VLANS, is_bonded, vlan_port


@dataclass(frozen=True, slots=True)
class ServiceVlanMember:
    """A device's place in a service VLAN."""

    device: str
    number: int
    """Among the devices of the VLAN, places for growth included."""
    planned: bool
    pooled: bool
    """Whether it is a storage node, whose address belongs to a pool before it is there."""
    subnet: SubnetPlan

    @property
    def key(self) -> str:
        """Name over the whole site: support-001:vlan400."""
        return f"{self.device}:{vlan_port(self.subnet.vlan or 0)}"


def service_subnets(draft: FabricDraft) -> tuple[str, ...]:
    """Return the service VLANs of a fabric by name."""
    return tuple(SERVICE_VLANS) if draft.layout.consolidated and draft.role == "frontend" else ()


def service_vlan_members(
    draft: FabricDraft, server_drafts: Sequence[ServerDraft], subnets: Iterable[SubnetPlan]
) -> Iterator[ServiceVlanMember]:
    """Yield everything that takes a service VLAN of a fabric tagged.

    Parameters
    ----------
    subnets
        The fabric's, those of its service VLANs among them.
    """
    plans = {subnet.name: subnet for subnet in subnets if subnet.name in service_subnets(draft)}
    counts = dict.fromkeys(plans, 0)
    for server_draft in server_drafts if plans and is_bonded(draft.name, draft.asked) else ():
        name = _service_vlan(draft, server_draft)
        if name is not None:
            pooled = isinstance(server_draft.model, StorageModel)
            yield ServiceVlanMember(server_draft.name, counts[name], server_draft.planned, pooled, plans[name])
            counts[name] += 1


def _service_vlan(draft: FabricDraft, server_draft: ServerDraft) -> str | None:
    """Return the service VLAN of a device; None: it has rails, or no port on the fabric."""
    if not server_draft.ports_on(draft.name):
        return None
    if isinstance(server_draft.model, StorageModel):
        return "storage"
    return None if server_draft.ports_on(draft.owner) else "services"
