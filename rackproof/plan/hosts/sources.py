"""What the intent of a host is derived from."""

from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import IPv4Interface

from rackproof.hardware.load import Catalogue
from rackproof.plan.hosts.ports import addressed_ports
from rackproof.plan.model.plan import Plan, ServerPlan
from rackproof.releases.models import Release
from rackproof.site.as_built import AsBuilt
from rackproof.site.models import ServerGroup, Site


@dataclass(frozen=True)
class HostSources:
    """Everything that hosts are derived from."""

    site: Site
    plan: Plan
    catalogue: Catalogue
    release: Release
    as_built: AsBuilt = field(default_factory=AsBuilt)

    @cached_property
    def groups(self) -> dict[str, ServerGroup]:
        """Groups of servers by name."""
        return {group.group: group for group in self.site.servers}

    @cached_property
    def managers(self) -> dict[str, str]:
        """Server that manages an InfiniBand subnet to the name of the fabric."""
        managers: dict[str, str] = {}
        for name, fabric in self.plan.fabrics.items():
            managers |= {manager.server: name for manager in fabric.subnet_managers}
        return managers

    @cached_property
    def addresses(self) -> dict[str, str]:
        """Servers and storage nodes to the address that others know them by.

        It is the one with the default route, else the first.
        """
        return {name: address for name, server in self.plan.hosts().items() if (address := known_by(self.plan, server))}


def known_by(plan: Plan, server: ServerPlan) -> str | None:
    """Return the address that others know a host by, without prefix length; None: it has none of ours."""
    addressed = sorted(addressed_ports(plan, server), key=lambda port: not port.default_route)
    return str(IPv4Interface(addressed[0].address).ip) if addressed else None
