"""The site behind the resources: its plan, the access to its devices, their planned neighbors, and its lock."""

from collections.abc import Mapping
from contextlib import ExitStack
from functools import cache, cached_property
from pathlib import Path

from infra.provider.common.kind import Settings
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
"""Seconds that a host waits for others to share its Ansible run: the engine requests hosts one by one."""


class SiteView:
    """A site as its files describe it; each file is read once a run, when it is first needed.

    Parameters
    ----------
    asked
        Name of the site in the inventory, or the path of its site file.
    access
        Path of access.yaml; None: the default path.
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
        """Name of the site; for a site of the inventory no file is read."""
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
        """Return the deploy order of a host, from the plan.

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
        """The Ansible runs that hosts of the stack share: hosts that the engine requests together run together."""
        return SharedRuns(NodeOptions(gather_s=GATHER_S))

    @cached_property
    def neighbours(self) -> Mapping[str, Mapping[str, PlannedNeighbour]]:
        """For each switch, the planned neighbor of each port."""
        return planned_neighbours(self.plan)

    @cached_property
    def devices(self) -> frozenset[str]:
        """Names of all devices that may appear as an LLDP neighbor of a switch."""
        return frozenset(self.plan.switches) | frozenset(self.plan.hosts())

    @cached_property
    def access(self) -> LoadedAccess:
        """How devices are reached."""
        return load_access(access_file(self.name, self._access))

    def claim(self) -> None:
        """Lock the site on this machine until the provider's process ends.

        Raises
        ------
        SiteBusyError
            Another process is deploying the site.
        """
        if not self._claimed:
            self._claim.enter_context(site_lock(self.name))
            self._claimed = True

    def target(self, device: str, settings: Settings) -> Target:
        """Return how to reach a device; its credential is resolved when a connection is opened.

        Raises
        ------
        BadInputError
            Neither access.yaml nor the stack names the device.
        """
        return self.access.target(device, settings.credentials)

    def controller(self, server: str, settings: Settings) -> Target | None:
        """Return how to reach the management controller of a server; None: access.yaml does not name it."""
        return self.access.controller(server, settings.credentials)


def site_view(settings: Settings) -> SiteView:
    """Return the one view of a site; a provider's process lives as long as one run."""
    return _site_view(settings.site, settings.access)


_site_view = cache(SiteView)
