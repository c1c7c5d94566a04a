"""What the provider knows of a site besides a resource's inputs: how devices are reached, and what is around them."""

from collections.abc import Mapping
from contextlib import ExitStack
from functools import cache, cached_property
from pathlib import Path

from infra.provider.kind import Settings
from rackproof.connect.access import LoadedAccess, access_file, load_access, site_in_use
from rackproof.connect.ssh import Target
from rackproof.deploy.lock import site_lock
from rackproof.deploy.nodes.build_steps import NodeOrder, node_orders
from rackproof.deploy.nodes.job import NodeOptions
from rackproof.deploy.nodes.shared_run import SharedRuns
from rackproof.deploy.switch.build_steps import planned_neighbours
from rackproof.deploy.switch.operational_state import PlannedNeighbour
from rackproof.errors import BadInputError
from rackproof.hardware.load import Catalogue
from rackproof.plan.from_file import PlannedSite, host_sources, plan_site
from rackproof.plan.hosts.sources import HostSources
from rackproof.plan.model.plan import Plan
from rackproof.site.as_built import FILE_NAME, load_as_built
from rackproof.site.load import site_names

GATHER_S = 1.0
"""How long a host waits for others: the engine asks for each of them, and each is looked at first."""


class SiteView:
    """A site as its files have it; each is read when it is first needed, and once a run.

    Parameters
    ----------
    asked
        Name of the site in the inventory, or the path of its site file.
    access
        Path of access.yaml; None: where it lies by itself.
    """

    def __init__(self, asked: str, access: Path | None) -> None:
        self._asked = asked
        self._access = access
        self.catalogue = Catalogue()
        self.confirmed: set[str] = set()
        """Switches that this run has deployed and confirmed."""
        self._claim = ExitStack()
        self._claimed = False

    @cached_property
    def name(self) -> str:
        """Name of the site; a site of the inventory has it without its file being read."""
        return self._asked if self._asked in site_names() else self.plan.site

    @cached_property
    def planned(self) -> PlannedSite:
        """The site with its plan."""
        return plan_site(site_in_use(self._asked, self._access), self.catalogue).for_devices()

    @property
    def plan(self) -> Plan:
        """The plan."""
        return self.planned.plan

    @cached_property
    def _hosts(self) -> HostSources:
        return host_sources(self.planned, load_as_built(self.access.path.parent / FILE_NAME))

    def node_order(self, name: str) -> NodeOrder:
        """Return what a host is meant to be.

        Raises
        ------
        BadInputError
            The site has no such server.
        """
        if name not in self.plan.servers:
            raise BadInputError(f"{name} is not a server of {self.name}", f"it has {', '.join(self.plan.servers)}")
        return node_orders(self._hosts, [name])[name]

    @cached_property
    def node_runs(self) -> SharedRuns:
        """Where the hosts of the stack share runs of Ansible; what the engine asks for at once runs together."""
        return SharedRuns(NodeOptions(gather_s=GATHER_S))

    @cached_property
    def neighbours(self) -> Mapping[str, Mapping[str, PlannedNeighbour]]:
        """For each switch what the plan puts at the other end of its ports."""
        return planned_neighbours(self.plan)

    @cached_property
    def devices(self) -> frozenset[str]:
        """Names of everything that may announce itself on a switch's port."""
        return frozenset(self.plan.switches) | frozenset(self.plan.hosts())

    @cached_property
    def access(self) -> LoadedAccess:
        """How devices are reached."""
        return load_access(access_file(self.name, self._access))

    def claim(self) -> None:
        """Keep everybody else on this machine from deploying the site until the provider's process ends.

        Raises
        ------
        SiteBusyError
            Somebody else is deploying it.
        """
        if not self._claimed:
            self._claim.enter_context(site_lock(self.name))
            self._claimed = True

    def target(self, device: str, settings: Settings) -> Target:
        """Return how to reach a device; its credential is resolved when a connection is opened.

        Raises
        ------
        BadInputError
            Nothing says how to reach the device.
        """
        return self.access.target(device, settings.credentials)

    def controller(self, server: str, settings: Settings) -> Target | None:
        """Return how to reach the management controller of a server; None: nothing says it."""
        return self.access.controller(server, settings.credentials)


def site_view(settings: Settings) -> SiteView:
    """Return the one view of a site; a provider's process lives as long as one run."""
    return _site_view(settings.site, settings.access)


_site_view = cache(SiteView)
