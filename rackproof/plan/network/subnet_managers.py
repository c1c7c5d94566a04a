"""Who manages an InfiniBand subnet: a master, and a standby that takes over when it is gone.

An unmanaged switch does not forward until a subnet manager has numbered and routed its subnet.  OpenSM runs on the
first servers of the fabric, or UFM on those that the site names.
"""

from collections.abc import Iterator, Sequence

from rackproof.errors import Problems
from rackproof.plan.fabric.draft import FabricDraft
from rackproof.plan.fabric.port_allocation import Attachment
from rackproof.plan.model.plan import SubnetManagerPlan
from rackproof.site.models import Site

PRIORITIES = (15, 14)
"""Of master and standby: the highest there are, above the default of a manager that was started by mistake."""
MANAGERS = 2


def check_subnet_managers(drafts: Sequence[FabricDraft], problems: Problems) -> None:
    """Record (as a warning) a subnet with one server, which has no standby subnet manager."""
    for draft in drafts:
        for number in _subnets(draft) if draft.infiniband else ():
            if len({attachment.device_port.device for attachment in _ports(draft, number)}) < MANAGERS:
                message = f"fabric {draft.name} has one server: its subnet manager has no standby"
                problems.warn((*draft.path, "switch"), message, "add a server")
                break


def subnet_managers(site: Site, draft: FabricDraft) -> Iterator[SubnetManagerPlan]:
    """Yield the managers of each subnet of a fabric, the master first."""
    for number in _subnets(draft) if draft.infiniband else ():
        ports = _ports(draft, number)
        servers = draft.asked.ufm or _first_servers(site, ports)
        for place, attachment in enumerate(_first_ports(ports, servers)[:MANAGERS]):
            yield SubnetManagerPlan(
                server=attachment.device_port.device,
                port=attachment.device_port.port,
                software="ufm" if draft.asked.ufm else "opensm",
                state="standby" if place else "master",
                priority=PRIORITIES[place],
                switches=draft.switch_names if draft.layout.isl_cables else (draft.switch_name(number),),
            )


def _subnets(draft: FabricDraft) -> Sequence[int]:
    """Return a switch of each subnet: all that are joined are one, otherwise each is one of its own."""
    count = len(draft.layout.switches)
    return range(min(count, 1) if draft.layout.isl_cables else count)


def _ports(draft: FabricDraft, number: int) -> Sequence[Attachment]:
    """Return the servers' ports in the subnet of a switch."""
    rows = draft.layout.attachments if draft.layout.isl_cables else draft.layout.attachments_by_switch[number]
    return [attachment for attachment in rows if attachment.device_port.planned]


def _first_servers(site: Site, ports: Sequence[Attachment]) -> Sequence[str]:
    """Return servers, the first of every group before the second of any: growth of a group then moves no manager."""
    groups = {group.group: number for number, group in enumerate(site.servers)}

    def rank(server: str) -> tuple[int, int]:
        group, _, index = server.rpartition("-")
        return int(index), groups[group]

    return sorted({attachment.device_port.device for attachment in ports}, key=rank)


def _first_ports(ports: Sequence[Attachment], servers: Sequence[str]) -> list[Attachment]:
    """Return the first port of each server."""
    first: dict[str, Attachment] = {}
    for attachment in ports:
        first.setdefault(attachment.device_port.device, attachment)
    return [first[server] for server in servers if server in first]
